"""`kc isa show`, `kc isa check`, `kc isa diff`, `kc docs`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from kc_toy.isa import ISA
from kernelcraft_core.cli.docs import command as docs
from kernelcraft_core.cli.isa import command as isa

FMA = """\
schema = "kc.extension/1"
name = "Xfma"
extends = "toy"

[[instr]]
syntax = "fma rd:x, rs1:x, rs2:x"
encoding = "-{12} rs2 rs1 rd 0000 1001"
semantics = "x[rd] = x[rd] + x[rs1] * x[rs2]"
category = "mul"
unit = "alu"
latency = "MUL_CYCLES + 1"
doc = "Multiplies and adds."
examples = ["fma x1, x2, x3"]
"""


@pytest.fixture
def fma(tmp_path: Path) -> Any:
    """Return a function that writes the extension, with replacements, and returns the path."""

    def write(*changes: tuple[str, str]) -> str:
        text = FMA
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "Xfma.toml"
        path.write_text(text)
        return str(path)

    return write


# --- show ----------------------------------------------------------------------------------------------------------


def test_show_lists_all_instructions(run: Any) -> None:
    result = run(isa, "show", "toy")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()][:4] == ["NAME", "add", "sub", "xor"]


@pytest.mark.parametrize("name", ["addi", "ADDI"])
def test_show_describes_one_instruction(run: Any, name: str) -> None:
    result = run(isa, "show", "toy", name)
    assert result.exit_code == 0
    assert "### addi" in result.stdout
    assert "x[rd] = x[rs1] + imm" in result.stdout


def test_show_json_holds_the_whole_description(run: Any) -> None:
    entry = json.loads(run(isa, "show", "toy", "--json").stdout)
    assert entry["schema"] == "kc.isa/1"
    assert len(entry["instructions"]) == len(entry["description"]["instrs"]) == 13
    one = json.loads(run(isa, "show", "toy", "lw", "--json").stdout)
    assert [i["name"] for i in one["instructions"]] == ["lw"]


def test_show_with_extension_and_setting(run: Any, fma: Any) -> None:
    result = run(isa, "show", "toy", "fma", "--extension", fma(), "--set", "MUL_CYCLES=7")
    assert result.exit_code == 0
    assert "= 8 cycles" in result.stdout


def test_show_space_lists_free_opcodes(run: Any) -> None:
    assert "7 of 16 values are free" in run(isa, "show", "toy", "--space").stdout
    assert json.loads(run(isa, "show", "toy", "--space", "--json").stdout)["space"][0]["total"] == 16


@pytest.mark.parametrize(
    ("args", "code", "text"),
    [
        (("show", "toy", "adi"), 2, "did you mean"),
        (("show", "tyo"), 3, "did you mean toy"),
        (("show", "toy", "--extension", "Xduble"), 3, "did you mean Xdouble"),
        (("show", "toy", "--extension", "none.toml"), 2, "no such file"),
        (("show", "toy", "--machine", "tox"), 3, "did you mean toy"),
        (("show", "toy", "--set", "MUL_CYCLE=3"), 2, "did you mean MUL_CYCLES"),
        (("show", "toy", "--set", "MUL_CYCLES=0"), 2, "1..64"),
        (("show", "toy", "--set", "MUL_CYCLES"), 2, "PARAM=VALUE"),
        (("show",), 2, "TARGET"),
        (("show", "toy", "add\x1b[31m\0" + "x" * 5000), 2, "has no instruction"),
    ],
)
def test_wrong_use_gives_code_and_hint(run: Any, args: tuple[str, ...], code: int, text: str) -> None:
    result = run(isa, *args)
    assert result.exit_code == code
    assert text in result.stderr
    assert "\x1b" not in result.stderr
    assert result.stdout == ""


def test_wrong_use_is_one_json_object(run: Any) -> None:
    result = run(isa, "show", "tyo", "--json")
    assert result.exit_code == 3
    entry = json.loads(result.stdout)
    assert not entry["ok"]
    assert entry["diagnostics"][0]["code"] == "KC0305"


# --- check ---------------------------------------------------------------------------------------------------------


def test_check_of_a_good_proposal_says_what_it_adds(run: Any, fma: Any) -> None:
    result = run(isa, "check", fma())
    assert result.exit_code == 0
    assert "Xfma fits toy: 1 instruction\n" in result.stdout
    assert "adds" in result.stdout
    assert "4 cycles" in result.stdout
    assert "6 of 16 opcode values stay free" in result.stdout
    assert result.stderr == ""


def test_check_json_has_digest_cost_and_changes(run: Any, fma: Any) -> None:
    entry = json.loads(run(isa, "check", fma(), "--target", "toy", "--json").stdout)
    assert entry["ok"]
    assert entry["added"] == ["fma"]
    assert entry["cost"] == {"fma": {"unit": "alu", "text": "MUL_CYCLES + 1", "low": 4, "high": 4}}
    assert entry["digest"] != entry["base_digest"]
    assert {c["action"] for c in entry["changes"]} == {"added"}


def test_check_shows_replacement(run: Any, fma: Any) -> None:
    path = fma(("0000 1001", "0011 0001"), ('unit = "alu"', 'unit = "alu"\nreplaces = "mul"'))
    result = run(isa, "check", path)
    assert result.exit_code == 0
    assert "replaces mul" in result.stdout


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        (("x[rs2]", "x[rs3]"), "KC0124", 8),
        (("-{12}", "-{11}"), "KC0113", 7),
        (("1001", "0001"), "KC0114", 7),
        (('"mul"', '"mull"'), "KC0107", 9),
        (('"fma x1, x2, x3"', '"fma x1, x2"'), "KC0151", 13),
        (('"fma x1, x2, x3"', '"add x1, x2, x3"'), "KC0151", 13),
        (('"fma x1, x2, x3"', '"fma x1, x2, x3\\u0000"'), "KC0148", 13),
        (('"fma x1, x2, x3"', '"# nothing"'), "KC0151", 13),
        (("category", "categori"), "KC0147", 5),
        (("kc.extension/1", "kc.extension/9"), "KC0145", 1),
        (("Xfma", "Fma"), "KC0149", 2),
        (("MUL_CYCLES + 1", "MUL_CYCLE + 1"), "KC0124", 11),
        (("MUL_CYCLES + 1", "MUL_CYCLES - 4"), "KC0130", 11),
    ],
)
def test_check_of_a_wrong_proposal_points_into_the_file(
    run: Any, fma: Any, change: tuple[str, str], code: str, line: int
) -> None:
    path = fma(change)
    result = run(isa, "check", path)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert f"{path}:{line}:" in result.stderr
    assert code in result.stderr
    entry = json.loads(run(isa, "check", path, "--json").stdout)
    assert (entry["ok"], entry["diagnostics"][0]["code"], entry["diagnostics"][0]["line"]) == (False, code, line)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (('"MUL_CYCLES + 1"', "0"), "takes no time"),
        (('unit = "alu"', 'unit = "magic"'), "no unit 'magic'"),
        (('doc = "Multiplies and adds."\n', ""), "has no doc"),
        (('examples = ["fma x1, x2, x3"]\n', ""), "has no examples"),
    ],
)
def test_check_warns_of_what_a_reviewer_should_see(run: Any, fma: Any, change: tuple[str, str], text: str) -> None:
    result = run(isa, "check", fma(change))
    assert result.exit_code == 0
    assert "warning[KC0152]" in result.stderr
    assert text in result.stderr


def test_check_warns_of_a_cost_below_every_other_of_the_unit(run: Any, registry: Any, fma: Any) -> None:
    slow = [attrs.evolve(i, unit="slow") if i.syntax.startswith("mul") else i for i in ISA.instrs]
    registry.hook.kc_isa = lambda target: attrs.evolve(ISA, instrs=slow)
    path = fma(('unit = "alu"', 'unit = "slow"'), ('"MUL_CYCLES + 1"', "2"))
    assert "at most 2 cycles, less than every instruction of the unit 'slow' (3)" in run(isa, "check", path).stderr


def test_check_applies_what_is_required(run: Any, fma: Any) -> None:
    path = fma(('extends = "toy"', 'extends = "toy"\nrequires = ["Xdouble"]'), ("0000 1001", "0000 1010"))
    entry = json.loads(run(isa, "check", path, "--json").stdout)
    assert entry["added"] == ["fma"]
    assert (
        run(
            isa, "check", fma(("0000 1001", "0000 1010"), ('extends = "toy"', 'extends = "toy"\nrequires = ["Xnone"]'))
        ).exit_code
        == 3
    )


@pytest.mark.parametrize(
    ("pseudo", "code", "line"),
    [
        ("syntax = 'two rd:x'\nexpansion = ['fma {rd}, {rs}, {rd}']\n", "KC0124", 17),
        ("syntax = 'two rd:x'\nexpansion = ['fma {rd.real}, x1, x2']\n", "KC0122", 17),
        ("syntax = 'two rd:x'\nexpansion = ['']\n", "KC0240", 17),
        ("syntax = 'two rd:x'\nexpansion = ['add {rd}, x0, x0']\nwhen = 'rd >'\n", "KC0121", 18),
        ("syntax = 'two rd:y'\nexpansion = ['add {rd}, x0, x0']\n", "KC0102", 16),
        ("syntax = 'add rd:x'\nexpansion = ['add {rd}, x0, x0']\n", "KC0141", 16),
    ],
)
def test_check_of_a_wrong_pseudo_points_into_the_file(run: Any, fma: Any, pseudo: str, code: str, line: int) -> None:
    path = fma(("examples =", "note = ''\nexamples ="), ('x3"]\n', f'x3"]\n[[pseudo]]\n{pseudo}'))
    entry = json.loads(run(isa, "check", path, "--json").stdout)
    assert (entry["diagnostics"][0]["code"], entry["diagnostics"][0]["line"]) == (code, line)


def test_check_refuses_the_name_of_what_is_applied_already(run: Any, fma: Any) -> None:
    result = run(isa, "check", fma(("Xfma", "Xdouble")), "--extension", "Xdouble")
    assert result.exit_code == 1
    assert "KC0140" in result.stderr


def test_check_against_another_target_is_refused(run: Any, fma: Any) -> None:
    result = run(isa, "check", fma(('"toy"', '"other"')), "--target", "toy")
    assert result.exit_code == 1
    assert "KC0140" in result.stderr
    assert run(isa, "check", fma(('"toy"', '"other"'))).exit_code == 3


def test_hostile_files_are_refused(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    for data in (b"", b"\0" * 100, os.urandom(300), b"a" * 10_000_000, b"[" * 100_000, b"a." * 100_000, b"\xff" * 9):
        path.write_bytes(data)
        result = run(isa, "check", str(path))
        assert result.exit_code in (1, 2)
        assert "KC014" in result.stderr
        assert len(result.stderr) < 2000
    for name in (str(tmp_path), str(tmp_path / "none.toml"), "/dev/null"):
        result = run(isa, "check", name)
        assert result.exit_code == 2
        assert "KC0143" in result.stderr


# --- diff ----------------------------------------------------------------------------------------------------------


def test_diff_with_an_extension(run: Any, fma: Any) -> None:
    result = run(isa, "diff", "toy", "--extension", "Xdouble")
    assert result.exit_code == 0
    assert "+ instruction dbl: dbl rd:x, rs1:x" in result.stdout
    path = fma(("0000 1001", "0000 1010"))
    assert "+ instruction fma" in run(isa, "diff", "toy+Xdouble", f"toy+Xdouble+{path}").stdout


def test_diff_back_removes(run: Any) -> None:
    assert "- instruction dbl" in run(isa, "diff", "toy+Xdouble", "toy").stdout


def test_diff_json_has_the_schema(run: Any) -> None:
    entry = json.loads(run(isa, "diff", "toy", "--extension", "Xdouble", "--json").stdout)
    assert entry["schema"] == "kc.isa-diff/1"
    assert entry["changes"]


def test_diff_needs_two_sides(run: Any) -> None:
    assert run(isa, "diff", "toy").exit_code == 2
    assert run(isa, "diff", "toy", "toy").stdout.endswith("no differences\n")


# --- docs ----------------------------------------------------------------------------------------------------------


def test_docs_prints_the_reference(run: Any) -> None:
    result = run(docs, "toy")
    assert result.exit_code == 0
    assert result.stdout.startswith("# toy instruction set")


def test_docs_writes_all_pages(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pages"
    result = run(docs, "toy", "--out", str(folder), "--extension", "Xdouble")
    assert result.exit_code == 0
    assert sorted(p.name for p in folder.iterdir()) == ["guide.md", "index.md", "isa.md", "machine.md"]
    assert "Xdouble" in (folder / "isa.md").read_text()
    assert "`MUL_CYCLES`" in (folder / "machine.md").read_text()


def test_docs_prints_the_page_that_is_asked_for(run: Any) -> None:
    assert run(docs, "toy", "--page", "guide.md").stdout.startswith("# ")
    assert "`MUL_CYCLES` | 9 |" in run(docs, "toy", "--page", "machine.md", "--set", "MUL_CYCLES=9").stdout
    index = run(docs, "toy", "--page", "index.md").stdout
    assert re.findall(r"\((\S+\.md)\)", index) == ["isa.md", "guide.md", "machine.md"]
    result = run(docs, "toy", "--page", "guid.md")
    assert result.exit_code == 2
    assert "did you mean guide.md" in result.stderr


def test_docs_in_short_are_what_a_prompt_has(run: Any, kc: Any, tmp_path: Path) -> None:
    from kernelcraft_core.agent.sections import demoted

    short = run(docs, "toy", "--compact").stdout
    assert len(short) < len(run(docs, "toy").stdout)
    prompt = kc("prompt", "--target", "toy", "--task", "triple", "--config", "C1", "--part", "target").stdout
    assert demoted(short, 2).strip() in prompt
    assert run(docs, "toy", "--compact", "--out", str(tmp_path / "d")).exit_code == 0
    assert sorted(p.name for p in (tmp_path / "d").iterdir()) == ["guide.md", "index.md", "isa.md", "machine.md"]
    assert (tmp_path / "d" / "isa.md").read_text() == short


def test_docs_json_has_pages_or_files(run: Any, tmp_path: Path) -> None:
    assert "isa.md" in json.loads(run(docs, "toy", "--json").stdout)["pages"]
    entry = json.loads(run(docs, "toy", "--json", "--out", str(tmp_path / "d")).stdout)
    assert "isa.md" in entry["files"]


@pytest.mark.parametrize("name", ["../evil.md", "/etc/evil.md", "a/../../b.md", "", "c:\\x.md"])
def test_docs_page_that_leaves_the_folder_is_refused(run: Any, registry: Any, tmp_path: Path, name: str) -> None:
    registry.hook.kc_docs = lambda target: [{name: "x"}]
    result = run(docs, "toy", "--out", str(tmp_path / "d"))
    assert result.exit_code == 3
    assert "KC0311" in result.stderr
    assert not (tmp_path / "d").exists()


def test_docs_that_cannot_be_written_are_reported(run: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run(docs, "toy", "--out", str(tmp_path / "file"))
    assert result.exit_code == 2
    assert "KC0292" in result.stderr
