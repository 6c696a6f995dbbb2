"""The page about the agent loop names what the loop knows."""

from __future__ import annotations

from pathlib import Path

from kernelcraft_core.agent.classify import EVENTS, FAILURES, STOPPED
from kernelcraft_core.agent.loop import Recovery
from kernelcraft_core.agent.overflow import KEPT


def test_page_about_the_loop_names_every_event_class_and_end() -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "the-agent-loop.md").read_text(encoding="utf-8")
    for name in (*EVENTS, *FAILURES, *STOPPED):
        assert f"`{name}`" in page
    patience = Recovery()
    assert f"more than {patience.calls_per_turn} calls" in page
    assert f"first {KEPT} characters" in page
