"""Run folders that nobody ran: a few models on an invented target, written line by line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

MACHINE = {"machine": {"name": "m1", "values": {"LANES": 4}}, "extensions": [], "isa_digest": "d" * 64}
SETTINGS = {
    "targets": [],
    "tasks": [],
    "levels": [],
    "configs": [],
    "kinds": ["baseline"],
    "given": False,
    "draws": 2,
    "salt": "never-to-be-shown",
    "secret": True,
    "overrides": {},
    "extensions": [],
}
LEVELS = {"silu": 1, "gemm": 1, "mha": 2}
TITLES = {"silu": "SiLU", "gemm": "GEMM", "mha": "Multi-head attention"}


def agent(**more: Any) -> dict[str, Any]:
    """Return the record of an episode."""
    entry: dict[str, Any] = {
        "iterations": 5,
        "evaluations": 2,
        "tool_calls": {"write_code": 3, "run_evaluation": 2},
        "stopped": "finished",
        "failure": None,
        "events": {"malformed_arguments": 1, "retries": 0},
        "first_correct": 4,
        "best_iteration": 5,
        "usage": {
            "input_tokens": 1000,
            "cached_tokens": 400,
            "output_tokens": 200,
            "reasoning_tokens": 50,
            "price_usd": 0.25,
        },
        "seconds": {"model": 10.0, "tools": 1.5},
        "transcript": None,
    }
    return {**entry, **more}


def model(name: str, **settings: Any) -> dict[str, Any]:
    return {"kind": "model", "model": name, "settings": settings}


def sample(task: str, config: str, status: str = "passed", subject: Any = "compiler", **more: Any) -> dict[str, Any]:
    """Return a sample; its id is made of what it is of."""
    who = {"kind": subject} if isinstance(subject, str) else subject
    passed = status == "passed"
    entry = {
        "schema": "kc.sample/1",
        "version": "0.1.0",
        "target": "npu",
        "task": task,
        "config": config,
        "level": LEVELS.get(task, 1),
        "suite": {"name": "s", "version": "1.0"},
        "machine": "m1",
        "extensions": [],
        "isa_digest": MACHINE["isa_digest"],
        "subject": who,
        "repeat": 0,
        "status": status,
        "expected": "passed",
        "match_rate": 1.0 if passed else 0.5 if status == "mismatch" else None,
        "rel_l2": None,
        "max_abs_error": None,
        "worst": [],
        "cycles": 100 if passed else None,
        "baseline_cycles": 200 if passed else None,
        "baseline_kind": "compiler",
        "speedup": 2.0 if passed else None,
        "bound_share": 0.5 if passed else None,
        "diagnostics": [],
        "kernel": None,
        "seconds": 1.0,
        **more,
    }
    parts = ("target", "task", "config", "repeat")
    name = who.get("model", who["kind"])
    return {"id": "-".join([*(str(entry[part]) for part in parts), name, str(len(str(who)))]), **entry}


Write = Callable[..., Path]


@pytest.fixture
def write_run(tmp_path: Path) -> Write:
    """Return a function that writes a run folder.

    `planned`: samples that the run is to have; `lines`: raw text after the samples; `record`: changes of run.json.
    """

    def write(
        samples: Sequence[dict[str, Any]],
        name: str = "run",
        planned: Sequence[dict[str, Any]] | None = None,
        lines: str | bytes = "",
        record: dict[str, Any] | None = None,
    ) -> Path:
        keys = ("id", "target", "task", "config", "level", "subject", "suite", "repeat")
        cells = [
            {**{key: s[key] for key in keys}, "title": TITLES.get(s["task"], s["task"])}
            for s in (samples if planned is None else planned)
        ]
        entry = {
            "schema": "kc.run/1",
            "version": "0.1.0",
            "started": "2026-01-02T03:04:05+00:00",
            "python": "3.11.7",
            "git": {"revision": "abc123", "changed": False},
            "plugins": {"npu": "1.2"},
            "suites": {"s": "1.0"},
            "targets": {"npu": [MACHINE]},
            "settings": SETTINGS,
            "model": None,
            "cells": cells,
            "skipped": [],
            **(record or {}),
        }
        path = tmp_path / name
        path.mkdir(parents=True)
        (path / "run.json").write_text(json.dumps(entry))
        data = "".join(json.dumps(s) + "\n" for s in samples).encode()
        (path / "samples.jsonl").write_bytes(data + (lines.encode() if isinstance(lines, str) else lines))
        return path

    return write


def experiment() -> list[dict[str, Any]]:
    """Return samples of two models, one under two settings, with every sort of end."""
    low, high = model("acme/gpt-5.2", reasoning="low"), model("acme/gpt-5.2", reasoning="high")
    other = model("local-7b")
    unknown = {
        "input_tokens": 10,
        "cached_tokens": None,
        "output_tokens": 20,
        "reasoning_tokens": None,
        "price_usd": None,
    }
    failed = {"first_correct": None, "best_iteration": None}
    return [
        sample("silu", "C1", subject=low, agent=agent()),
        sample(
            "silu", "C2", "mismatch", subject=low, agent=agent(failure="functional", stopped="iterations", **failed)
        ),
        sample(
            "mha", "C1", "harness_error", subject=low, agent=agent(failure="provider", stopped="model_error", **failed)
        ),
        sample("silu", "C1", subject=high, cycles=50, speedup=4.0, agent=agent()),
        sample("silu", "C2", subject=high, cycles=200, speedup=1.0, agent=agent()),
        sample("mha", "C1", subject=high, speedup=None, baseline_cycles=None, agent=agent()),
        sample("silu", "C1", "syntax_error", subject=other, agent=agent(failure="no_kernel", usage=unknown, **failed)),
        sample("silu", "C2", "trap", subject=other, agent=agent(failure=None, usage=unknown, **failed)),
        sample("mha", "C1", "syntax_error", subject=other, agent=agent(failure="tool_use", usage=unknown, **failed)),
    ]


@pytest.fixture
def make() -> Any:
    """Return the makers of samples, by name."""

    class Makers:
        agent, model, sample, experiment = map(staticmethod, (agent, model, sample, experiment))

    return Makers
