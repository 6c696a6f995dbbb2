"""Checks of an ISA's pseudo-instructions that need the assembler: what they stand for exists, and is not themselves."""

from __future__ import annotations

from kernelcraft_core.asm.lexis import Lexis
from kernelcraft_core.asm.shapes import Shape, Shapes
from kernelcraft_core.diagnostics import Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa import Imm
from kernelcraft_core.isa.syntax import Operand


def check_pseudos(shapes: Shapes, lexis: Lexis) -> None:
    """Check that each expansion line can be read as some instruction and that no pseudo-instruction leads to itself.

    Raises:
        IsaError: KC0240.
    """
    uses: dict[Shape, list[Shape]] = {}
    for group in shapes.of.values():
        for shape in group:
            if shape.template is not None:
                uses[shape] = _uses(shape, shapes, lexis)
    done: set[Shape] = set()
    for first in uses:
        path: list[Shape] = [first]
        waiting = [list(uses[first])]
        while path:
            if path[-1] in done or not waiting[-1]:
                done.add(path.pop())
                waiting.pop()
                continue
            following = waiting[-1].pop()
            if following in path:
                ring = [s.form.mnemonic for s in (*path[path.index(following) :], following)]
                message = f"pseudo-instruction {ring[0]} stands for itself: {' -> '.join(ring)}"
                raise IsaError(Diagnostic("KC0240", f"{shapes.isa.name}: {message}"))
            if following not in done:
                path.append(following)
                waiting.append(list(uses[following]))


def _uses(shape: Shape, shapes: Shapes, lexis: Lexis) -> list[Shape]:
    """Return the pseudo-instructions that the lines of `shape` are, lines that are instructions left out."""
    template = shape.template
    assert template is not None
    values = dict(shape.defaults)
    for item in shape.form.items:
        if isinstance(item, Operand):
            kind = item.kind
            values.setdefault(item.name, min(max(0, kind.low), kind.high) if isinstance(kind, Imm) else 0)
    out: list[Shape] = []
    for line in template.expand(values, 0):
        tokens = lexis.tokens(lexis.code(line))
        where = f"{shapes.isa.name}: pseudo-instruction {shape.form.mnemonic}"
        if not tokens or tokens[0].text not in shapes.of:
            hint = did_you_mean(tokens[0].text, shapes.of) if tokens else None
            raise IsaError(Diagnostic("KC0240", f"{where}: `{line}` does not begin with a mnemonic", hint=hint))
        found = [s for s in shapes.of[tokens[0].text] if shapes.read(s, tokens) is not None]
        if not found:
            usage = shapes.of[tokens[0].text][0].form.usage()
            raise IsaError(Diagnostic("KC0240", f"{where}: `{line}` is no instruction", hint=f"usage: {usage}"))
        if all(s.template is not None for s in found):
            out += found
    return out
