"""`kc report`: its formats are renderings of one data structure, and what it writes."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Kc = Callable[..., Result]


@pytest.fixture
def run(write_run: Any, make: Any) -> str:
    samples = make.experiment()
    missing = make.sample("mha", "C2", subject=make.model("local-7b"))
    return str(write_run(samples, planned=[*samples, missing]))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def block(text: str, title: str) -> list[list[str]]:
    """Return the lines of a table in text, split at two blanks."""
    lines = text.split(f"{title}\n\n", 1)[1].split("\n\n", 1)[0].splitlines()
    return [[cell.strip() for cell in line.strip().split("  ") if cell.strip()] for line in lines]


def test_text_has_tasks_by_level_and_both_numbers(kc: Kc, run: str) -> None:
    text = kc("report", run).stdout
    assert block(text, "npu: solved / attempted") == [
        ["acme/gpt-5.2 (reasoning=low)", "acme/gpt-5.2 (reasoning=high)", "local-7b"],
        ["Level 1: primitive", "1/2", "2/2", "0/2"],
        ["SiLU", "1/2", "2/2", "0/2"],
        ["Level 2: composite", "0/0", "1/1", "0/1"],
        ["Multi-head attention", "0/0", "1/1", "0/1"],
        ["Total", "1/2", "3/3", "0/3"],
        ["Rate", "50.0 %", "100.0 %", "0.0 %"],
        ["95 % Wilson interval", "9.5 to 90.5 %", "43.9 to 100.0 %", "0.0 to 56.1 %"],
    ]
    assert "acme/gpt-5.2 (reasoning=low): 1 harness error\nlocal-7b: 1 not run\n" in text
    assert "acme/gpt-5.2 (reasoning=high): geomean 2.00 over 2 of 3 passed (3 attempted)" in text
    assert re.search(r"^samples +9 of 10$", text, re.MULTILINE)


def test_text_shows_unknown_as_unknown_and_failures_by_class(kc: Kc, run: str) -> None:
    text = kc("report", run).stdout
    usage = {line[0]: line[1:] for line in block(text, "npu: tokens, price and time")}
    assert usage["local-7b"] == ["3", "30", "unknown", "60", "unknown", "unknown", "30.0 s", "4.5 s", "3.0 s"]
    assert usage["acme/gpt-5.2 (reasoning=low)"][1:6] == ["3,000", "1,200", "600", "150", "0.7500"]
    failures = {line[0]: line[1:] for line in block(text, "npu: failures by class")}
    assert failures["acme/gpt-5.2 (reasoning=low)"] == ["1/2", "0", "1", "0", "0", "1 provider"]
    assert failures["local-7b"] == ["0/3", "0", "1", "1", "1", "0"]


def test_partly_known_price_says_how_many_lack_it(kc: Kc, write_run: Any, make: Any) -> None:
    usage = {**make.agent()["usage"], "price_usd": None}
    who = make.model("m")
    samples = [
        make.sample("silu", c, subject=who, agent=make.agent(**m)) for c, m in (("C1", {}), ("C2", {"usage": usage}))
    ]
    assert "0.2500 + 1 unknown" in kc("report", str(write_run(samples))).stdout


def test_markdown_has_the_same_cells_as_text(kc: Kc, run: str) -> None:
    text, page = kc("report", run).stdout, kc("report", run, "--format", "markdown").stdout
    table = page.split("## npu: solved / attempted\n\n", 1)[1].split("\n\n", 1)[0].splitlines()
    cells = [[c.strip().removeprefix("&emsp;") for c in line.strip("|").split("|")] for line in table]
    assert [[c for c in row if c] for row in [cells[0], *cells[2:]]] == block(text, "npu: solved / attempted")
    assert {len(row) for row in cells} == {4}


def test_csv_and_json_hold_the_same_rows(kc: Kc, run: str) -> None:
    entry = json.loads(kc("report", run, "--json").stdout)
    assert (entry["schema"], entry["ok"], entry["header"]["samples"]) == ("kc.report/1", True, 9)
    for name in ("totals", "success", "cells", "usage", "tools", "failures"):
        found = rows(kc("report", run, "--format", "csv", "--table", name).stdout)
        expected = [{k: "" if v is None else str(v) for k, v in row.items()} for row in entry[name]]
        assert found == expected
    assert rows(kc("report", run, "--format", "csv").stdout)[0]["id"] == entry["cells"][0]["id"]
    assert "tables: totals, success" in kc("report", run, "--format", "csv", "--table", "x", exit_code=2).output


def test_out_writes_every_format_and_table(kc: Kc, run: str, tmp_path: Path) -> None:
    result = kc("report", run, "--out", str(tmp_path / "a" / "b"))
    assert result.stdout == ""
    names = {path.name for path in (tmp_path / "a" / "b").iterdir()}
    assert {"report.md", "report.json", "cells.csv", "totals.csv", "tools.csv"} <= names
    assert all(f"wrote {tmp_path / 'a' / 'b' / name}" in result.stderr for name in names)
    assert (tmp_path / "a" / "b" / "report.md").read_text() == kc("report", run, "--format", "markdown").stdout
    kc("report", run, "--out", str(tmp_path / "c"), "--format", "text")
    assert [path.name for path in (tmp_path / "c").iterdir()] == ["report.txt"]


def test_report_reads_only(kc: Kc, run: str) -> None:
    before = {path: path.read_bytes() for path in Path(run).rglob("*")}
    kc("report", run, "--published")
    assert {path: path.read_bytes() for path in Path(run).rglob("*")} == before


def test_published_cycles_of_the_installed_suites_stand_beside(kc: Kc, write_run: Any, make: Any) -> None:
    path = str(write_run([make.sample("triple", "C1", target="toy")], record={"targets": {}}))
    assert "cycles beside reported ones" not in kc("report", path).stdout
    text = kc("report", path, "--published").stdout
    assert block(text, "toy: cycles beside reported ones")[1] == ["triple/C1", "compiler", "100", "-", "45", "-"]


def test_published_success_has_its_own_columns(write_run: Any, make: Any) -> None:
    from kernelcraft_core.reports.blocks import blocks
    from kernelcraft_core.reports.data import PublishedResults, build
    from kernelcraft_core.reports.render import text
    from kernelcraft_core.results import load

    cited = [
        {"target": "npu", "task": "silu", "model": m, "solved": s, "attempted": 5}
        for m, s in (("gpt-5.2", 5), ("r1", 2))
    ]
    samples = [s for s in make.experiment() if s["subject"]["model"] == "acme/gpt-5.2"][3:]
    shown = text(blocks(build(load(write_run(samples)), PublishedResults((), cited))))
    assert block(shown, "npu: solved / attempted") == [
        ["acme/gpt-5.2", "reported", "reported r1"],
        ["Level 1: primitive", "2/2", "5/5", "2/5"],
        ["SiLU", "2/2", "5/5", "2/5"],
        ["Level 2: composite", "1/1", "-", "-"],
        ["Multi-head attention", "1/1", "-", "-"],
        ["Total", "3/3", "5/5", "2/5"],
        ["Rate", "100.0 %", "100.0 %", "40.0 %"],
        ["95 % Wilson interval", "43.9 to 100.0 %", "56.6 to 100.0 %", "11.8 to 76.9 %"],
    ]


def test_repeats_show_the_best_speedup_and_how_many_passed(kc: Kc, write_run: Any, make: Any) -> None:
    found = [("passed", 1.5), ("passed", 3.0), ("trap", None)]
    who = make.model("m")
    samples = [make.sample("silu", "C1", s, subject=who, repeat=i, speedup=v) for i, (s, v) in enumerate(found)]
    text = kc("report", str(write_run(samples))).stdout
    assert block(text, "npu: speedup over the baseline")[1] == ["SiLU", "3.00 (2/3)"]
    assert block(text, "npu: pass@k over repeats")[1] == ["m", "66.7 %", "100.0 %", "100.0 %"]


def test_header_names_the_experiment_and_not_its_grids(kc: Kc, write_run: Any, make: Any) -> None:
    study = {"name": "table-5", "grids": [{"repeats": 5}]}
    record = {"settings": {"draws": 3, "secret": False, "kinds": ["baseline"], "agent": study}}
    found = dict(block(kc("report", str(write_run(make.experiment(), record=record))).stdout, "What was run"))
    assert found["experiment"] == "table-5"
    assert found["inputs"] == "3 draws, from a given seed"
    assert found["model acme/gpt-5.2 (reasoning=low)"] == "reasoning low"
    assert not {"agent", "kinds"} & found.keys()


def test_many_subjects_are_folded_into_the_width_of_a_page(kc: Kc, write_run: Any, make: Any) -> None:
    names = [f"a-model-with-a-long-name-{i}" for i in range(9)]
    samples = [make.sample("silu", "C1", subject=make.model(name)) for name in names]
    text = kc("report", str(write_run(samples))).stdout
    table = text.split("npu: solved / attempted\n\n", 1)[1].split("npu: speedup", 1)[0]
    heads = [line.split() for line in table.splitlines() if line.startswith("  ") and "a-model" in line]
    assert [name for head in heads for name in head] == names
    assert len(heads) == 3
    assert max(len(line) for line in table.splitlines()) <= 120
    assert table.count("Total") == 3


def test_pass_at_k_has_steps_and_the_largest_k(kc: Kc, write_run: Any, make: Any) -> None:
    samples = [make.sample("silu", "C1", "trap" if i else "passed", repeat=i) for i in range(23)]
    found = rows(kc("report", str(write_run(samples)), "--format", "csv", "--table", "pass_at_k").stdout)
    assert [row["k"] for row in found] == ["1", "2", "3", "4", "5", "10", "20", "23"]
    assert [float(row["pass_at_k"]) for row in found] == pytest.approx([int(row["k"]) / 23 for row in found])


def test_empty_run_is_reported_as_not_run(kc: Kc, write_run: Any, make: Any) -> None:
    text = kc("report", str(write_run([], planned=[make.sample("silu", "C1")]))).stdout
    assert "samples           0 of 1" in text
    assert "compiler: 1 not run" in text
    assert "samples           0 of 0" in kc("report", str(write_run([], name="nothing"))).stdout


@pytest.mark.parametrize(
    "options", [["--figures"], ["--table", "cells"], ["--format", "csv", "--table", "cells", "--out", "x"]]
)
def test_options_that_do_not_go_together_are_refused(kc: Kc, run: str, options: list[str]) -> None:
    kc("report", run, *options, exit_code=2)


def test_missing_run_and_rescoring_are_refused(kc: Kc, run: str, tmp_path: Path) -> None:
    assert "KC0801" in kc("report", str(tmp_path / "none"), exit_code=2).stderr
    for name in ("none", "../..", ""):
        assert "KC0831" in kc("report", run, "--scores", name, exit_code=2).stderr


# --- figures ---------------------------------------------------------------------------------------------------------


def test_figures_without_matplotlib_are_refused_before_anything_is_written(
    kc: Kc, run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = kc("report", run, "--figures", "--out", str(tmp_path / "out"), exit_code=3)
    assert "KC0833" in result.stderr
    assert "pip install 'kernelcraft-core[reports]'" in result.stderr
    assert not (tmp_path / "out").exists()


def test_reports_without_figures_do_not_import_matplotlib(kc: Kc, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    kc("report", run, "--format", "markdown")


def test_figures_show_speedups_and_tokens_and_are_the_same_each_time(kc: Kc, run: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = []
    for name in ("a", "b"):
        kc("report", run, "--figures", "--out", str(tmp_path / name))
        files.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir() if p.suffix in (".svg", ".png")})
    assert set(files[0]) == {f"{what}-npu.{form}" for what in ("speedups", "tokens") for form in ("svg", "png")}
    assert files[0] == files[1]
    assert files[0]["speedups-npu.png"].startswith(b"\x89PNG")
    assert b"<svg" in files[0]["tokens-npu.svg"]


def test_figures_without_models_are_of_speedups_only(kc: Kc, write_run: Any, make: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = write_run([make.sample("silu", "C1", subject="$x_{$"), make.sample("silu", "C2", "trap")])
    kc("report", str(path), "--figures", "--out", str(tmp_path / "out"))
    names = {p.name for p in (tmp_path / "out").iterdir() if p.suffix == ".svg"}
    assert names == {"speedups-npu.svg"}


def test_interval_of_nothing_attempted_is_left_out() -> None:
    from kernelcraft_core.reports.blocks import _interval

    assert _interval(0, 0) == "-"
    assert _interval(1, 1).endswith("100.0 %")
