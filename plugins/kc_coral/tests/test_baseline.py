"""The compiled kernels: provenance, what their text may hold, and that the compiler still makes them."""

from __future__ import annotations

import importlib.util
import re

import pytest
from click.testing import CliRunner

from kc_coral import baseline
from kc_coral.baseline import build
from kc_coral.kernels import Kernels
from kc_coral.shapes import CONFIGS, TASKS
from kc_coral.workloads import workloads
from kernelcraft_core.cli.main import main
from kernelcraft_core.diagnostics import EvaluationError, PluginError

CELLS = [(task, config) for task in TASKS for config in CONFIGS]
DIRECTIVES = {
    *(".attribute .cfi_def_cfa_offset .cfi_endproc .cfi_offset .cfi_restore .cfi_startproc .comm .file .globl".split()),
    *(".ident .local .p2align .section .size .text .type".split()),
}
ZIG = importlib.util.find_spec("ziglang") is not None


def instructions(text):
    """Return (mnemonic, operands) of every instruction of an assembly text."""
    lines = re.findall(r"^\t([a-z][a-z0-9.]*)(?:\t(.*))?$", text, re.MULTILINE)
    return [(mnemonic, operands.split(", ")) for mnemonic, operands in lines]


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_was_made_of_the_c_that_is_here(task, config):
    made = baseline.provenance(baseline.text(task, config))
    assert made["source"] == f"{task}.c"
    assert made["sha256"] == baseline.digest(task), "the C has changed: run `kc baseline build --target coral`"
    assert made["macros"] == " ".join(baseline.macros(task, config))
    assert "clang" in made["compiler"]
    assert "-O2" in made["flags"].split()


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_is_one_function_without_library_calls(task, config):
    text = baseline.text(task, config)
    assert re.findall(r"^\t\.globl\t(\w+)", text, re.MULTILINE) == ["kernel"]
    assert {f".{name}" for name in re.findall(r"^\t\.([a-z0-9_]+)", text, re.MULTILINE)} <= DIRECTIVES
    found = instructions(text)
    mnemonics = {mnemonic for mnemonic, _ in found}
    assert not mnemonics & {"call", "tail", "jal", "jalr", "la"}
    assert not [m for m in mnemonics if re.match(r"f[a-z]|v?f(add|mul|mv)|c\.", m)]
    assert len(found) * 4 <= 8192 - 4 * 20


@pytest.mark.parametrize(("task", "config"), CELLS)
def test_kernel_keeps_off_what_the_hardware_does_otherwise(task, config):
    """Slides and gathers past vl, segments, and elements whose sign is taken from `vmv.x.s`."""
    found = instructions(baseline.text(task, config))
    assert not [m for m, _ in found if re.match(r"vslide|vrgather|vcompress|v[ls]s?seg|vluxseg|vloxseg", m)]
    width, narrow = None, []
    for mnemonic, operands in found:
        if mnemonic.startswith("vset"):
            width = operands[2]
        if mnemonic == "vmv.x.s" and width != "e32":
            narrow.append(operands[0])
    uses = [m for m, operands in found if narrow and operands[-1] == narrow[0] and m.startswith("v") and m != "vsetvli"]
    assert narrow == [] or (task == "softmax" and len(narrow) == 1 and uses[0] == "vrsub.vx")


def test_all_kernels_together_are_small():
    assert sum(len(baseline.text(*cell)) for cell in CELLS) < 400_000


def test_every_workload_has_its_kernel():
    for workload in workloads():
        kernel = Kernels().kernels(workload)[0]
        assert (kernel.kind, kernel.passes) == ("compiler", True)
        assert f"{workload.task}.c" in kernel.origin
        assert "kernel:" in kernel.source()


def test_digest_changes_with_a_header(monkeypatch):
    before = baseline.digest("gemm")
    assert list(baseline.sources("gemm")) == ["gemm.c", "matmul.h", "common.h"]
    real = baseline.sources
    monkeypatch.setattr(baseline, "sources", lambda task: {**real(task), "common.h": "changed"})
    assert baseline.digest("gemm") != before


# -------------------------------------------------------------------------------------------------------------- rebuilding


def workload_of(task, config):
    (found,) = [w for w in workloads() if (w.task, w.config) == (task, config)]
    return found


@pytest.mark.skipif(not ZIG, reason="ziglang is not installed")
def test_compiler_makes_the_committed_kernel_again():
    for task in ("relu", "ffn"):
        made = build.compiler("ziglang").make(workload_of(task, "C1"))
        kept = baseline.text(task, "C1")
        if baseline.provenance(made)["compiler"] != baseline.provenance(kept)["compiler"]:
            pytest.skip("another version of ziglang is installed")
        assert made == kept


def test_builder_keeps_its_kernels_where_scoring_reads_them(monkeypatch):
    monkeypatch.setitem(build._FINDERS, "clang", lambda: build.Compiler("cc 1", ("cc",), ()))
    builder = Kernels().builder("clang")
    for task, config in CELLS:
        file = builder.folder / builder.file(workload_of(task, config))
        assert file.read_text(encoding="utf-8") == baseline.text(task, config)


def no_compiler(monkeypatch):
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(build.shutil, "which", lambda name: None)


@pytest.mark.parametrize(
    ("wanted", "message"), [(None, "no compiler"), ("clang", "no clang"), ("ziglang", "no ziglang")]
)
def test_command_without_a_compiler_says_how_to_get_one(monkeypatch, tmp_path, wanted, message):
    no_compiler(monkeypatch)
    chosen = [] if wanted is None else ["--compiler", wanted]
    done = CliRunner().invoke(main, ["baseline", "build", "--target", "coral", *chosen, "--out", str(tmp_path)])
    assert done.exit_code == 3
    assert f"error[KC0630]: {message} for RISC-V vectors is installed" in done.stderr
    assert "pip install" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_old_clang_is_not_taken(monkeypatch):
    no_compiler(monkeypatch)
    monkeypatch.setattr(build.shutil, "which", lambda name: f"/usr/bin/{name}" if name == "clang" else None)
    monkeypatch.setattr(build, "_run", lambda command, folder=None: "Debian clang version 14.0.6")
    with pytest.raises(PluginError, match="no compiler"):
        build.compiler()
    monkeypatch.setattr(build, "_run", lambda command, folder=None: "Debian clang version 19.1.7")
    found = build.compiler()
    assert (found.name, found.command) == ("clang 19.1.7", ("/usr/bin/clang",))


def test_failing_compiler_gives_its_own_message(tmp_path):
    script = tmp_path / "cc"
    script.write_text("#!/bin/sh\necho 'relu.c:1: no such thing' >&2\nexit 1\n", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(EvaluationError, match="no such thing") as error:
        build.Compiler("cc 1", (str(script),), ()).make(workload_of("relu", "C1"))
    assert error.value.code == "KC0631"
