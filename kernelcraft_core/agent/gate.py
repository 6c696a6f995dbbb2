"""When no further episode of a run is begun: a limit of the run is reached, or a model refuses our key.

| code | meaning |
| --- | --- |
| KC0776 | episodes were not begun, because a limit of the run was reached (a warning) |
| KC0777 | episodes of a model were not begun, because its service refuses the key (a warning) |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from kernelcraft_core.agent.limits import Limits
from kernelcraft_core.agent.spending import RunBudget
from kernelcraft_core.bench.plan import Cell
from kernelcraft_core.diagnostics import WARNING, Diagnostic

AUTH = "auth"
"""The kind of error that every further episode of a model would end with as well."""


@define(eq=False)
class Gate:
    """Lets cells begin, or not; hears of every sample.

    Attributes:
        budget: of the run.
    """

    budget: RunBudget
    _refused: dict[str, str] = field(factory=dict)
    _held: dict[str, int] = field(factory=dict)
    _limit: str | None = None
    _beyond: int = 0

    @staticmethod
    def of(run: Path, limits: Limits) -> Gate:
        """Return the gate of a run."""
        return Gate(RunBudget(run, limits))

    def wanted(self, cell: Cell) -> bool:
        """Whether the episode of a cell is to begin."""
        model = str(cell.subject["model"])
        if model in self._refused:
            self._held[model] = self._held.get(model, 0) + 1
            return False
        reached = self.budget.reached()
        if reached is not None:
            self._limit = self._limit or reached
            self._beyond += 1
            return False
        return True

    def hear(self, sample: Mapping[str, Any]) -> None:
        """Take note of a finished sample."""
        error = sample.get("agent", {}).get("error")
        if error is not None and error.get("kind") == AUTH:
            self._refused.setdefault(str(sample["subject"]["model"]), str(error["message"]))

    def findings(self) -> list[Diagnostic]:
        """Return what was not begun, and why."""
        found = []
        for model, message in self._refused.items():
            count = self._held.get(model, 0)
            text = f"{model} refuses the key: {message}; {count} more episodes were not begun"
            found.append(Diagnostic("KC0777", text, hint="set the key and use --resume", severity=WARNING))
        reached = self._limit or self.budget.reached()
        if reached is not None:
            text = (
                f"the run has reached its limit of {reached.replace('_', ' ')}: {self._beyond} episodes were not begun"
            )
            hint = "--resume with a higher limit goes on"
            found.append(Diagnostic("KC0776", text, hint=hint, severity=WARNING))
        return found
