"""Machines of the Coral target: parameters with their values and sources.

Source of the numbers: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL; the external latency of
the paper's bus model is not published, 3 fits its table 17 best and 2 is what its structure suggests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from kc_coral.timing import CoralTiming
from kc_coral.timing_params import TimingParams
from kernelcraft_core.sim import Machine, Param

if TYPE_CHECKING:
    from kernelcraft_core.isa import Isa
    from kernelcraft_core.isa.docs_costs import CostTable

_RTL = "google-coral/coralnpu RvvCoreMiniAxi, early 2026, measured on the generated RTL"
_FIXED = "structural: encodings, vectors and the layout of all workloads are built on it"

_TIMES: dict[str, tuple[str, str]] = {  # field of TimingParams -> parameter, what it is
    "read_latency": ("RL", "cycles from an external address to its data"),
    "write_latency": ("WL", "cycles from an external write to its acknowledgement"),
    "dispatch": ("DISPATCH", "instructions dispatched per cycle"),
    "fetch_period": ("FETCH_PERIOD", "cycles between fetches"),
    "window": ("WINDOW", "instructions in flight"),
    "load_store_queue": ("LSQ", "loads and stores dispatched and not started"),
    "decode_instructions": ("DEC_INST", "vector instructions decoded per cycle"),
    "decode_uops": ("DEC_UOP", "vector micro-ops decoded per cycle"),
    "uop_queue": ("UQ", "entries of the micro-op queue"),
    "issue": ("ISSUE", "micro-ops issued per cycle"),
    "reorder": ("ROB", "entries of the vector reorder buffer"),
    "retire": ("RETIRE", "micro-ops retired per cycle"),
    "station": ("STATION", "waiting places per vector unit"),
    "alu_units": ("ALU_UNITS", "vector ALUs"),
    "mul_units": ("MUL_UNITS", "vector multipliers"),
}
_CYCLES = ("read_latency", "write_latency", "fetch_period")
"""Those that are times; all others are numbers of things."""
_LEAST = {
    "decode_uops": 1,
    "uop_queue": 8,
    "issue": 1,
    "reorder": 8,
    "station": 8,
    "read_latency": 0,
    "write_latency": 0,
}


def _structural(name: str, value: int, doc: str, unit: str) -> Param:
    return Param(name, value, doc=f"{doc} ({_FIXED})", unit=unit, fixed=True, source=_RTL)


def _timed() -> tuple[Param, ...]:
    """Return the parameters of the timing model that may be changed."""
    defaults = TimingParams()
    return tuple(
        Param(
            name,
            getattr(defaults, field),
            doc=doc,
            unit="cycles" if field in _CYCLES else "",
            min=_LEAST.get(field, 1),
            max=1 << 10,
            source=_RTL,
        )
        for field, (name, doc) in _TIMES.items()
    )


PARAMS: tuple[Param, ...] = (
    _structural("VLEN", 128, "bits of a vector register", "bits"),
    _structural("ELEN", 32, "bits of the widest element", "bits"),
    _structural("LINE", 16, "bytes of a fetch line and of a memory line", "bytes"),
    _structural("IBUF", 8, "entries of the instruction buffer", "instructions"),
    *_timed(),
)


def timing_params(machine: Machine) -> TimingParams:
    """Return what a machine says about timing."""
    return attrs.evolve(TimingParams(), **{field: machine.number(name) for field, (name, _) in _TIMES.items()})


def _costs(isa: Isa, machine: Machine) -> CostTable:
    from kc_coral.timing_docs import costs

    return costs(isa, timing_params(machine))


MACHINES: tuple[Machine, ...] = (
    Machine(
        "rtl",
        PARAMS,
        timing=lambda isa, machine: CoralTiming(timing_params(machine)),
        costs=_costs,
        doc="The reference state of the RTL, early 2026, with an external latency of 3.",
    ),
)
"""Machine presets, the default first."""
