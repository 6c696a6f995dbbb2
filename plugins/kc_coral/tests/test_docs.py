"""The pages in `docs/` and the README of the plug-in hold when they are followed, and their figures are those of the tests."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import kernelcraft_core as kc
from kc_coral.docs import pages
from kc_coral.isa import ISA
from kc_coral.timing_docs import costs
from kc_coral.timing_params import TimingParams
from kernelcraft_core.agent.tokens import estimate
from kernelcraft_core.cli.main import main
from kernelcraft_core.isa.compact import compact_reference
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import families
from kernelcraft_core.riscv import cause_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
README = (HERE.parent / "README.md").read_text(encoding="utf-8")
MACHINE = (ROOT / "docs" / "how-to" / "change-a-machine.md").read_text(encoding="utf-8")
TIMING = (ROOT / "docs" / "explanation" / "coral-timing.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def matches(wanted: str, given: str) -> bool:
    """Return whether `given` is what the page shows; `...` stands for anything."""
    pattern = ".*".join(re.escape(part.strip()) for part in wanted.strip().split("..."))
    return re.fullmatch(rf"{pattern}\s*", given.strip(), re.DOTALL) is not None


def run(command: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setenv("KERNELCRAFT_PLUGINS", "coral,tasks,plena")
    words = shlex.split(command)
    result = CliRunner().invoke(main, [*words[1:], *(["--jobs", "1"] if words[1] == "bench" else [])])
    assert result.exception is None or isinstance(result.exception, SystemExit), command
    return result


def table(page: str, head: str) -> list[list[str]]:
    """Return the cells of the table whose first title this is."""
    part = next(part for part in page.split("\n\n") if part.startswith(f"| {head} |"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines()[2:]]


# --- how-to and README ----------------------------------------------------------------------------------------------


def test_commands_of_the_page_on_machines_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("relu.s", "start.s"), blocks(MACHINE, "asm"), strict=True):
        Path(name).write_text(text)
    steps = [step.partition("\n") for session in blocks(MACHINE, "console") for step in session.split("$ ")[1:]]
    for command, _, wanted in steps:
        result = run(command, monkeypatch)
        assert matches(wanted, result.stderr if result.exit_code else result.stdout), command
    assert len(steps) >= 10


@pytest.mark.parametrize(("page", "shown"), [(README, True), (MACHINE, False)], ids=["readme", "machines"])
def test_python_of_the_pages_runs(page: str, shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = blocks(page, "python")
    scope: dict[str, Any] = {}
    exec(text, scope)  # noqa: S102
    printed = capsys.readouterr().out
    if shown:
        assert printed == blocks(page, "text")[0]
    else:
        least = scope["cycles"][0]
        assert scope["cycles"] == {latency: least + latency for latency in scope["cycles"]}


def test_commands_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for block in blocks(README, "sh") for line in block.splitlines() if line.startswith("kc docs")]
    assert len(lines) >= 2
    for line in lines:
        assert run(line.partition("#")[0], monkeypatch).exit_code == 0, line


def test_page_on_machines_names_parameters_that_can_be_set() -> None:
    declared = {p.name: p for p in kc.target("coral").machine.declared}
    named = set(
        re.findall(r"`([A-Z_]{2,})(?:=\d+)?`", " ".join(cell for row in table(MACHINE, "to ask") for cell in row))
    )
    assert named == {name for name, p in declared.items() if not p.fixed}


# --- the explanation ------------------------------------------------------------------------------------------------


def test_figures_of_the_explanation_are_the_numbers_of_measured_programs() -> None:
    vectors = HERE / "vectors"
    sizes = {
        name: json.loads((vectors / f"{name}.json").read_text()) for name in ("micro", "random", "kernels", "costs")
    }
    counts = [len(sizes[name]["programs"]) for name in ("micro", "random", "kernels")]
    claims = [cells[1] for cells in table(TIMING, "programs, measured on the RTL")]
    assert claims == [
        *(f"{n} of {n}" for n in counts),
        f"{len(sizes['costs']['rows']) - 1} of {len(sizes['costs']['rows'])}",
    ]
    by_hand = sum(row["how"].startswith("hand") for row in sizes["kernels"]["programs"])
    assert f"{counts[2] - by_hand} compiled and {by_hand} written by hand" in TIMING
    assert all(len(row["cycles"]) == 2 for row in sizes["kernels"]["programs"])


def test_deviation_of_vcompress_is_as_stated(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads((HERE / "vectors" / "costs.json").read_text())["rows"]
    (measured,) = (r["cost"] for r in rows if r["instruction"].startswith("vcompress") and r.get("lmul") == "m8")
    table_of = costs(kc.target("coral").isa, TimingParams(read_latency=2, write_latency=2))
    modelled = table_of.row("vcompress_vm")["one after another"].split(", ")[-1]
    assert f"{modelled} by the model, {measured:g} measured" in TIMING


# --- the table of costs ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made() -> CostTable:
    isa = kc.target("coral").isa
    return costs(isa, TimingParams(read_latency=2, write_latency=2))


MEASURED = {  # class of the table -> instructions of costs.json that it must have the costs of
    "valu n": ("vadd.vv independent", "vmax.vx vd,v8,zero", "vssra.vi vd,v8,1"),
    "valu 2n": ("vwadd.vv independent", "vnsra.wi", "vnclip.wi"),
    "valu 1": ("vmand.mm",),
    "valu to x": ("vmv.x.s",),
    "vmul n": ("vmul.vv independent", "vsmul.vv vd,v8,v8"),
    "vmul 2n": ("vwmul.vv independent", "vwmacc.vv independent"),
    "vprc n": ("vredsum.vs", "vredmax.vs", "vmseq.vv"),
    "vprc wide reduce n": ("vwredsum.vs",),
    "vprc permute n": ("vslidedown.vi vd,v8,3", "vslide1down.vx vd,v8,a4", "vrgather.vv vd,v8,v0"),
    "alu": ("add, independent",),
    "multiply": ("mul, independent",),
    "jump": ("jal to next",),
    "vset": ("vsetvli rs1",),
    "csr": ("csrr mcycle",),
}
SIZES = ("m1", "m2", "m4", "m8")


@pytest.mark.parametrize(("name", "instructions"), MEASURED.items())
def test_cost_of_a_class_is_the_measured_one(made: CostTable, name: str, instructions: tuple[str, ...]) -> None:
    rows = json.loads((HERE / "vectors" / "costs.json").read_text())["rows"]
    shown = made.rows[name][3].split(", ")
    for instruction in instructions:
        found = {row.get("lmul"): row["cost"] for row in rows if row["instruction"] == instruction}
        assert found
        for lmul, measured in found.items():
            assert abs(float(shown[SIZES.index(lmul) if lmul in SIZES else 0]) - measured) < 0.01, (instruction, lmul)


@pytest.mark.parametrize(
    ("name", "instruction"), [("vector load", "vle8.v"), ("vector store", "vse8.v"), ("segment load", "vlseg2e8.v")]
)
def test_cost_of_memory_is_the_measured_one(made: CostTable, name: str, instruction: str) -> None:
    rows = json.loads((HERE / "vectors" / "costs.json").read_text())["rows"]
    found = [row["cost"] for row in rows if row["instruction"] == instruction]  # DTCM, then external; m1 to m8 each
    shown = [re.findall(r"(?<= )\d+(?=[,;]|$)", part) for part in made.rows[name][3].split("; ")[:2]]
    sizes = len(found) // 2
    assert [float(n) for part in shown for n in part[:sizes]] == found


def test_every_instruction_has_a_class_and_members_of_a_family_share_it(made: CostTable) -> None:
    isa = kc.target("coral", extensions=["Xzbb"]).isa
    whole = costs(isa, TimingParams())
    assert set(whole.classes) == {d.name for d in isa}
    assert set(whole.classes.values()) == set(whole.rows)
    for family in families(isa, whole):
        assert len({whole.classes[d.name] for d in family.members}) == 1


def test_costs_of_memory_on_the_hardware_page_follow_the_latencies() -> None:
    rows = dict((cells[0], cells[1]) for cells in table(pages()["hardware.md"], "operation"))
    for latency in (0, 2, 3, 9):
        made = costs(kc.target("coral").isa, TimingParams(read_latency=latency, write_latency=latency))
        for name, title in (("vector load", "load from"), ("vector store", "store to")):
            text = rows[f"16-byte register, {title} DTCM / external"].split(" / ")
            wanted = [int(text[0]), latency + int(text[1].split(" + ")[1])]
            paces = [
                [float(n) for n in part.split(" ", 1)[1].split(", ")] for part in made.rows[name][3].split("; ")[:2]
            ]
            assert [(pace[3] - pace[2]) / 4 for pace in paces] == wanted
        assert f"external {latency + 4}" in made.rows["load"][2]


# --- the references -------------------------------------------------------------------------------------------------


def test_short_reference_names_every_instruction_and_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    text = run("kc docs coral --compact", monkeypatch).stdout
    target = kc.target("coral")
    found = families(target.isa, target.machine.cost_table(target.isa))
    for family in found:
        assert f"**`{family.text(lambda d: d.mnemonic)}" in text
        assert family.expand(family.text(lambda d: d.mnemonic)) == tuple(d.mnemonic for d in family.members)
        assert family.expand(family.text(lambda d: d.record.semantics)) == tuple(
            d.record.semantics.strip() for d in family.members
        )
    assert len(text) < 70_000
    assert "1 cycle" not in text


def test_full_reference_tells_no_latency_of_an_instruction_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = run("kc docs coral", monkeypatch).stdout
    assert "- latency" not in text
    assert text.count("- costs as [") > 180
    assert len(text) < 280_000


def test_size_in_the_page_on_prompts_is_that_of_the_short_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "explanation" / "the-prompt.md").read_text(encoding="utf-8")
    instructions, tokens = re.findall(r"the (\d+) instructions of Coral at ~([\d,]+) tokens", page)[0]
    assert int(instructions) == len(kc.target("coral").isa)
    assert abs(estimate(run("kc docs coral --compact", monkeypatch).stdout) / int(tokens.replace(",", "")) - 1) < 0.03


def test_instructions_are_shown_with_the_costs_of_their_class(monkeypatch: pytest.MonkeyPatch) -> None:
    row = kc.target("coral").machine.cost_table(kc.target("coral").isa)
    assert row is not None
    one = run("kc isa show coral vadd.vv", monkeypatch).stdout
    assert f"first result {row.row('vadd_vv')['first result']}; one after another {row.rows['valu n'][3]}" in one
    listed = run("kc isa show coral", monkeypatch).stdout.splitlines()
    assert "COSTS AS" in listed[0]
    assert any("valu n" in line for line in listed if line.startswith("vadd_vv "))
    (entry,) = json.loads(run("kc isa show coral vadd.vv --json", monkeypatch).stdout)["instructions"]
    assert entry["latency"] is None
    assert entry["cost"]["class"] == "valu n"


# --- what the pages say of choices, where no other test does ---------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "says", "lines", "outcome"),
    [
        (
            "guidance.md",
            "a fault of any element stops the run",
            "li a0, 0x203ffff8\nvle8ff.v v8, (a0)",
            (5, 0x2040_0000),
        ),
        ("hardware.md", "(cause 2, value 0)", "vsetvli t0, x0, e32, mf2\nvadd.vv v8, v9, v10", (2, 0)),
        ("guidance.md", "code cannot change itself", "sw x0, 0(x0)", (7, 0)),
    ],
)
def test_trap_that_a_page_tells_of_happens(page: str, says: str, lines: str, outcome: tuple[int, int]) -> None:
    assert says in " ".join(pages()[page].split())
    coral = kc.target("coral")
    result = coral.simulate(coral.assemble(f"vsetivli t0, 16, e8, m1\n{lines}\n.word 0x08000073"))
    assert result.trap is not None
    assert cause_of(result.trap.kind, result.trap.detail) == outcome


def test_fault_only_first_load_leaves_vl_as_it_is() -> None:
    assert "and vl stays as it is" in " ".join(pages()["guidance.md"].split())
    coral = kc.target("coral")
    text = "li a0, 0x203ffff0\nvsetivli t0, 16, e8, m1\nvle8ff.v v8, (a0)\ncsrr t1, vl\n.word 0x08000073"
    result = coral.simulate(coral.assemble(text))
    assert (result.status, result.state["x"][6]) == ("halted", 16)


def test_pseudo_instruction_names_each_case_once() -> None:
    lines = [line for line in compact_reference(ISA).splitlines() if " stands for " in line]
    assert len(lines) > 50
    for line in lines:
        cases = line.partition(" stands for ")[2].rstrip(".").split(", else ")
        assert len(set(cases)) == len(cases), line
