"""The back end `rtl`: files that are written, what comes back, and everything that may go wrong in between.

`stand_in.py` takes the part of a simulator made of the RTL; none is built here.
"""

from __future__ import annotations

import json
import re
import runpy
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kc_coral.rtl
import kernelcraft_core as kc
from kc_coral.rtl import ENV
from kc_coral.rtl.backend import LATENCIES
from kc_coral.rtl.contract import HALTED, REPORT, REQUEST, STATUSES, Memory, Request, read_report
from kc_coral.rtl.elf import EXECUTE, READ, WRITE, Segment, executable
from kernelcraft_core.diagnostics import KernelCraftError
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Extension
from kernelcraft_core.plugins import registry
from kernelcraft_core.sim import RunResult
from kernelcraft_core.tasks.catalogue import Catalogue

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "run-on-rtl.md"
STAND_IN = Path(__file__).with_name("stand_in.py")
SHELL = "#!/bin/sh\n"
GOOD = {"schema": "kc.coral_rtl_report/1", "status": "halted", "cycles": 9, "read_latency": 3, "write_latency": 3}
SIZES = {"dtcm": 32 << 10, "external": 4 << 20}
PROGRAM = """
  li t0, 0x20000000
  lw t1, 0(t0)
  lw t2, 0x100(t0)
  add t1, t1, t2
  la t3, word
  lw t4, 0(t3)
  add t1, t1, t4
  sw t1, 8(t0)
  sw t1, 8(t3)
  lw t5, 0(zero)
  vsetivli zero, 16, e8, m1
  vle8.v v3, (t0)
  mpause
.data
word: .word 0x1234
"""
"""Reads an input, undefined external memory, its data and its code; writes both memories."""


@pytest.fixture
def target() -> Target:
    return kc.target("coral")


