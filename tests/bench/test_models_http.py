"""`kc bench --model` with a service on loopback, through the real litellm: what is asked, paid and refused."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="the extra `agent` is not installed"),
    pytest.mark.filterwarnings(r"ignore::Warning:(pydantic|litellm)(\..*)?"),
]

SERVER = Path(__file__).parents[1] / "agent" / "server.py"
KERNEL = "lui x1, 1\nli x2, 4\nnext:\nlw x3, 0(x1)\nadd x4, x3, x3\nadd x4, x4, x3\nsw x4, 1024(x1)\n"
KERNEL += "addi x1, x1, 4\naddi x2, x2, -1\nbltu x0, x2, next\nhalt\n"
KEY = "sk-test-0123456789abcdef"


@pytest.fixture(scope="module")
def fake() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernelcraft_fake_service", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bench(kc: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that runs the first configuration with a server's model."""
    monkeypatch.setenv("KC_TEST_KEY", KEY)

    def run(server: Any, *more: str, exit_code: int = 0, name: str = "run") -> dict[str, Any]:
        settings = [
            f"base_url={server.url}",
            "api_key_env=KC_TEST_KEY",
            "retries=0",
            'price={"input": 100.0, "output": 500.0}',
        ]
        words = [word for setting in settings for word in ("--model-set", setting)]
        command = ("bench", "--model", "local", *words, "--config", "C1", "--jobs", "1", "--json")
        entry: dict[str, Any] = json.loads(
            kc(*command, "--out", str(tmp_path / name), *more, exit_code=exit_code).stdout
        )
        return entry

    return run


def test_service_that_solves_the_task_is_counted_priced_and_its_key_written_nowhere(
    fake: ModuleType, bench: Any, tmp_path: Path
) -> None:
    turns = [
        fake.reply(calls=[("write_code", json.dumps({"assembly_code": KERNEL}))]),
        fake.reply(calls=[("run_evaluation", "")]),
        fake.reply("Done."),
    ]
    with fake.Server(turns) as server:
        (sample,) = bench(server)["samples"]
        assert len(server.requests) == 3
    assert (sample["status"], sample["agent"]["iterations"], sample["agent"]["first_correct"]) == ("passed", 3, 2)
    usage = sample["agent"]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (300, 60)
    assert usage["price_usd"] == pytest.approx(300 * 100e-6 + 60 * 500e-6)
    assert not [file for file in (tmp_path / "run").rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]


def test_service_that_refuses_the_key_is_asked_once_only(fake: ModuleType, bench: Any) -> None:
    with fake.Server([fake.status(401)] * 9) as server:
        entry = bench(server, "--repeats", "4", exit_code=1)
        assert len(server.requests) == 1
    assert [s["agent"]["error"]["kind"] for s in entry["samples"]] == ["auth"]
    assert [d["code"] for d in entry["diagnostics"]] == ["KC0777"]
    assert "3 more episodes" in entry["diagnostics"][0]["message"]


def test_price_limit_of_a_run_holds_for_all_its_episodes(fake: ModuleType, bench: Any, tmp_path: Path) -> None:
    with fake.Server([fake.reply("I would rather not.")] * 20) as server:
        entry = bench(server, "--repeats", "4", "--run-max-price", "0.05", exit_code=1)
        assert len(server.requests) == 3  # 0.02 each: the third one goes beyond
    assert len(entry["samples"]) == 1
    assert [d["code"] for d in entry["diagnostics"]] == ["KC0776"]


def test_missing_key_is_said_before_any_episode_begins(
    kc: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    args = ("bench", "--model", "gpt-5.2", "--target", "toy", "--config", "C1", "--out", str(tmp_path / "run"))
    result = kc(*args, exit_code=3)
    assert "KC0736" in result.stderr
    assert "export OPENAI_API_KEY=..." in result.stderr
    assert not (tmp_path / "run" / "transcripts").exists()


def test_unknown_service_is_said_before_any_episode_begins(kc: Callable[..., Any], tmp_path: Path) -> None:
    args = ("bench", "--model", "gpt-5.3x", "--target", "toy", "--config", "C1", "--out", str(tmp_path / "run"))
    result = kc(*args, exit_code=2)
    assert "KC0730" in result.stderr
    assert "did you mean gpt-5.2?" in result.stderr


def test_model_without_a_key_is_a_warning_beside_one_that_runs(
    kc: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    models = ("--model", "gpt-5.2", "--model", "scripted:demo")
    result = kc("bench", *models, "--target", "toy", "--config", "C1", "--out", str(tmp_path / "run"), exit_code=1)
    assert "warning[KC0736]" in result.stderr
    samples = [json.loads(line) for line in (tmp_path / "run" / "samples.jsonl").read_text().splitlines()]
    assert {s["subject"]["model"]: s["status"] for s in samples} == {
        "gpt-5.2": "harness_error",
        "scripted:demo": "passed",
    }
