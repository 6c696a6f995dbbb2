"""Hypothesis strategies that follow from an ISA."""

from __future__ import annotations

from hypothesis import strategies as st

from kernelcraft_core.isa import Definition, Isa
from kernelcraft_core.isa.model import Imm, Kind, Reg
from kernelcraft_core.testing.programs import edge_values


def operand_values(kind: Kind) -> st.SearchStrategy[int]:
    """Return legal values of an operand kind, edges often."""
    if isinstance(kind, Imm):
        steps = st.integers(-(-kind.low // kind.align), kind.high // kind.align)
        return st.one_of(st.sampled_from(edge_values(kind)), steps.map(lambda n: n * kind.align))
    return st.integers(0, kind.size - 1) if isinstance(kind, Reg) else st.just(0)


@st.composite
def instructions(draw: st.DrawFn, isa: Isa) -> tuple[Definition, dict[str, int]]:
    """Return an instruction of the ISA with legal operands."""
    definition = draw(st.sampled_from(list(isa)))
    return definition, {name: draw(operand_values(kind)) for name, kind in definition.operands.items()}


def words(isa: Isa) -> st.SearchStrategy[int]:
    """Return legal words of the ISA."""
    return instructions(isa).map(lambda pair: pair[0].encode(pair[1]))
