"""The conformance kit: what every target must do. A plug-in subclasses and mostly leaves the body empty.

```python
class TestMine(TargetConformance):
    target_name = "mine"
    zero_cost: ClassVar[set[str]] = {"S_ADD_FP"}
```
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

import pytest

from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.facade import Target, target
from kernelcraft_core.isa import Isa, ir
from kernelcraft_core.sim import Limits
from kernelcraft_core.testing.compare import differences
from kernelcraft_core.testing.programs import Line, ProgramSource, build, edge_values

ENGINES = ("closures", "generated", "auto")
PARTS = 8
"""Pieces that long comparisons are cut into, so that they can run in parallel."""


class TargetConformance:
    """Base class of a target's conformance tests; see the class attributes for what a target states."""

    target_name: ClassVar[str]
    target_options: ClassVar[dict[str, Any]] = {}
    source: ClassVar[type[ProgramSource]] = ProgramSource
    """Makes random programs; override it so that at least half of them halt."""
    zero_cost: ClassVar[set[str]] = set()
    """Instructions some form of which takes no time: a list that must be complete, so that none slips in."""
    not_alone: ClassVar[set[str]] = set()
    """Instructions that no program may consist of alone (the start and the end of a loop)."""
    programs: ClassVar[int] = 200
    """Random programs that the engines are compared on."""
    least_halting: ClassVar[float] = 0.5
    _unit: ClassVar[Target]

    @pytest.fixture
    def unit(self) -> Target:
        """Return the target under test; one object per class."""
        cls = type(self)
        if "_unit" not in cls.__dict__:
            cls._unit = target(self.target_name, **self.target_options)
        return cls._unit

    @pytest.fixture
    def isa(self, unit: Target) -> Isa:
        """Return its ISA."""
        return unit.isa

    # -- description --------------------------------------------------------------------------------------------------

    def test_every_instruction_says_what_it_does_and_shows_an_example(self, isa: Isa) -> None:
        lacking = [d.name for d in isa if not d.record.doc or not d.record.examples]
        assert not lacking

    def test_every_example_assembles_to_its_instruction(self, unit: Target) -> None:
        for definition in unit.isa:
            for line in definition.record.examples:
                if definition.name in self.not_alone:
                    continue
                program = unit.assemble(line, filename=f"<{definition.name}>")
                found = unit.isa.decode(program.words[0])
                assert found is not None
                assert found.definition.mnemonic == line.split()[0]

    def test_zero_cost_instructions_are_exactly_the_listed_ones(self, isa: Isa) -> None:
        free = {d.name for d in isa if not d.record.timing and _may_be_free(d.latency)}
        assert free == self.zero_cost

    def test_operands_have_roles(self, isa: Isa) -> None:
        for definition in isa:
            assert set(definition.roles) == set(definition.operands)

    # -- encoding -----------------------------------------------------------------------------------------------------

    def test_edge_operands_survive_encoding_and_decoding(self, isa: Isa) -> None:
        for definition, operands in edge_lines(isa):
            found = isa.decode(definition.encode(operands))
            assert found is not None
            assert (found.definition, found.operands) == (definition, operands)

    def test_edge_operands_survive_disassembly_and_assembly(self, unit: Target) -> None:
        disassembler = unit.disassembler
        for definition, operands in edge_lines(unit.isa):
            if definition.name in self.not_alone:
                continue
            word = definition.encode(operands)
            text = disassembler.line(word, 0)
            assert list(unit.assemble(text).words) == [word], text

    def test_random_words_mean_one_instruction_at_most(self, isa: Isa) -> None:
        rng = random.Random(1)
        for _ in range(2000):
            word = rng.getrandbits(isa.width)
            hits = [d.name for d in isa if word & d.encoding.mask == d.encoding.match and d.encoding.width == isa.width]
            assert len(hits) <= 1

    def test_reserved_bits_are_refused_when_strict_and_ignored_otherwise(self, isa: Isa) -> None:
        for definition, operands in edge_lines(isa, most=2):
            word = definition.encode(operands)
            for bit in range(definition.encoding.width):
                if definition.encoding.reserved >> bit & 1:
                    assert isa.decode(word | 1 << bit) is None
                    lenient = isa.decode(word | 1 << bit, strict=False)
                    assert lenient is not None
                    assert lenient.definition is definition

    def test_illegal_words_disassemble_to_data_or_are_refused(self, unit: Target) -> None:
        rng = random.Random(2)
        seen = 0
        while seen < 50:
            word = rng.getrandbits(unit.isa.width)
            if unit.isa.decode(word) is not None:
                continue
            seen += 1
            try:
                text = unit.disassemble([word])
            except AssemblyError as error:
                assert error.diagnostics[0].code.startswith("KC02")  # noqa: PT017 - both outcomes are legal
            else:
                assert list(unit.assemble(text).words) == [word]

    # -- running ------------------------------------------------------------------------------------------------------

    def test_engines_agree_on_every_instruction(self, unit: Target) -> None:
        rng = random.Random(3)
        maker = self.source(unit.isa)
        for definition, operands in edge_lines(unit.isa, most=3):
            program = build(unit.isa, [(definition, operands)])
            state = maker.state(rng)
            runs = [unit.simulate(program, state, Limits(instructions=100), engine=e) for e in ENGINES[:2]]
            assert not differences(*runs), (definition.name, operands)

    @pytest.mark.parametrize("part", range(PARTS))
    def test_engines_agree_on_random_programs(self, unit: Target, part: int) -> None:
        maker = self.source(unit.isa)
        halted = 0
        seeds = range(part, self.programs, PARTS)
        for seed in seeds:
            program, state = maker.make(seed)
            options = self._options(seed)
            runs = [unit.simulate(program, state, engine=e, **options) for e in ENGINES]
            for other in runs[1:]:
                assert not differences(runs[0], other), f"seed {seed}: {differences(runs[0], other)}"
            halted += runs[0].status == "halted"
        assert halted >= self.least_halting * len(seeds), f"{halted} of {len(seeds)} programs halted"

    def _options(self, seed: int) -> dict[str, Any]:
        """Return run options that vary with the seed: limits that bite, strictness, noise in undefined memory."""
        options: dict[str, Any] = {"limits": Limits(instructions=5_000)}
        if seed % 7 == 3:
            options["limits"] = Limits(instructions=1 + seed % 40)
        elif seed % 7 == 5:
            options["limits"] = Limits(instructions=5_000, cycles=1 + 13 * seed % 500)
        if seed % 5 == 1:
            options |= {"fill": "pattern", "seed": seed}
        if seed % 3 == 2:
            options["strict"] = True
        return options

    def test_runs_are_deterministic(self, unit: Target) -> None:
        maker = self.source(unit.isa)
        for seed in range(20):
            program, state = maker.make(seed)
            runs = [unit.simulate(program, state, Limits(instructions=2_000)) for _ in range(2)]
            assert not differences(*runs)

    def test_instruction_limit_stops_exactly(self, unit: Target) -> None:
        maker = self.source(unit.isa)
        checked = 0
        for seed in range(200):
            program, state = maker.make(seed)
            whole = unit.simulate(program, state, Limits(instructions=2_000))
            if whole.status != "halted" or whole.instret < 2:
                continue
            checked += 1
            for engine in ENGINES:
                exact = unit.simulate(program, state, Limits(instructions=whole.instret), engine=engine)
                assert exact.status == "halted"
                short = unit.simulate(program, state, Limits(instructions=whole.instret - 1), engine=engine)
                assert (short.status, short.instret) == ("limit", whole.instret - 1)
                assert short.limit is not None
                assert short.limit.kind == "instructions"
            if checked >= 10:
                break
        assert checked

    def test_profile_adds_up(self, unit: Target) -> None:
        maker = self.source(unit.isa)
        for seed in range(30):
            program, state = maker.make(seed)
            result = unit.simulate(program, state, Limits(instructions=2_000))
            assert sum(p.count for p in result.profile.lines) == result.instret
            assert sum(result.profile.by_unit.values()) <= result.cycles

    def test_an_empty_program_is_legal(self, unit: Target) -> None:
        program = unit.assemble("")
        assert len(program) == 0
        result = unit.simulate(program)
        assert result.instret == 0
        assert result.status == ("halted" if unit.isa.ends == "halt" else "trap")


def edge_lines(isa: Isa, most: int = 12) -> list[Line]:
    """Return instructions with edge operands: each operand walks over its edges while the others stay at one of theirs."""
    rng = random.Random(0)
    out: list[Line] = []
    for definition in isa:
        edges = {name: edge_values(kind) for name, kind in definition.operands.items()}
        lines: list[Line] = [
            (definition, {n: v[0] for n, v in edges.items()}),
            (definition, {n: v[-1] for n, v in edges.items()}),
        ]
        for name, values in edges.items():
            lines += [(definition, {n: rng.choice(v) for n, v in edges.items()} | {name: value}) for value in values]
        unique = {definition.encode(operands): (definition, operands) for _, operands in lines}
        out += list(unique.values())[:most]
    return out


def _may_be_free(cost: ir.Expr) -> bool:
    return isinstance(cost.type, ir.Int) and (cost.type.lo or 0) <= 0
