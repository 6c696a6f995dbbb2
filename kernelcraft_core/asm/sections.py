"""Sections of a program: what is assembled into each, and where they go when their sizes are known.

The code has its place from the start. A section that does not is assembled from offset 0, and its labels are offsets until
`place`: expressions keep count of the sections in them (see `expressions.FLOATING`).
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import define

from kernelcraft_core.asm.dialect import Area
from kernelcraft_core.asm.expressions import FLOATING, problem
from kernelcraft_core.asm.output import Output
from kernelcraft_core.diagnostics import Diagnostic, did_you_mean, printable
from kernelcraft_core.isa import Section

CODE = ".text"
_DISCARDED = "/DISCARD/"
_FAMILIES: Mapping[str, str] = {
    ".text": CODE,
    ".rodata": ".rodata",
    ".srodata": ".rodata",
    ".data": ".data",
    ".sdata": ".data",
    ".bss": ".bss",
    ".sbss": ".bss",
    **dict.fromkeys((".note", ".comment", ".debug", ".riscv", ".eh_frame", ".llvm"), _DISCARDED),
}
"""Beginning of a section's name -> the section it becomes a part of; what no memory holds is assembled and dropped."""


@define(eq=False)
class Placed:
    """One section: its items, the address count of its labels (1 once its place is known), its alignment."""

    name: str
    out: Output
    weight: int
    align: int
    number: int


class Sections:
    """The sections of one program; `now` is the one being assembled into."""

    def __init__(self, areas: Sequence[Area], make: Callable[[int, bool], Output], base: int | None = None) -> None:
        """`make(base, uniform)` makes an output; `base` moves the code."""
        self.areas = areas
        self._make = make
        area = next((a for a in areas if CODE in a.sections), None)
        start = base if base is not None else area.base if area is not None else 0
        self.code = self.now = Placed(CODE, make(start, True), 1, 1, 0)
        self.all = [self.code]

    @property
    def names(self) -> list[str]:
        """Names of the sections that have a place."""
        return [name for area in self.areas for name in area.sections]

    def switch(self, name: str, column: int) -> Placed:
        """Return the section that `name` belongs to, made when it is new; it is the current one from now on.

        Raises:
            Problem: KC0235 there is no place for such a section.
        """
        family = next((f for f in _FAMILIES if name == f or name.startswith(f + ".") or name.startswith(f + "_")), None)
        target = _FAMILIES.get(family or "")
        if target is None or (target != _DISCARDED and target not in self.names):
            known = [f for f, t in _FAMILIES.items() if t in self.names]
            hint = did_you_mean(name, known) or f"sections are {', '.join(known)}, and what begins with them and a dot"
            raise problem("KC0235", f"there is no place for section {printable(name)!r}", column, len(name), hint)
        found = next((s for s in self.all if s.name == target), None)
        if found is None:
            number = len(self.all)
            align = next((a.align for a in self.areas if target in a.sections), 1)
            found = Placed(target, self._make(0, False), FLOATING**number, align, number)
            self.all.append(found)
        self.now = found
        return found

    def place(self) -> dict[int, int]:
        """Give every section its base; return address count of its labels -> base."""
        bases: dict[int, int] = {}
        for area in self.areas:
            at = area.base
            for name in area.sections:
                section = next((s for s in self.all if s.name == name), None)
                if section is None:
                    continue
                if section is not self.code:
                    base = -(-at // section.align) * section.align
                    bases[section.weight] = base
                    section.out.rebase(base)
                at = section.out.base + section.out.size // section.out.pc_unit
        for section in self.all:
            bases.setdefault(section.weight, 0)
            section.weight = 1
        return bases

    def overflows(self) -> Iterator[tuple[int, Diagnostic]]:
        """Yield (line, finding) for each area that its sections do not fit into."""
        for area in self.areas:
            for section in self.all:
                out, end = section.out, area.base + area.size
                if section.name not in area.sections or out.address <= end or not len(out.words):
                    continue
                first = max(0, bisect.bisect_right(out.addresses, end) - 1)
                while first + 1 < len(out.words) and out.addresses[first + 1] <= end:
                    first += 1
                used = out.address - area.base
                message = f"{area.name} is full: {section.name} ends {used} bytes in, and there are {area.size}"
                yield out.lines[first], problem("KC0232", message, 1).diagnostic
                break

    def data(self) -> tuple[Section, ...]:
        """Return the sections beside the code that hold something, by address."""
        out = []
        for section in self.all:
            if section is not self.code and section.name != _DISCARDED and section.out.size:
                out.append(Section(section.name, section.out.base, section.out.image(), code=False))
        return tuple(sorted(out, key=lambda s: s.base))
