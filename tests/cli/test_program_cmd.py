"""`kc asm`, `kc disasm`, `kc sim`."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelcraft_core.cli.asm import command as asm
from kernelcraft_core.cli.disasm import command as disasm
from kernelcraft_core.cli.sim import command as sim

LOOP = """\
li x1, 5
loop: addi x1, x1, -1
beq x1, x0, done
jal x0, loop
done: sw x1, 0(x2)
halt
"""


# --- asm -----------------------------------------------------------------------------------------------------------


def test_asm_prints_hexadecimal_words(run: Any) -> None:
    result = run(asm, "-", "--target", "toy", stdin="addi x1, x0, -5\nhalt\n")
    assert (result.exit_code, result.stdout) == (0, "0xFFB00102\n0x0000000F\n")


def test_asm_writes_files_in_every_format(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "k.asm"
    source.write_text(LOOP)
    for form in ("hex", "bin", "listing"):
        out = tmp_path / form
        result = run(asm, str(source), "--target", "toy", "--out", str(out), "--format", form)
        assert result.exit_code == 0
        assert result.stdout == ""
    assert len((tmp_path / "bin").read_bytes()) == 24
    assert (tmp_path / "hex").read_text().count("0x") == 6
    assert "0008  00000603       3  beq x1, x0, done" in (tmp_path / "listing").read_text()


def test_asm_binary_goes_to_standard_output(run: Any) -> None:
    assert run(asm, "-", "--target", "toy", "--format", "bin", stdin="halt\n").stdout_bytes == b"\x0f\0\0\0"


def test_asm_json(run: Any) -> None:
    entry = json.loads(run(asm, "-", "--target", "toy", "--json", stdin=LOOP).stdout)
    assert (entry["ok"], entry["count"], entry["bytes"]) == (True, 6, 24)
    assert entry["symbols"]["loop"] == 4
    assert len(entry["words"]) == 6


def test_asm_reports_all_errors_with_places(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "k.asm"
    source.write_text("adi x1, x2, 3\naddi x1, x99, 3\naddi x1, x2, 99999\n")
    result = run(asm, str(source), "--target", "toy", "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert [line.split(": ")[0] for line in result.stderr.splitlines() if "error[" in line] == [
        f"{source}:1:1",
        f"{source}:2:10",
        f"{source}:3:14",
    ]
    assert not (tmp_path / "out").exists()
    entry = json.loads(run(asm, str(source), "--target", "toy", "--json").stdout)
    assert not entry["ok"]
    assert len(entry["diagnostics"]) == 3


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("none.asm", "--target", "toy"), 2, "KC0291"),
        ((".", "--target", "toy"), 2, "KC0291"),
        (("a\0b", "--target", "toy"), 2, "KC0291"),
        (("-",), 2, "--target"),
        (("-", "--target", "tyo"), 3, "did you mean toy"),
        (("-", "--target", "toy", "--out", "/nowhere/x"), 2, "KC0292"),
        (("-", "--target", "toy", "--format", "elf"), 2, "listing"),
    ],
)
def test_asm_wrong_use(run: Any, args: tuple[str, ...], code: int, text: str) -> None:
    result = run(asm, *args, stdin="halt\n")
    assert result.exit_code == code
    assert text in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "data",
    [b"\0" * 1000, b"\xff\xfe\x00", b"a" * 10_000_000, b"(" * 100_000, b"li x1, " + b"(" * 9000, b"\x1b[31mfoo\n"],
    ids=range(6),
)
def test_asm_of_hostile_input_ends_in_diagnostics(run: Any, data: bytes) -> None:
    start = time.perf_counter()
    result = run(asm, "-", "--target", "toy", stdin=data)
    assert result.exit_code == 1
    assert "error[KC02" in result.stderr
    assert len(result.stderr) < 20_000
    assert "\x1b" not in result.stderr
    assert time.perf_counter() - start < 60  # a guard against hangs, not a measurement


# --- disasm --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["hex", "bin"])
def test_disasm_of_asm_assembles_to_the_same(run: Any, tmp_path: Path, form: str) -> None:
    out = tmp_path / f"k.{form}"
    assert run(asm, "-", "--target", "toy", "--out", str(out), "--format", form, stdin=LOOP).exit_code == 0
    text = run(disasm, str(out), "--target", "toy")
    assert text.exit_code == 0
    first = run(asm, "-", "--target", "toy", stdin=LOOP).stdout
    assert run(asm, "-", "--target", "toy", stdin=text.stdout).stdout == first


def test_disasm_json_and_output(run: Any, tmp_path: Path) -> None:
    entry = json.loads(run(disasm, "-", "--target", "toy", "--json", stdin="0x0000000F # end\n\n; more\n").stdout)
    assert entry["text"].strip() == "halt"
    run(disasm, "-", "--target", "toy", "--out", str(tmp_path / "x.asm"), stdin="0000000F\n")
    assert (tmp_path / "x.asm").read_text().strip() == "halt"


@pytest.mark.parametrize(
    ("args", "data", "code", "text"),
    [
        ((), "halt\n", 1, "<stdin>:1:1: error[KC0254]"),
        ((), "0x0000000F\n0x123\n", 1, "odd number of digits"),
        ((), "\n".join(["zz"] * 100), 1, "KC0254"),
        ((), "0x" + "0" * 10_000, 1, "KC0254"),
        (("--base", "x"), "0000000F", 2, "--base"),
        (("--format", "bin"), b"\x0f\0", 1, "KC0252"),
        (("--format", "hex"), b"\xff\x00", 1, "KC0254"),
    ],
)
def test_disasm_of_what_is_no_code(run: Any, args: tuple[str, ...], data: str | bytes, code: int, text: str) -> None:
    result = run(disasm, "-", "--target", "toy", *args, stdin=data)
    assert result.exit_code == code
    assert text in result.stderr


# --- sim -----------------------------------------------------------------------------------------------------------


def simulate(run: Any, *args: str, source: str = LOOP) -> Any:
    """Run a program with `--json` and return (exit code, object)."""
    result = run(sim, "-", "--target", "toy", "--json", *args, stdin=source)
    return result.exit_code, json.loads(result.stdout)


def test_sim_prints_status_time_and_state(run: Any) -> None:
    args = ("--preset", "x[2]=0x1000", "--show", "x[1],x,dmem[0x1000:0x1004]", "--profile")
    result = run(sim, "-", "--target", "toy", *args, stdin=LOOP)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:4] == ["status   halted", "cycles   17", "instret  17", "latency  17 ns"]
    assert "x[1] = 0" in lines
    assert "dmem[0x1000:0x1004] = 00 00 00 00" in lines
    assert any(line.startswith("alu ") for line in lines)


def test_sim_json(run: Any) -> None:
    code, entry = simulate(run, "--preset", "x[2]=0x1000", "--show", "x[1],x[0:3],pc", "--profile")
    assert code == 0
    assert entry["schema"] == "kc.sim/1"
    assert (entry["status"], entry["cycles"], entry["instret"], entry["latency_ns"]) == ("halted", 17, 17, 17.0)
    assert entry["state"] == {"x[1]": 0, "x[0:3]": [0, 0, 4096], "pc": entry["state"]["pc"]}
    assert entry["profile"]["by_unit"] == {"alu": 16, "memory": 1}
    assert entry["trap"] is entry["limit"] is None


def test_sim_with_parameter_and_extension(run: Any) -> None:
    _, entry = simulate(run, "--set", "MUL_CYCLES=9", source="mul x1, x2, x3\nhalt\n")
    assert (entry["cycles"], entry["params"]["MUL_CYCLES"]) == (10, 9)
    _, entry = simulate(
        run, "--extension", "Xdouble", "--preset", "x[1]=21", "--show", "x[2]", source="dbl x2, x1\nhalt\n"
    )
    assert entry["state"] == {"x[2]": 42}
    assert entry["extensions"] == ["Xdouble"]


def test_sim_trap_ends_with_code_1_and_the_source_line(run: Any) -> None:
    result = run(sim, "-", "--target", "toy", stdin=LOOP)
    assert result.exit_code == 1
    assert "<stdin>:5:" in result.stderr
    assert "error[KC0401]" in result.stderr
    assert "trap     out_of_bounds at pc 16, line 5" in result.stdout
    code, entry = simulate(run)
    assert code == 1
    assert (entry["ok"], entry["trap"]["kind"], entry["trap"]["line"]) == (False, "out_of_bounds", 5)


@pytest.mark.parametrize(
    ("args", "kind"),
    [
        (("--limit-instructions", "100"), "instructions"),
        (("--limit-cycles", "100"), "cycles"),
        (("--limit-seconds", "0.05"), "wall_time"),
    ],
)
def test_sim_limits_end_with_code_1(run: Any, args: tuple[str, ...], kind: str) -> None:
    code, entry = simulate(run, *args, source="here: jal x0, here\n")
    assert code == 1
    assert (entry["status"], entry["limit"]["kind"]) == ("limit", kind)


@pytest.mark.parametrize("engine", ["auto", "closures", "generated"])
def test_sim_engines_agree(run: Any, engine: str) -> None:
    _, entry = simulate(run, "--engine", engine, "--preset", "x[2]=0x1000", "--show", "x")
    assert (entry["cycles"], entry["state"]["x"][2]) == (17, 4096)


def test_sim_reports_reads_of_undefined_memory(run: Any) -> None:
    source = "lw x1, 0(x2)\nhalt\n"
    _, entry = simulate(run, "--fill", "pattern", "--preset", "x[2]=0x1000", "--show", "x[1]", source=source)
    assert entry["undefined_reads"] == 1
    _, other = simulate(
        run, "--fill", "pattern", "--seed", "1", "--preset", "x[2]=0x1000", "--show", "x[1]", source=source
    )
    assert entry["state"] != other["state"]


def test_sim_writes_trace_and_code(run: Any, tmp_path: Path) -> None:
    trace, code = tmp_path / "t.json", tmp_path / "code.py"
    assert simulate(run, "--trace", str(trace), "--preset", "x[2]=0x1000")[0] == 0
    assert simulate(run, "--dump-code", str(code), "--engine", "generated", "--preset", "x[2]=0x1000")[0] == 0
    events = json.loads(trace.read_text())["traceEvents"]
    assert sum(e["ph"] == "X" for e in events) == 17
    assert {e["args"]["name"] for e in events if e["ph"] == "M"} == {"alu", "memory"}
    assert "def " in code.read_text()


# --- state in and out ----------------------------------------------------------------------------------------------

READ = "lw x1, 0(x2)\nlw x3, 8(x2)\nhalt\n"


@pytest.mark.parametrize("name", ["a.bin", "a.npy", "b.npy", "a.hex"])
def test_load_fills_memory_from_every_format(run: Any, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    values = np.array([7, 8, 9], np.uint32)
    if name == "a.bin":
        path.write_bytes(values.tobytes())
    elif name == "a.npy":
        np.save(path, values)
    elif name == "b.npy":
        np.save(path, values.astype(">u4"))
    else:
        path.write_text("# words\n07 00 00 00\n08000000 0x09 00_00_00 // end\n")
    for place in ("", "@0x1000"):
        _, entry = simulate(
            run, "--load", f"dmem={path}{place}", "--preset", "x[2]=0x1000", "--show", "x[1],x[3]", source=READ
        )
        assert entry["state"] == {"x[1]": 7, "x[3]": 9}


def test_load_at_an_address_and_over_another(run: Any, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(16)))
    (tmp_path / "b.bin").write_bytes(b"\xff" * 4)
    args = (
        "--load",
        f"dmem={tmp_path}/a.bin@4096",
        "--load",
        f"dmem={tmp_path}/b.bin@0x1008",
        "--preset",
        "dmem[0x1000]=1,2",
    )
    _, entry = simulate(run, *args, "--show", "dmem[0x1000:0x100c]", source="halt\n")
    assert entry["state"]["dmem[0x1000:0x100c]"] == "0102020304050607ffffffff"


def test_load_registers_from_numbers(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "r.npy", np.arange(5))
    (tmp_path / "r.bin").write_bytes(np.arange(3, dtype="<u4").tobytes())
    for args, want in (
        (("--load", f"x={tmp_path}/r.npy"), [0, 1, 2, 3, 4]),
        (("--load", f"x={tmp_path}/r.bin@3"), [0, 0, 0, 0, 1]),
        (("--preset", "x[1]=7,8,0x9"), [0, 7, 8, 9, 0]),
    ):
        _, entry = simulate(run, *args, "--show", "x[0:5]", source="halt\n")
        assert entry["state"]["x[0:5]"] == want


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--load", "dmem"), "KC0522"),
        (("--load", "=x"), "KC0522"),
        (("--load", "dmem="), "KC0522"),
        (("--load", "dmen={t}/ok.bin"), "KC0510"),
        (("--load", "dmem={t}/none.bin"), "KC0520"),
        (("--load", "dmem={t}"), "KC0520"),
        (("--load", "dmem=a\0b"), "KC0520"),
        (("--load", "dmem={t}/big.bin"), "KC0513"),
        (("--load", "dmem={t}/ok.bin@0x1ffd"), "KC0513"),
        (("--load", "dmem={t}/ok.bin@0"), "KC0513"),
        (("--load", "dmem={t}/ok.bin@99999999999999999999"), "KC0513"),
        (("--load", "dmem={t}/fake.npy"), "KC0521"),
        (("--load", "dmem={t}/pickle.npy"), "KC0521"),
        (("--load", "dmem={t}/liar.npy"), "KC0521"),
        (("--load", "dmem={t}/text.hex"), "KC0521"),
        (("--load", "dmem={t}/odd.hex"), "KC0521"),
        (("--load", "x={t}/ok3.bin"), "KC0521"),
        (("--load", "x={t}/two.npy"), "KC0511"),
        (("--load", "x={t}/many.npy"), "KC0513"),
        (("--load", "x={t}/float.npy"), "KC0511"),
        (("--preset", "x"), "KC0522"),
        (("--preset", "x[1]"), "KC0522"),
        (("--preset", "x[1]="), "KC0522"),
        (("--preset", "x[-1]=1"), "KC0522"),
        (("--preset", "x[1]=a"), "KC0522"),
        (("--preset", "x[1]=__import__('os')"), "KC0522"),
        (("--preset", "x[1]=" + "9" * 9000), "KC0522"),
        (("--preset", "y[1]=1"), "KC0510"),
        (("--preset", "x[16]=1"), "KC0512"),
        (("--preset", "x[1]=1.5"), "KC0511"),
        (("--preset", "x[1]=0x100000000"), "KC0512"),
        (("--preset", "dmem[0x1000]=256"), "KC0522"),
        (("--preset", "dmem[0]=1"), "KC0513"),
        (("--show", "y"), "KC0510"),
        (("--show", "x[1"), "KC0522"),
        (("--show", "x[]"), "KC0522"),
        (("--show", ""), "KC0522"),
        (("--show", "x[0:17]"), "KC0523"),
        (("--show", "dmem[0:4]"), "KC0523"),
        (("--show", "x[3:1]"), "KC0523"),
        (("--trace", "/nowhere/t.json"), "KC0292"),
    ],
)
def test_wrong_state_on_the_command_line_is_usage(run: Any, tmp_path: Path, args: tuple[str, ...], code: str) -> None:
    (tmp_path / "ok.bin").write_bytes(b"1234")
    (tmp_path / "ok3.bin").write_bytes(b"123")
    (tmp_path / "big.bin").write_bytes(b"\0" * 5000)
    (tmp_path / "fake.npy").write_bytes(b"not numpy")
    (tmp_path / "text.hex").write_text("hello")
    (tmp_path / "odd.hex").write_text("123")
    np.save(tmp_path / "pickle.npy", np.array([{}], object), allow_pickle=True)
    header = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"
    (tmp_path / "liar.npy").write_bytes(header.ljust(127) + b"\n" + b"\0" * 16)
    np.save(tmp_path / "two.npy", np.zeros((2, 2), np.uint32))
    np.save(tmp_path / "many.npy", np.zeros(17, np.uint32))
    np.save(tmp_path / "float.npy", np.zeros(2))
    result = run(
        sim, "-", "--target", "toy", "--json", *(a.replace("{t}", str(tmp_path)) for a in args), stdin="halt\n"
    )
    assert result.exit_code == 2
    entry = json.loads(result.stdout)
    assert (entry["ok"], entry["diagnostics"][0]["code"]) == (False, code)
    assert len(result.stdout) < 3000


def test_sim_of_a_program_that_does_not_assemble(run: Any) -> None:
    code, entry = simulate(run, source="nothing\n")
    assert code == 1
    assert entry["diagnostics"][0]["code"] == "KC0201"


def test_sim_of_hostile_input_ends_in_diagnostics(run: Any) -> None:
    for data in (b"\0\1\2", os.urandom(4000), b"\xff" * 100):
        result = run(sim, "-", "--target", "toy", stdin=data)
        assert result.exit_code == 1
        assert "KC02" in result.stderr


@pytest.mark.parametrize("command", [asm, disasm, sim])
def test_help_has_an_example(run: Any, command: Any) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"kc {command.name} " in result.stdout
