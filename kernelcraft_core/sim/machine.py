"""Machines: named sets of parameter values for a target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, MachineError, did_you_mean, printable

if TYPE_CHECKING:
    from kernelcraft_core.isa import Isa
    from kernelcraft_core.isa.docs_costs import CostTable
    from kernelcraft_core.sim.pipeline import PipelineModel
    from kernelcraft_core.sim.timing import TimingModel

Value = int | str


@frozen
class Param:
    """One machine parameter.

    Attributes:
        name: the vendor's name. default: an integer or a word. unit: of the value.
        choices: the legal values, when they are few; else `min..max` (integers).
        fixed: the value is structural: other values are refused, with the reason in `doc`.
        source: where the default comes from.
    """

    name: str
    default: Value
    doc: str = ""
    unit: str = ""
    choices: tuple[Value, ...] = ()
    min: int = 0
    max: int = 1 << 40
    fixed: bool = False
    source: str = ""

    def accept(self, value: object) -> Value:
        """Return `value` as this parameter takes it.

        Raises:
            MachineError: KC0502 wrong type or out of range, KC0503 the parameter is fixed.
        """
        wanted = "a whole number" if isinstance(self.default, int) else "a word"
        if isinstance(value, str) and isinstance(self.default, int):
            try:
                value = int(value, 0)
            except ValueError:
                raise self._refuse(value, f"needs {wanted}") from None
        if isinstance(value, bool) or not isinstance(value, int if isinstance(self.default, int) else str):
            raise self._refuse(value, f"needs {wanted}")
        assert isinstance(value, int | str)
        if self.fixed and value != self.default:
            raise MachineError(
                Diagnostic("KC0503", f"machine parameter {self.name} is fixed at {self.default}", hint=self.doc)
            )
        if self.choices and value not in self.choices:
            raise self._refuse(value, f"is one of {', '.join(map(str, self.choices))}")
        if isinstance(value, int) and not self.choices and not self.min <= value <= self.max:
            raise self._refuse(value, f"is in {self.min}..{self.max}")
        return value

    def _refuse(self, value: object, reason: str) -> MachineError:
        return MachineError(
            Diagnostic("KC0502", f"machine parameter {self.name} = {_shown(value)}: it {reason}", hint=self.doc or None)
        )


def _shown(value: object) -> str:
    if isinstance(value, int) and value.bit_length() > 256:
        return f"(an integer of {value.bit_length()} bits)"
    return printable(repr(value))


def _as_params(items: Iterable[Param]) -> tuple[Param, ...]:
    return tuple(items)


@frozen(eq=False)
class Machine:
    """Parameters of a target under a preset name.

    Attributes:
        declared: the parameters with their defaults. values: name -> value in force.
        clock_ns: length of a cycle in ns, or None when no clock is given.
        extensions: names of ISA extensions this preset comes with.
        timing: makes the timing model of a run, `timing(isa, machine)`: a `TimingModel`, or a `PipelineModel` where instructions
            overlap. None: the records' latencies, added up.
        costs: makes what the reference says of time, `costs(isa, machine)`, where `timing` makes a `PipelineModel`: the records'
            latencies say nothing then.
    """

    name: str
    declared: tuple[Param, ...] = field(default=(), converter=_as_params)
    clock_ns: float | None = None
    extensions: tuple[str, ...] = ()
    timing: Callable[[Isa, Machine], TimingModel | PipelineModel] | None = None
    costs: Callable[[Isa, Machine], CostTable] | None = None
    doc: str = ""
    values: Mapping[str, Value] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        values = {p.name: p.default for p in self.declared} | dict(self.values)
        object.__setattr__(self, "values", values)

    def __getitem__(self, name: str) -> Value:
        return self.values[name]

    @property
    def params(self) -> Mapping[str, Value]:
        """Parameter name -> value in force."""
        return self.values

    def number(self, name: str) -> int:
        """Return an integer parameter."""
        value = self.values[name]
        assert isinstance(value, int), name
        return value

    def cost_table(self, isa: Isa) -> CostTable | None:
        """Return what is known of the costs of `isa`'s instructions here, or None where the records say it."""
        return None if self.costs is None else self.costs(isa, self)

    def override(self, overrides: Mapping[str, Any]) -> Machine:
        """Return this machine with some parameters changed.

        Raises:
            MachineError: KC0501 unknown parameter, KC0502 a value that does not fit, KC0503 a fixed parameter.
        """
        known = {p.name: p for p in self.declared}
        values = dict(self.values)
        for name, value in overrides.items():
            if name not in known:
                hint = did_you_mean(str(name), known) or f"parameters: {', '.join(known) or 'none'}"
                raise MachineError(Diagnostic("KC0501", f"machine {self.name} has no parameter {name!r}", hint=hint))
            values[name] = known[name].accept(value)
        return attrs.evolve(self, values=values)
