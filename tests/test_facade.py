"""The facade: names, machines, parameters and extensions, wrong ones above all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kernelcraft_core as kc
from kernelcraft_core.isa import Extension, Instr
from kernelcraft_core.sim import Machine, Param

SQUARE = Extension(
    "Xsquare",
    "toy",
    instrs=[
        Instr(
            "sqr rd:x, rs1:x",
            "-{16} rs1 rd 0000 1001",
            "x[rd] = x[rs1] * x[rs1]",
            "mul",
            "alu",
            doc="Square.",
            examples=["sqr x1, x2"],
        )
    ],
)


def test_unknown_target_names_the_nearest() -> None:
    with pytest.raises(kc.PluginError) as caught:
        kc.target("toi")
    assert caught.value.code == "KC0305"
    assert "toy" in (caught.value.diagnostics[0].hint or "")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"machine": "toys"}, "KC0500"),
        ({"overrides": {"MUL_CYCLE": 1}}, "KC0501"),
        ({"overrides": {"MUL_CYCLES": 0}}, "KC0502"),
        ({"overrides": {"MUL_CYCLES": "many"}}, "KC0502"),
        ({"overrides": {"MUL_CYCLES": True}}, "KC0502"),
        ({"extensions": ["Xnone"]}, "KC0153"),
        ({"extensions": [SQUARE, Extension("Xsquare", "toy")]}, "KC0154"),
        ({"extensions": [Extension("Xother", "plena")]}, "KC0140"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], code: str) -> None:
    with pytest.raises(kc.KernelCraftError) as caught:
        kc.target("toy", **options)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_an_override_changes_the_cost_and_not_the_digest() -> None:
    plain, slow = kc.target("toy"), kc.target("toy", overrides={"MUL_CYCLES": "9"})
    program = plain.assemble("mul x1, x2, x3\nhalt\n")
    assert plain.isa.digest == slow.isa.digest
    assert plain.simulate(program).cycles + 6 == slow.simulate(program).cycles


def test_an_extension_adds_an_instruction_and_another_digest() -> None:
    base, more = kc.target("toy"), kc.target("toy", extensions=[SQUARE, SQUARE])
    assert more.extensions == ("Xsquare",)
    program = more.assemble("li x2, 7\nsqr x1, x2\nhalt\n")
    for engine in ("closures", "generated"):
        assert more.simulate(program, engine=engine).state["x"][1] == 49
    with pytest.raises(kc.SimulationError) as caught:
        base.simulate(program)
    assert caught.value.code == "KC0402"


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ({"y": [1]}, "KC0510"),
        ({"x": 5}, "KC0511"),
        ({"x": "abc"}, "KC0511"),
        ({"x": [[1]]}, "KC0511"),
        ({"x": [1.5]}, "KC0511"),
        ({"x": {1: True}}, "KC0511"),
        ({"x": {"1": 1}}, "KC0511"),
        ({"x": {16: 1}}, "KC0512"),
        ({"x": {1: -1}}, "KC0512"),
        ({"x": {1: 1 << 32}}, "KC0512"),
        ({"x": {0: 1}}, "KC0512"),
        ({"x": [0] * 17}, "KC0513"),
        ({"dmem": [1, 2]}, "KC0511"),
        ({"dmem": np.zeros(3)}, "KC0511"),
        ({"dmem": bytes(4097)}, "KC0513"),
        ({"dmem": {0: b"x"}}, "KC0513"),
        ({"dmem": {0x1FFF: b"xy"}}, "KC0513"),
        ({"dmem": {"a": b"x"}}, "KC0511"),
        ({"pc": -1}, "KC0512"),
        ({"pc": "0"}, "KC0511"),
    ],
)
def test_wrong_presets_are_named(state: dict[str, object], code: str) -> None:
    unit = kc.target("toy")
    with pytest.raises(kc.MachineError) as caught:
        unit.simulate(unit.assemble("halt"), state)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"engine": "fast"}, "KC0403"),
        ({"fill": "ones"}, "KC0403"),
        ({"timing": "exact"}, "KC0403"),
        ({"limits": kc.Limits(instructions=-1)}, "KC0404"),
        ({"limits": kc.Limits(cycles=1.5)}, "KC0404"),  # type: ignore[arg-type]
        ({"limits": kc.Limits(wall_time=float("nan"))}, "KC0404"),
    ],
)
def test_wrong_run_options_are_named(options: dict[str, object], code: str) -> None:
    unit = kc.target("toy")
    with pytest.raises(kc.SimulationError) as caught:
        unit.simulate(unit.assemble("halt"), **options)  # type: ignore[arg-type]
    assert caught.value.code == code


@pytest.mark.parametrize("engine", ["closures", "generated", "auto"])
def test_endless_loop_meets_the_wall_time(engine: str) -> None:
    unit = kc.target("toy")
    result = unit.simulate(
        unit.assemble("here: jal x1, here\n"), limits=kc.Limits(1 << 50, wall_time=0.2), engine=engine
    )
    assert result.status == "limit"
    assert result.limit is not None
    assert result.limit.kind == "wall_time"


@pytest.mark.parametrize("engine", ["closures", "generated"])
def test_undefined_reads_are_reported_with_their_line(engine: str) -> None:
    unit = kc.target("toy")
    program = unit.assemble("lw x1, 8(x2)\nsw x1, 64(x2)\nlw x3, 64(x2)\nhalt\n")
    state = {"x": {2: 0x1000}}
    result = unit.simulate(program, state, fill="pattern", seed=3, engine=engine)
    assert [(r.memory, r.address, r.line) for r in result.undefined_reads] == [("dmem", 0x1008, 1)]
    other = unit.simulate(program, state, fill="pattern", seed=4, engine=engine)
    assert result.state["x"][1] != other.state["x"][1]
    assert unit.simulate(program, state, engine=engine).state["x"][1] == 0


def test_views_are_read_only_and_lazy() -> None:
    unit = kc.target("toy")
    result = unit.simulate(unit.assemble("halt"), {"dmem": {0x1004: b"\x07"}})
    view = result.state["dmem"]
    assert view.shape == (4096,)
    assert np.asarray(view[:8]).tolist() == [0, 0, 0, 0, 7, 0, 0, 0]
    assert view.at(0x1004, 1).tolist() == [7]
    with pytest.raises(ValueError, match="read-only"):
        view[:8][0] = 1


def test_only_parameters_of_the_isa_reach_it() -> None:
    machine = Machine("m", (Param("MUL_CYCLES", 5), Param("WIRES", 3), Param("MODEL", "exact")))
    base = kc.target("toy").isa
    hook = SimpleNamespace(
        kc_isa=lambda target: base, kc_machines=lambda target: [machine], kc_isa_extensions=lambda: []
    )
    registry: Any = SimpleNamespace(targets={"toy": None}, hook=hook)
    unit = kc.target("toy", registry=registry)
    assert dict(unit.isa.params) == {**base.params, "MUL_CYCLES": 5}
    assert unit.isa.digest == base.digest


@pytest.mark.parametrize("engine", ["closures", "generated"])
def test_the_profile_has_a_line_for_what_ran_and_for_nothing_else(engine: str) -> None:
    unit = kc.target("toy")
    program = unit.assemble("li x1, 3\nbeq x0, x0, end\naddi x2, x2, 1\nmul x3, x3, x3\nend: sub x4, x4, x1\nhalt\n")
    profile = unit.simulate(program, engine=engine).profile
    assert [(p.line, p.mnemonic, p.count, p.cycles) for p in profile.lines] == [
        (1, "addi", 1, 1),
        (2, "beq", 1, 1),
        (5, "sub", 1, 1),
        (6, "halt", 1, 1),
    ]
    assert profile.counts == {"addi": 1, "beq": 1, "sub": 1, "halt": 1}
    assert profile.by_mnemonic == profile.counts
