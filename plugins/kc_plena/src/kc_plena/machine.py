"""Machines of the PLENA target: parameters with their values and sources.

`kc` is the machine of the KernelCraft paper (arXiv 2603.08721), which is the emulator of AICrossSim/PLENA at commit
ecd5acb (January 2026); `dllm` is the same with the extension `Xdllm`.
"""

from __future__ import annotations

from kernelcraft_core.isa import Isa
from kernelcraft_core.sim import Machine, Param, TimingModel

_TOML = "AICrossSim/PLENA ecd5acb, plena_settings.toml"
_COST = "AICrossSim/PLENA ecd5acb, behavioral_simulator latency table, DC_EN = 1"
_FIXED = "structural: the primitives and the memory layout of all workloads are built on it"


def _size(name: str, default: int, doc: str, unit: str = "elements") -> Param:
    return Param(name, default, doc=f"{doc} ({_FIXED})", unit=unit, fixed=True, source=_TOML)


def _cost(name: str, default: int, doc: str) -> Param:
    return Param(name, default, doc=doc, unit="cycles", min=0, max=1 << 20, source=_COST)


PARAMS: tuple[Param, ...] = (
    _size("MLEN", 64, "side of a matrix tile, width of a dot product"),
    _size("VLEN", 64, "length of a vector row; equals MLEN"),
    _size("BLEN", 4, "side of the systolic output block"),
    _size("HLEN", 16, "length of a head segment, unit of the vector mask"),
    _size("BROADCAST_AMOUNT", 4, "heads that M_BMM and M_BTMM work on at once, MLEN / HLEN", "heads"),
    _size("HBM_M_Prefetch_Amount", 64, "HBM rows moved by one H_PREFETCH_M", "rows"),
    _size("HBM_V_Prefetch_Amount", 4, "HBM rows moved by one H_PREFETCH_V", "rows"),
    _size("HBM_V_Writeback_Amount", 4, "HBM rows moved by one H_STORE_V", "rows"),
    Param("MATRIX_SRAM_SIZE", 1024, "capacity of the matrix SRAM", "tiles", min=1, max=1 << 14, source=_TOML),
    Param("VECTOR_SRAM_SIZE", 4_194_304, "capacity of the vector SRAM", "rows", min=1, max=1 << 22, source=_TOML),
    Param("INT_MEM_SIZE", 1024, "capacity of the integer memory", "words", min=1, max=1 << 20, source=_TOML),
    Param(
        "FP_MEM_SIZE", 1024, "capacity of the scalar floating-point memory", "words", min=1, max=1 << 20, source=_TOML
    ),
    Param("HBM_SIZE", 1 << 30, "capacity of the HBM", "bytes", min=64, max=1 << 34, source=_TOML),
    Param(
        "MAX_LOOP_INSTRUCTIONS",
        10_000_000,
        "instructions that one iteration of a hardware loop may take before the run is stopped",
        "instructions",
        min=1,
        source=_TOML,
    ),
    Param("HBM_MODEL", "exact", "how HBM transfers are timed", choices=("exact", "simple", "none")),
    Param("HBM_BEAT_CYCLES", 4, "cycles a pseudo-channel's bus is taken by a 16-byte beat", "cycles", choices=(2, 4)),
    _cost("M_MM_CYCLES", 64, "M_MM and M_TMM: MLEN plus a systolic overhead of 0"),
    _cost("M_BMM_CYCLES", 64, "M_BMM and M_BTMM: 4,096 multiply-accumulates per cycle, a property of the public model"),
    _cost("M_MV_CYCLES", 64, "M_MV and M_TMV: 64 multiply-accumulates per cycle, four times the rate of M_MM"),
    _cost("M_WO_CYCLES", 1, "M_MM_WO, M_BMM_WO and M_MV_WO"),
    _cost("V_ADD_CYCLES", 2, "V_ADD_* and V_SUB_*"),
    _cost("V_MUL_CYCLES", 1, "V_MUL_*"),
    _cost("V_EXP_CYCLES", 1, "V_EXP_V"),
    _cost("V_RECI_CYCLES", 2, "V_RECI_V"),
    _cost("V_MAX_CYCLES", 4, "V_RED_MAX and V_RED_MAX_IDX"),
    _cost("V_SUM_CYCLES", 8, "V_RED_SUM"),
    _cost("S_FP_CYCLES", 1, "S_ADD_FP, S_SUB_FP, S_MUL_FP and S_MAX_FP"),
    _cost("S_SFU_CYCLES", 1, "S_EXP_FP, S_RECI_FP and S_SQRT_FP"),
)
"""All parameters with the values of the machine `kc`."""

SLOW_FP = {
    "V_ADD_CYCLES": 7,
    "V_MUL_CYCLES": 5,
    "V_EXP_CYCLES": 6,
    "V_RECI_CYCLES": 7,
    "V_SUM_CYCLES": 20,
    "S_SFU_CYCLES": 2,
}
"""Cycles with DC_EN = 0, the other column of the emulator's latency table."""


def make_timing(isa: Isa, machine: Machine) -> TimingModel:
    """Return a fresh timing model for one run: instruction costs plus the HBM model the machine asks for."""
    from kc_plena.timing import PlenaTiming

    return PlenaTiming(machine)


KC = Machine(
    "kc",
    PARAMS,
    clock_ns=1.0,
    timing=make_timing,
    doc="Machine of the KernelCraft paper: sequential, 1 GHz, exact HBM model.",
)
MACHINES: tuple[Machine, ...] = (
    KC,
    Machine(
        "dllm",
        PARAMS,
        clock_ns=1.0,
        timing=make_timing,
        extensions=("Xdllm",),
        doc="The machine kc with the diffusion-LLM extension Xdllm.",
    ),
    Machine(
        "kc-slow-fp",
        PARAMS,
        clock_ns=1.0,
        timing=make_timing,
        values=SLOW_FP,
        doc="The machine kc without the fast floating-point library (DC_EN = 0).",
    ),
)
"""Machine presets, the default first."""
ISA_PARAMS = {p.name: p.default for p in PARAMS if isinstance(p.default, int)}