@pytest.fixture
def simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that makes a text the RTL simulator that is set."""

    def use(text: str) -> Path:
        path = tmp_path / "simulator"
        path.write_text(text)
        path.chmod(0o755)
        monkeypatch.setenv(ENV, str(path))
        return path

    return use


@pytest.fixture
def stand_in(simulator: Callable[[str], Path]) -> Path:
    return simulator(f'{SHELL}exec {sys.executable} {STAND_IN} "$@"\n')


def run(target: Target, text: str = "mpause", state: Any = None, **options: Any) -> RunResult:
    return target.simulate(target.assemble(text), state, backend="rtl", **options)


# --- executables -----------------------------------------------------------------------------------------------------


SEGMENTS = st.lists(
    st.builds(
        Segment,
        st.integers(0, (1 << 28) - 1).map(lambda line: 16 * line),
        st.binary(max_size=80),
        st.sampled_from([READ | EXECUTE, READ | WRITE]),
    ),
    max_size=4,
)


@given(st.integers(0, (1 << 32) - 1), SEGMENTS)
def test_executable_read_back_by_offsets_of_the_standard_is_what_was_written(
    entry: int, segments: list[Segment]
) -> None:
    data = executable(entry, segments)
    assert data[:16] == b"\x7fELF" + bytes([1, 1, 1, 0]) + bytes(8)
    kind, machine, version, start, programs, sections, flags = struct.unpack_from("<HHIIIII", data, 16)
    assert (kind, machine, version, start, sections, flags) == (2, 243, 1, entry, 0, 0)
    header, size, count, _, section_count, names = struct.unpack_from("<6H", data, 40)
    assert (header, size, count, section_count, names) == (52, 32, len(segments), 0, 0)
    for number, segment in enumerate(segments):
        row = struct.unpack_from("<8I", data, programs + size * number)
        kind, offset, virtual, physical, filled, whole, flags, align = row
        assert (kind, virtual, physical, flags) == (1, segment.address, segment.address, segment.flags)
        assert filled == whole == len(segment.data)
        assert offset % align == virtual % align
        assert data[offset : offset + filled] == segment.data


# --- runs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fill", ["zero", "pattern"])
def test_program_leaves_the_memories_and_registers_that_it_leaves_on_the_core(
    target: Target, stand_in: Path, fill: str
) -> None:
    state = {"external": {0x2000_0000: bytes(range(1, 17))}, "dtcm": {0x1_0100: b"scratch"}}
    program = target.assemble(PROGRAM)
    results = [target.simulate(program, state, fill=fill, seed=5, backend=name) for name in ("core", "rtl")]
    core, rtl = (result.state for result in results)
    assert [result.status for result in results] == ["halted", "halted"]
    assert results[0].instret == results[1].instret
    assert results[1].cycles == 100 * results[1].instret
    assert rtl["pc"] == core["pc"]
    for name in ("x", "v", "itcm", "dtcm", "external"):
        assert np.array_equal(np.asarray(core[name]), np.asarray(rtl[name])), name
        assert np.asarray(core[name]).dtype == np.asarray(rtl[name]).dtype
    assert (int(core["external"][0x100]) == 0) == (fill == "zero")


def test_preset_pc_is_the_entry(target: Target, stand_in: Path) -> None:
    text = "li a0, 1\n mpause\n li a0, 2\n mpause"
    assert [int(run(target, text, {"pc": pc}).state["x"][10]) for pc in (0, 8)] == [1, 2]


def test_external_memory_is_in_the_file_when_something_is_in_it(target: Target, simulator: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.elf"
    simulator(f'{SHELL}cp "$2" {kept}\nexit 1\n')

    def addresses(**options: Any) -> list[int]:
        with pytest.raises(KernelCraftError):
            run(target, **options)
        data = kept.read_bytes()
        (count,) = struct.unpack_from("<H", data, 44)
        return [int.from_bytes(data[52 + 32 * i + 12 : 52 + 32 * i + 16], "little") for i in range(count)]

    assert addresses() == [0, 0x1_0000]
    assert addresses(fill="pattern") == [0, 0x1_0000, 0x2000_0000]
    assert addresses(state={"external": {0x2000_1000: b"x"}}) == [0, 0x1_0000, 0x2000_0000]


@pytest.mark.parametrize(
    ("text", "limits", "status", "kind"),
    [
        ("nop\n ebreak", kc.Limits(), "trap", "breakpoint"),
        ("j .", kc.Limits(cycles=5_000), "limit", "cycles"),
        ("j .", kc.Limits(instructions=5_000), "limit", "cycles"),  # no more cycles than instructions unless it is said
        ("nop\n nop\n mpause", kc.Limits(instructions=2, cycles=10_000), "limit", "instructions"),
        ("lw t0, 0(zero)\n sw t0, 0(zero)\n mpause", kc.Limits(cycles=5_000), "limit", "cycles"),
    ],
)
def test_end_of_a_program_that_does_not_halt(
    target: Target, stand_in: Path, text: str, limits: kc.Limits, status: str, kind: str
) -> None:
    result = run(target, text, limits=limits)
    found = result.trap or result.limit
    assert found is not None
    assert (result.status, found.kind) == (status, kind)
    assert not result.ok


def test_fault_is_placed_where_the_simulator_says(target: Target, simulator: Any) -> None:
    text = f"{SHELL}echo '{json.dumps({**GOOD, 'status': 'fault', 'pc': 4})}' > report.json\n"
    simulator(text)
    trap = run(target, "nop\n ebreak").trap
    assert trap is not None
    assert (trap.pc, trap.line, trap.diagnostic().line) == (4, 2, 2)
    simulator(text.replace(', "pc": 4', ""))
    trap = run(target, "nop\n ebreak").trap
    assert trap is not None
    assert (trap.line, "does not say where" in trap.message) == (None, True)


def test_cycles_beyond_the_limit_are_a_limit_whatever_the_simulator_says(target: Target, simulator: Any) -> None:
    writes = "".join(f"head -c {size} /dev/zero > {name}.bin\n" for name, size in SIZES.items())
    simulator(f"{SHELL}{writes}echo '{json.dumps(GOOD)}' > report.json\n")
    assert run(target, limits=kc.Limits(cycles=9)).status == "halted"
    assert run(target, limits=kc.Limits(cycles=8)).status == "limit"


def test_request_has_the_latencies_of_the_machine(simulator: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    simulator(f"{SHELL}cp request.json {kept}\nexit 1\n")
    with pytest.raises(KernelCraftError):
        run(kc.target("coral", overrides={"RL": 2, "WL": 5}), limits=kc.Limits(cycles=77))
    request = json.loads(kept.read_text())
    assert (request["cycles"], request["read_latency"], request["write_latency"]) == (77, 2, 5)
    assert {m["name"]: m["bytes"] for m in request["memories"]} == SIZES


def test_build_follows_the_content_of_the_binary(target: Target, simulator: Any) -> None:
    labels = []
    for text in ("one", "two two", "one"):
        simulator(text)
        labels.append(target.backend_label("rtl"))
    assert labels[0] == labels[2] != labels[1]
    assert labels[0].startswith("rtl@")


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [{"engine": "closures"}, {"strict": True}, {"trace": True}, {"timing": "none"}, {"state": {"x": [0, 1]}}],
    ids=lambda options: next(iter(options)),
)
def test_option_that_hardware_does_not_have_is_refused(target: Target, stand_in: Path, options: Any) -> None:
    with pytest.raises(KernelCraftError) as caught:
        run(target, **options)
    assert caught.value.code == "KC0461"


@pytest.mark.parametrize(
    ("state", "code"),
    [({"nosuch": 1}, "KC0510"), ({"external": {0: b"x"}}, "KC0513"), ({"pc": 0x1_0000}, "KC0461")],
)
def test_wrong_preset_is_refused_as_on_the_core(target: Target, stand_in: Path, state: Any, code: str) -> None:
    with pytest.raises(KernelCraftError) as caught:
        run(target, state=state)
    assert caught.value.code == code


def test_parameter_that_is_in_the_rtl_cannot_be_changed(stand_in: Path) -> None:
    with pytest.raises(KernelCraftError, match="WINDOW") as caught:
        run(kc.target("coral", overrides={"WINDOW": 4}))
    assert caught.value.code == "KC0461"


def test_extension_is_refused_unless_the_rtl_has_it(stand_in: Path) -> None:
    assert run(kc.target("coral", extensions=["Xzbb"])).ok
    with pytest.raises(KernelCraftError, match="Xother") as caught:
        run(kc.target("coral", extensions=[Extension("Xother", "coral")]))
    assert caught.value.code == "KC0461"


@pytest.mark.parametrize("what", ["", "/nowhere/simulator", "/", "plain.txt"])
def test_setting_without_a_simulator_is_refused_by_name(
    target: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").touch(0o644)
    monkeypatch.setenv(ENV, what)
    with pytest.raises(KernelCraftError) as caught:
        target.simulator("rtl")
    assert caught.value.code == "KC0460"
    assert ENV in str(caught.value)
    assert what in str(caught.value)


# --- simulators that fail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{SHELL}echo too bad >&2\nexit 7\n", "ended with 7"),
        (f"{SHELL}kill -9 $$\n", "signal 9"),
        (f"{SHELL}echo Info: nothing to report\n", "no report"),
        ("no program at all", "cannot be started"),
        (f"{SHELL}echo '{json.dumps(GOOD)}' > report.json\nexit 1\n", "ended with 1"),
    ],
)
def test_simulator_that_fails_is_an_error_with_its_last_words(
    target: Target, simulator: Any, text: str, reason: str
) -> None:
    simulator(text)
    with pytest.raises(KernelCraftError) as caught:
        run(target)
    (finding,) = caught.value.diagnostics
    assert (finding.code, reason in finding.message) == ("KC0462", True)
    words = {"too bad", "Info: nothing to report"}
    assert set(finding.notes) == {word for word in words if word in text}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema": "kc.coral_rtl_report/2"}, "schema"),
        ({"status": "done"}, "status"),
        ({"status": ["halted"]}, "status"),
        ({"cycles": 0}, "cycles"),
        ({"cycles": "9"}, "cycles"),
        ({"cycles": True}, "cycles"),
        ({"cycles": 1 << 63}, "cycles"),
        ({"instructions": -1}, "instructions"),
        ({"pc": 1 << 32}, "pc"),
        ({"read_latency": 2}, "read_latency"),
        ({"write_latency": None}, "write_latency"),
        ({"x": [0] * 31}, "x is"),
        ({"x": [0] * 31 + [-1]}, "x ="),
        ({"v": ["00" * 16] * 31}, "v is"),
        ({"v": ["00" * 15] * 32}, "v is"),
        ({"v": 3}, "v is"),
    ],
    ids=str,
)
def test_report_with_one_wrong_key_is_refused_by_its_name(tmp_path: Path, change: Any, reason: str) -> None:
    request = Request(10, {"read_latency": 3, "write_latency": 3}, (Memory("dtcm", 0x1_0000, 8),))
    (tmp_path / "dtcm.bin").write_bytes(bytes(8))
    (tmp_path / "report.json").write_text(json.dumps(GOOD))
    report = read_report(tmp_path, request)
    assert report is not None
    assert (report.status, report.cycles) == (HALTED, 9)
    (tmp_path / "report.json").write_text(json.dumps({**GOOD, **change}))
    with pytest.raises(KernelCraftError, match=reason) as caught:
        read_report(tmp_path, request)
    assert caught.value.code == "KC0463"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, "1" * 10_000, " " * (1 << 21)])
def test_report_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(KernelCraftError) as caught:
        read_report(tmp_path, Request(10, {}, ()))
    assert caught.value.code == "KC0463"


@pytest.mark.parametrize("size", [None, 7, 9])
def test_memory_that_is_missing_or_of_another_size_is_refused(tmp_path: Path, size: int | None) -> None:
    (tmp_path / "report.json").write_text(json.dumps(GOOD))
    if size is not None:
        (tmp_path / "dtcm.bin").write_bytes(bytes(size))
    with pytest.raises(KernelCraftError, match=r"dtcm\.bin") as caught:
        read_report(tmp_path, Request(10, {}, (Memory("dtcm", 0, 8),)))
    assert caught.value.code == "KC0463"


def test_simulator_that_hangs_is_ended_with_all_it_started(target: Target, simulator: Any, tmp_path: Path) -> None:
    mark = tmp_path / "child"
    simulator(f"{SHELL}sleep 60 &\necho $! > {mark}\nwait\n")
    with pytest.raises(KernelCraftError) as caught:
        run(target, limits=kc.Limits(wall_time=2.0))
    assert caught.value.code == "KC0464"
    child = Path("/proc", mark.read_text().strip(), "stat")
    for _ in range(100):  # a process that was ended is there until somebody has asked for it
        if not child.exists() or child.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the simulator's child is still running")


# --- scores ----------------------------------------------------------------------------------------------------------


def test_kernel_and_baseline_are_scored_on_the_same_back_end(stand_in: Path) -> None:
    evaluator = Evaluator(Catalogue(registry()), backend="rtl")
    workload = evaluator.catalogue.workload("coral", "relu", "C1")
    text = evaluator.catalogue.kernel(workload).source()
    baseline = evaluator.evaluate(workload, text, salt="s")
    score = evaluator.evaluate(workload, text, salt="s", baseline=baseline, baseline_kind="compiler")
    assert (score.status, score.speedup) == ("passed", 1.0)
    assert score.instret is not None
    assert score.cycles == 100 * score.instret
    assert score.backend == evaluator.target(workload).backend_label("rtl")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("kernel: ret", "mismatch"),
        ("kernel: ebreak", "trap"),
        ("kernel: j kernel", "limit"),
        ("x: ret", "syntax_error"),
    ],
)
def test_wrong_kernel_fails_as_on_the_core(stand_in: Path, text: str, status: str) -> None:
    evaluator = Evaluator(Catalogue(registry()), backend="rtl")
    workload = evaluator.catalogue.workload("coral", "relu", "C1")
    assert evaluator.evaluate(workload, text, salt="s").status == status


def test_simulator_that_fails_is_never_the_kernels_fault(simulator: Any) -> None:
    simulator(f"{SHELL}exit 1\n")
    evaluator = Evaluator(Catalogue(registry()), backend="rtl")
    workload = evaluator.catalogue.workload("coral", "relu", "C1")
    score = evaluator.evaluate(workload, evaluator.catalogue.kernel(workload).source(), salt="s")
    assert (score.status, score.diagnostics[-1].code) == ("harness_error", "KC0462")


# --- the page --------------------------------------------------------------------------------------------------------


def test_example_of_the_page_writes_what_is_read(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "example.py").write_text(code)
    runpy.run_path(str(tmp_path / "example.py"))["answer"](
        str(tmp_path / "program.elf"), "halted", 12, b"dtcm", b"external", 3
    )
    memories = (Memory("dtcm", 0, 4), Memory("external", 0, 8))
    report = read_report(tmp_path, Request(10, {"read_latency": 3, "write_latency": 3}, memories))
    assert report is not None
    assert (report.status, report.cycles, report.memories) == ("halted", 12, {"dtcm": b"dtcm", "external": b"external"})


def test_page_names_every_key_code_and_status() -> None:
    text = PAGE.read_text(encoding="utf-8")
    request = json.loads(Request(1, dict.fromkeys(LATENCIES, 1), (Memory("dtcm", 0, 8),)).text())
    words = {*request, *request["memories"][0], *GOOD, "instructions", "pc", "x", "v", *STATUSES, REQUEST, REPORT, ENV}
    assert [word for word in words if f"`{word}`" not in text] == []
    codes = re.findall(r"^\| (KC\d+) \|", kc_coral.rtl.__doc__ or "", re.MULTILINE)
    assert len(codes) == 5
    assert all(re.search(rf"^\| {code} \|", text, re.MULTILINE) for code in codes)
