"""What an episode comes to: counts, the reason why it ended and the class of its failure, from its transcript alone.

The loop feeds each event to a `Tally` as it writes it, and `outcome_of` feeds those of a file, so the statistics of an old
transcript can be made again, and are the same.

Classes of failure, of an episode without an evaluation that passed (the first three as in KernelCraft, arXiv 2603.08721,
table 9):

- `syntax`: the last kernel that was checked or evaluated did not assemble.
- `functional`: the last kernel that was evaluated assembled and was wrong, trapped, or took too long.
- `tool_use`: a kernel was written and nothing was ever found out about it; or none was written, and the model tried: code or
  calls as text, calls of tools that do not exist, arguments that cannot be used.
- `no_kernel`: none was written, and nothing of the kind was tried.
- `provider`: the service gave no reply, whatever had passed before. The episode does not count, and is run again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define, field, frozen

from kernelcraft_core.agent.protocol import Usage
from kernelcraft_core.agent.signatures import NAMES

FAILURES = ("syntax", "functional", "tool_use", "no_kernel", "provider")
STOPPED = (
    "finished",
    "iterations",
    "evaluations",
    "tokens",
    "output_tokens",
    "price",
    "wall_time",
    "model_error",
    "refusal",
    "interrupted",
)
"""Why episodes end; `model_error` with the class `provider` is the service's fault, with another one the model's."""
EVENTS = (
    "malformed_arguments",
    "invalid_arguments",
    "unknown_tool",
    "no_kernel",
    "too_many_calls",
    "limit",
    "parallel_calls",
    "empty_turn",
    "pasted_code",
    "call_as_text",
    "premature_stop",
    "cut_reply",
    "context_overflow",
    "shortened",
    "refusal",
    "missing_call_id",
    "retries",
    "bad_response",
    "model_error",
    "unknown_usage",
    "tool_fault",
)
"""What is counted: answers of tools by class, what the loop noticed (`note` events), attempts that failed."""
TRIED = (
    "pasted_code",
    "call_as_text",
    "unknown_tool",
    "malformed_arguments",
    "invalid_arguments",
    "cut_reply",
    "limit",
)
"""Events that show that a model tried to hand in a kernel, or to use tools."""
OVERFLOW = "context_overflow"
"""The one kind of model error that is not the service's fault: the conversation is too long even when shortened."""
_TOKENS = tuple(Usage().as_dict())


@frozen
class EpisodeOutcome:
    """How an episode went.

    Attributes:
        iterations: replies of the model. evaluations: of kernels. tool_calls: tool -> calls; `unknown` for no tool.
        stopped: one of `STOPPED`. failure: one of `FAILURES`, None when an evaluation passed.
        events: one of `EVENTS` -> how often, without those that never happened.
        first_correct, best_iteration: iterations in which the first and the best kernel passed; None without one.
        best_cycles: of the best kernel on development inputs.
        usage: sums; None where a reply did not say. seconds: `model` and `tools`.
        error: `kind` and `message` of what ended it, when that was an error.
        run_limit: whether the limit that ended it was one of the whole run.
    """

    iterations: int
    evaluations: int
    tool_calls: Mapping[str, int]
    stopped: str
    failure: str | None
    events: Mapping[str, int]
    first_correct: int | None
    best_iteration: int | None
    best_cycles: int | None
    usage: Usage
    seconds: Mapping[str, float]
    error: Mapping[str, str] | None = None
    run_limit: bool = False

    @property
    def counts(self) -> bool:
        """Whether it says something of the model: not when the service failed, a person or a limit of the run ended it."""
        return self.failure != "provider" and self.stopped != "interrupted" and not self.run_limit

    def as_dict(self) -> dict[str, Any]:
        """Return plain data: the `agent` of a sample but for `transcript`."""
        return {
            "iterations": self.iterations,
            "evaluations": self.evaluations,
            "tool_calls": dict(self.tool_calls),
            "stopped": self.stopped,
            "failure": self.failure,
            "events": dict(self.events),
            "first_correct": self.first_correct,
            "best_iteration": self.best_iteration,
            "best_cycles": self.best_cycles,
            "usage": self.usage.as_dict(),
            "seconds": dict(self.seconds),
            "error": None if self.error is None else dict(self.error),
            "run_limit": self.run_limit,
        }


