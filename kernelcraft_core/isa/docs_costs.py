"""What the reference says of time where instructions overlap: classes of instructions, and a table of what each costs alone.

A target whose machine is timed by a model of its pipeline makes these (`Machine.costs`); the latencies of its records say
nothing then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen


@frozen
class CostTable:
    """Costs by class of instruction.

    Attributes:
        intro: a paragraph: where time comes from, and what the columns are.
        head: titles of the columns behind the class's name.
        rows: class -> cells, as many as there are titles.
        classes: name of an instruction -> its class.
    """

    intro: str
    head: Sequence[str]
    rows: Mapping[str, Sequence[str]]
    classes: Mapping[str, str] = field(repr=False)

    def row(self, name: str) -> dict[str, str]:
        """Return title -> cell of the class of the instruction `name`, the class first."""
        cost = self.classes[name]
        return {"class": cost, **dict(zip(self.head, self.rows[cost], strict=True))}
