"""Uses of vector instructions that the hardware hangs on or gets wrong, traps, CSRs, and what stays allowed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kernelcraft_core.facade import Target, target
from kernelcraft_core.riscv import cause_of
from kernelcraft_core.sim import Limits, RunResult

M1, M2, M4, M8 = (
    "vsetivli t0, 16, e8, m1",
    "vsetivli t0, 31, e8, m2",
    "vsetivli t0, 31, e8, m4",
    "vsetivli t0, 31, e8, m8",
)
E16, E32 = "vsetivli t0, 8, e16, m1", "vsetivli t0, 4, e32, m1"
E16M2, MF2, MF4 = "vsetivli t0, 16, e16, m2", "vsetivli t0, 8, e8, mf2", "vsetivli t0, 4, e8, mf4"
EMPTY = "vsetivli t0, 0, e8, m1"
WHOLE2, WHOLE8 = "vsetvli t0, x0, e8, m2", "vsetvli t0, x0, e8, m8"


@cache
def coral() -> Target:
    return target("coral")


def run(*lines: str) -> RunResult:
    """Return the run of lines with a0 in DTCM, a1 in external memory."""
    text = "\n".join(("li a0, 0x10100", "li a1, 0x20000000", "li a2, 3", *lines, "mpause"))
    return coral().simulate(coral().assemble(text), limits=Limits(instructions=1000))


REFUSED = [  # configuration, instruction, part of the rule
    (EMPTY, "vadd.vv v8, v9, v10", "vl is 0"),
    (EMPTY, "vmacc.vx v8, a0, v10", "vl is 0"),
    (EMPTY, "vmseq.vv v8, v9, v10", "vl is 0"),
    (EMPTY, "vredsum.vs v8, v9, v10", "vl is 0"),
    (EMPTY, "vmv.s.x v8, a0", "vl is 0"),
    (EMPTY, "vle8.v v8, (a0)", "vl is 0"),
    (EMPTY, "vse8.v v8, (a0)", "vl is 0"),
    (EMPTY, "vmand.mm v8, v9, v10", "vl is 0"),
    (EMPTY, "vfirst.m a0, v8", "vl is 0"),
    (M2, "vadd.vv v9, v10, v12", "vd = v9 does not start at a multiple of 2"),
    (M2, "vadd.vv v8, v11, v12", "vs2 = v11 does not start"),
    (M2, "vadd.vv v8, v10, v13", "vs1 = v13 does not start"),
    (M8, "vse8.v v12, (a0)", "vs3 = v12 does not start at a multiple of 8"),
    (M8, "vmseq.vv v1, v12, v16", "vs2 = v12 does not start"),
    (M8, "vredsum.vs v1, v12, v2", "vs2 = v12 does not start"),
    (M1, "vl4re8.v v6, (a0)", "vd = v6 does not start at a multiple of 4"),
    (M1, "vmv2r.v v8, v11", "vs2 = v11 does not start"),
    (M8, "vle16.v v8, (a0)", "EMUL of vd is 16"),
    (MF4, "vlse8.v v8, (a0), a2", None),
    (M8, "vluxei16.v v8, (a0), v16", "EMUL of vs2 is 16"),
    (M8, "vwadd.vv v8, v16, v24", "LMUL is 8"),
    (M8, "vnsrl.wx v8, v16, a2", "LMUL is 8"),
    (M8, "vrgatherei16.vv v8, v16, v24", "EMUL of vs1 is 16"),
    (E16, "vzext.vf4 v8, v9", "less than 8 bits"),
    (M1, "vsext.vf2 v8, v9", "SEW is 8"),
    (M2, "vlseg5e8.v v8, (a0)", "at most 8 registers"),
    (M1, "vlseg4e8.v v30, (a0)", "past v31"),
    (E32, "vwadd.vv v8, v16, v24", "SEW is 32"),
    (E32, "vwmacc.vx v8, a2, v24", "SEW is 32"),
    (E32, "vnclip.wi v8, v16, 3", "SEW is 32"),
    (E32, "vwredsum.vs v8, v16, v24", "SEW is 32"),
    (M1, "vwadd.vv v8, v8, v12", "narrower"),  # the lower part of the destination
    (M1, "vwadd.vv v8, v9, v12", None),
    (M2, "vwmul.vx v8, v10, a2", None),
    (MF2, "vwadd.vv v8, v8, v12", "narrower"),  # EMUL below 1
    (M1, "vnsrl.wx v9, v8, a2", "wider"),
    (M1, "vnsrl.wx v8, v8, a2", None),
    (M2, "vmseq.vv v9, v8, v10", "wider"),
    (M2, "vmseq.vv v8, v8, v10", None),
    (M1, "vadd.vv v8, v8, v8", None),
    (E16, "vzext.vf2 v8, v8", "narrower"),
    (E16M2, "vzext.vf2 v8, v9", None),
    (M1, "vslideup.vi v8, v8, 1", "not allowed for this instruction"),
    (M1, "vslide1up.vx v8, v8, a2", "not allowed for this instruction"),
    (M1, "vrgather.vv v8, v9, v8", "not allowed for this instruction"),
    (M1, "vcompress.vm v8, v9, v8", "not allowed for this instruction"),
    (M1, "viota.m v8, v8", "not allowed for this instruction"),
    (M1, "vmsbf.m v8, v8", "not allowed for this instruction"),
    (M1, "vmsif.m v8, v8", "not allowed for this instruction"),
    (M1, "vmsof.m v8, v8", "not allowed for this instruction"),
    (M1, "vmsbf.m v0, v8, v0.t", "holds v0"),
    (M1, "vslidedown.vi v8, v8, 1", None),
    (M1, "vslide1down.vx v8, v8, a2", None),
    (M1, "vadd.vv v0, v8, v9, v0.t", "holds v0"),
    (M1, "vle8.v v0, (a0), v0.t", "holds v0"),
    (M1, "vmerge.vvm v0, v8, v9, v0", "holds v0"),
    (M1, "vadc.vvm v0, v8, v9, v0", "holds v0"),
    (M1, "vsbc.vxm v0, v8, a2, v0", "holds v0"),
    (M1, "vmseq.vv v0, v8, v9, v0.t", None),
    (M1, "vmadc.vvm v0, v8, v9, v0", None),
    (M1, "vredsum.vs v0, v8, v9, v0.t", None),
    (M1, "vse8.v v0, (a0), v0.t", None),
    (M1, "vluxseg2ei8.v v8, (a0), v9", "not allowed for this instruction"),
    (M1, "vluxei8.v v8, (a0), v8", None),
    (E16, "vluxei8.v v8, (a0), v8", "narrower"),
    (MF2, "vslidedown.vi v8, v1, 8", None),
    ("vsetivli t0, 8, e8, m1", "vslidedown.vi v8, v1, 8", "element 8 of vs2 is read"),
    ("vsetivli t0, 8, e8, m1", "vslidedown.vi v8, v1, 16", None),
    ("vsetivli t0, 8, e8, m1", "vrgather.vi v8, v1, 9", "element 9 of vs2 is read"),
    ("vsetivli t0, 8, e8, m1", "vrgather.vi v8, v1, 16", None),
    ("vsetivli t0, 16, e8, m2", "vlseg2e8.v v8, (a0)", "the hardware puts the next field 1 behind, the standard 2"),
    (WHOLE2, "vlseg2e8.v v8, (a0)", None),
    ("vsetivli t0, 16, e8, m2", "vsseg2e8.v v8, (a0)", "the hardware puts the next field"),
    (M1, "vssseg2e8.v v8, (a0), x0", "segments of 2 bytes overlap"),
    (EMPTY, "vmv.x.s t0, v8", None),
    (EMPTY, "vcpop.m t0, v8", None),
    (EMPTY, "vmv8r.v v8, v16", None),
    (EMPTY, "vl8re32.v v8, (a0)", None),
    (EMPTY, "vs8r.v v8, (a0)", None),
]


@pytest.mark.parametrize(("setting", "line", "rule"), REFUSED)
def test_use_that_the_hardware_does_not_take_stops_with_its_rule(setting: str, line: str, rule: str | None) -> None:
    result = run(setting, line)
    if rule is None:
        assert result.status == "halted", result.trap
        return
    assert result.trap is not None
    assert result.trap.kind == "illegal_operands"
    assert rule in result.trap.message
    assert result.trap.span is not None
    assert (result.trap.span.text or "").strip() == line


@pytest.mark.parametrize(
    "line", ["vadd.vv v8, v9, v10", "vmv.x.s t0, v8", "vmv1r.v v8, v9", "vl1re8.v v8, (a0)", "vcpop.m t0, v8"]
)
@pytest.mark.parametrize(
    "before", ["", "li t1, 4\nvsetvl t0, a2, t1", "vsetvli t0, a2, e16, mf4", "vsetvli t0, a2, e32, mf2"]
)
def test_vector_instruction_without_a_legal_vtype_is_an_illegal_instruction(before: str, line: str) -> None:
    result = run(before, line)
    assert result.trap is not None
    found = cause_of(result.trap.kind, result.trap.detail)
    assert found is not None
    assert found[0] == 2


TRAPS = [  # lines, cause, value
    (["sw a0, 64(x0)"], 7, 64),
    (["lw a0, 64(x0)", "li t0, 0x18000", "lw a0, 0(t0)"], 5, 0x1_8000),
    (["li t0, 0x17fff", "lh a0, 0(t0)"], 5, 0x1_7FFF),
    (["li t0, 0x20400000", "sb a0, 0(t0)"], 7, 0x2040_0000),
    (["jr a0"], 1, 0x1_0100),
    (["jalr ra, 2(x0)"], 0, 2),
    (["ecall"], 11, 0),
    ([".word 0xffffffff"], 2, 0xFFFF_FFFF),
    (["csrr t0, 0xc00"], 2, 0),
    (["csrw mhartid, a0"], 2, 0),
    ([M1, "li t0, 0x20400000 - 8", "vle8.v v8, (t0)"], 5, 0x2040_0000),
    ([M1, "li t0, 64", "vse8.v v8, (t0)"], 7, 64),
    ([E32, "li t0, 0x17ffc", "vsse32.v v8, (t0), a2"], 7, 0x1_7FFF),
]


@pytest.mark.parametrize(("lines", "cause", "value"), TRAPS)
def test_trap_has_the_cause_and_the_value_that_the_hardware_reports(lines: list[str], cause: int, value: int) -> None:
    result = run(*lines)
    assert result.trap is not None
    assert cause_of(result.trap.kind, result.trap.detail) == (cause, value)


def test_ebreak_fails_the_run() -> None:
    result = run("ebreak")
    assert result.trap is not None
    assert result.trap.kind == "breakpoint"


CSRS = [  # lines, value of t0
    (["csrr t0, vlenb"], 16),
    (["csrr t0, misa"], 0x4020_1120),
    (["csrw misa, x0", "csrr t0, misa"], 0x4020_1120),
    (["csrr t0, vtype"], 0x8000_0000),
    (["csrr t0, mvendorid"], 0x426),
    (["csrr t0, vstart"], 0),
    (["csrwi vstart, 0", "csrr t0, vstart"], 0),
    (["csrwi vxrm, 7", "csrr t0, vxrm"], 3),
    (["csrwi vxsat, 6", "csrr t0, vxsat"], 0),
    (["csrw mscratch, a0", "csrr t0, mscratch"], 0x1_0100),
    ([WHOLE8, "csrr t0, vl"], 0),
    ([WHOLE8], 128),
    (["vsetvli t1, x0, e8, m4, ta, mu", "csrr t0, vl"], 64),
    (["vsetvli t1, x0, e8, m4, ta, mu", "csrr t0, vtype"], 0b0100_0010),
    ([WHOLE8, "vsetvli x0, x0, e32, m1", "csrr t0, vl"], 4),
    (["vsetivli t1, 3, e8, m1", "vsetvli x0, x0, e8, m8", "csrr t0, vl"], 3),
    (["vsetivli t1, 3, e8, m1", "vsetvli t0, a2, e32, mf2"], 0),
    (["vsetivli t1, 3, e8, m1", "vsetvli x0, a2, e16, mf4", "csrr t0, vtype"], 0x8000_0000),
    (["li t1, 0x100", "vsetvl t0, a2, t1"], 0),
    (["li t1, -1", "vsetvli t0, t1, e16, mf2"], 4),
    (["vsetivli t1, 4, e8, m1", "li t1, 0x85", "vmv.v.x v8, t1", "vmv.x.s t0, v8"], 0x85),
    (["li t1, 0x7f", M1, "vmv.v.x v8, t1", "vsadd.vi v8, v8, 1", "csrr t0, vxsat"], 1),
]


@pytest.mark.parametrize(("lines", "value"), CSRS)
def test_register_reads_as_on_the_hardware(lines: list[str], value: int) -> None:
    result = run(*lines)
    assert result.status == "halted", result.trap
    assert result.state["x"][5] == value


def test_anything_but_zero_in_vstart_stops_the_run() -> None:
    result = run("csrwi vstart, 1")
    assert result.trap is not None
    assert "only be written with 0" in result.trap.message


def test_tail_and_masked_off_elements_keep_their_values_under_every_policy() -> None:
    for policy in ("tu, mu", "ta, ma"):
        result = run(
            M1, "vmv.v.i v8, 7", "vmv.v.i v0, 5", f"vsetivli t0, 4, e8, m1, {policy}", "vadd.vi v8, v8, 1, v0.t"
        )
        assert np.asarray(result.state["v"])[8].tolist() == [8, 7, 8, 7] + [7] * 12


def test_bits_of_a_compare_at_and_above_vl_keep_their_values() -> None:
    result = run(M1, "vmv.v.i v8, -1", "vsetivli t0, 3, e8, m1", "vmseq.vi v8, v9, 1")
    assert np.asarray(result.state["v"])[8].tolist() == [0xF8] + [0xFF] * 15


def test_last_element_wins_where_a_store_writes_a_byte_twice() -> None:
    result = run(
        M1,
        "vid.v v8",
        "vsse8.v v8, (a0), x0",
        "vmv.v.i v9, 3",
        "vsuxei8.v v8, (a1), v9",
        "lbu t0, 0(a0)",
        "lbu t1, 3(a1)",
    )
    assert [int(result.state["x"][r]) for r in (5, 6)] == [15, 15]


def test_load_that_faults_changes_no_register() -> None:
    result = run(M1, "vmv.v.i v8, 7", "li t0, 0x203ffff8", "vle8.v v8, (t0)")
    assert result.trap is not None
    assert np.asarray(result.state["v"])[8].tolist() == [7] * 16


@pytest.mark.parametrize(
    ("preset", "kind"),
    [({"vl": 17, "vtype": 0}, "illegal_operands"), ({"vl": 1, "vtype": 0x18}, "illegal_instruction")],
)
def test_preset_that_no_vset_can_make_is_refused(preset: dict[str, int], kind: str) -> None:
    result = coral().simulate(coral().assemble("vadd.vv v8, v9, v10\nmpause"), preset)
    assert result.trap is not None
    assert result.trap.kind == kind


@pytest.mark.parametrize("line", ["vadd.vv v8, v9, v10", "vsetvl t0, x0, a2\nvle8.v v8, (a0)"])
def test_vector_instruction_without_a_legal_vtype_says_cause_and_value(line: str) -> None:
    program = coral().assemble(f"{line}\nmpause")
    trap = coral().simulate(program, {"x": {12: 0x18}}).trap
    assert trap is not None
    assert (trap.kind, trap.detail) == ("illegal_instruction", {"cause": 2, "value": 0})
