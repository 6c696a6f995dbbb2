"""`kc bench --model` that is killed or interrupted at any moment, and continued."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from kernelcraft_core.agent.transcript import read
from kernelcraft_core.results import RunFolder

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kill_runs.py"
SLOW = """
schema = "kc.script/1"
[[turn]]
[[turn.call]]
tool = "write_code"
arguments = { assembly_code = "{{kernel:baseline}}" }
[[turn]]
[[turn.call]]
tool = "run_evaluation"
[[turn]]
delay_s = 60
text = "Done."
"""


@pytest.fixture(scope="module")
def kill_runs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelcraft_kill_runs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(("jobs", "kills"), [(1, 12), (2, 3)])
def test_run_killed_at_random_moments_and_continued_equals_an_undisturbed_one(
    kill_runs: ModuleType, tmp_path: Path, jobs: int, kills: int
) -> None:
    found = kill_runs.campaign(tmp_path, ["--model", "scripted:demo", "--repeats", "2"], kills, jobs, seed=7)
    assert found["problems"] == []
    assert (found["samples"], found["kills"] >= kills) == (4, True)


def test_check_of_killed_runs_sees_what_is_lost_or_twice(kill_runs: ModuleType, kc: object, tmp_path: Path) -> None:
    for name in ("whole", "other"):
        kc("bench", "--model", "baseline", "--seed", "s", "--jobs", "1", "--out", str(tmp_path / name))  # type: ignore[operator]
    whole, other = kill_runs.scores(tmp_path / "whole"), tmp_path / "other"
    assert list(kill_runs.differences(other, tmp_path / "whole", whole)) == []
    lines = (other / "samples.jsonl").read_text().splitlines(keepends=True)
    (other / "samples.jsonl").write_text(lines[0] + lines[0])
    (next((other / "transcripts").iterdir())).rename(tmp_path / "gone")
    (next((other / "kernels").rglob("*.asm"))).write_text("halt\n")
    with (other / "spent.jsonl").open("a") as stream:
        stream.write('{"iterations": 9}\n')
    problems = "; ".join(kill_runs.differences(other, tmp_path / "whole", whole))
    for words in ("2 samples of 1 cells", "kernels differ", "1 transcripts are missing", "were charged"):
        assert words in problems


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted_run_says_how_to_go_on_and_its_episodes_begin_anew(
    tmp_path: Path, jobs: str, wait_until: object
) -> None:
    script, path = tmp_path / "slow.toml", tmp_path / "run"
    script.write_text(SLOW)
    command = [sys.executable, "-m", "kernelcraft_core", "bench", "--model", f"scripted:{script}", "--jobs", jobs]
    process = subprocess.Popen(
        [*command, "--out", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    transcripts = path / "transcripts"

    def asleep() -> bool:
        texts = [file.read_text() for file in transcripts.glob("*.jsonl")]
        return sum('"passed"' in text for text in texts) == int(jobs)

    wait_until(asleep, "episodes in their last turn")  # type: ignore[operator]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert f"continue with: kc bench --resume {path}" in err
    assert "Traceback" not in err
    with RunFolder.resume(path) as folder:  # nobody holds it
        assert list(folder.samples()) == []
    begun = sorted(file.name for file in transcripts.iterdir())
    assert len(begun) == int(jobs)
    if jobs == "1":
        (file,) = transcripts.iterdir()
        assert list(read(file))[-1]["outcome"]["stopped"] == "interrupted"
    assert json.loads((path / "run.json").read_text())["model"][0]["model"] == f"scripted:{script}"