@define
class Tally:
    """Counts the events of a transcript."""

    iterations: int = 0
    evaluations: int = 0
    tool_calls: Counter[str] = field(factory=Counter)
    events: Counter[str] = field(factory=Counter)
    first_correct: int | None = None
    best_iteration: int | None = None
    best_cycles: int | None = None
    seconds: dict[str, float] = field(factory=lambda: {"model": 0.0, "tools": 0.0})
    usage: dict[str, Any] = field(factory=lambda: dict.fromkeys(_TOKENS, 0))
    written: bool = False
    verdict: str | None = None
    """What was last said of a kernel: `syntax` or `functional`; None before that."""
    error: dict[str, str] | None = None

    def add(self, entry: Mapping[str, Any]) -> None:
        """Count an event of a transcript, as `Transcript.write` returns it and `read` yields it."""
        kind = entry["kind"]
        if kind == "reply":
            self._reply(entry)
        elif kind == "tool_result":
            self._tool_result(entry)
        elif kind == "note":
            self.events[entry["event"]] += entry.get("count", 1)
        elif kind == "error":
            self.seconds["model"] += entry["elapsed"]
            self.events["retries"] += len(entry["attempts"])
            kind = entry["error"]["kind"]
            self.events[kind if kind in (OVERFLOW, "bad_response") else "model_error"] += 1
            self.error = dict(entry["error"])

    def _reply(self, entry: Mapping[str, Any]) -> None:
        self.iterations += 1
        self.error = None
        self.seconds["model"] += entry["elapsed"]
        self.events["retries"] += len(entry["attempts"])
        for name in _TOKENS:
            value = entry["usage"].get(name)
            known = value is not None and self.usage[name] is not None
            self.usage[name] = self.usage[name] + value if known else None
        if entry["usage"].get("output_tokens") is None:
            self.events["unknown_usage"] += 1

    def _tool_result(self, entry: Mapping[str, Any]) -> None:
        error_class, tool = entry["error_class"], entry["tool"]
        self.tool_calls[tool if tool in NAMES else "unknown"] += 1
        self.seconds["tools"] += entry["seconds"]
        if error_class in EVENTS:
            self.events[error_class] += 1
        elif not entry["ok"] and error_class is None:
            self.events["tool_fault"] += 1
        self.written |= tool == "write_code" and entry["ok"]
        evaluation = entry.get("evaluation")
        if evaluation is not None:
            self.evaluations += 1
            passed = evaluation["status"] == "passed"
            if passed and self.first_correct is None:
                self.first_correct = entry["iteration"]
            if evaluation["best"]:
                self.best_iteration, self.best_cycles = entry["iteration"], evaluation["cycles"]
        if tool in ("check_syntax", "run_evaluation") and error_class in ("syntax", "functional"):
            self.verdict = error_class

    def failure(self) -> str | None:
        """Return the class of the failure, one of `FAILURES`; None when an evaluation passed."""
        if self.error is not None and self.error["kind"] != OVERFLOW:
            return "provider"
        if self.first_correct is not None:
            return None
        if self.written:
            return self.verdict or "tool_use"
        return "tool_use" if any(self.events[name] for name in TRIED) else "no_kernel"

    def outcome(self, stopped: str, *, run_limit: bool = False) -> EpisodeOutcome:
        """Return what the events so far come to, for an episode that ends for the reason `stopped`."""
        return EpisodeOutcome(
            iterations=self.iterations,
            evaluations=self.evaluations,
            tool_calls=dict(sorted(self.tool_calls.items())),
            stopped=stopped,
            failure=self.failure(),
            events={name: count for name, count in sorted(self.events.items()) if count},
            first_correct=self.first_correct,
            best_iteration=self.best_iteration,
            best_cycles=self.best_cycles,
            usage=Usage(**self.usage),
            seconds={name: round(value, 6) for name, value in self.seconds.items()},
            error=self.error,
            run_limit=run_limit,
        )


def outcome_of(entries: Iterable[Mapping[str, Any]]) -> EpisodeOutcome:
    """Return what the events of a transcript come to; `interrupted` when they do not reach an end."""
    tally = Tally()
    for entry in entries:
        if entry["kind"] == "end":
            return tally.outcome(entry["outcome"]["stopped"], run_limit=entry["outcome"].get("run_limit", False))
        tally.add(entry)
    return tally.outcome("interrupted")


def after_scoring(failure: str | None, status: str) -> str | None:
    """Return the class of an episode's failure once its kernel was scored on secret inputs.

    A kernel that was never evaluated may pass, and one that passed on development inputs may fail.

    Args:
        failure: of the outcome.
        status: of the score; a `harness_error` says nothing.
    """
    if status == "passed":
        return None
    if failure is not None or status == "harness_error":
        return failure
    return "syntax" if status == "syntax_error" else "functional"
