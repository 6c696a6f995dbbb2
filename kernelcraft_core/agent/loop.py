"""The loop of an episode: the model answers, its tool calls are carried out, until it is finished or a limit is reached.

An iteration is one reply of the model. Whatever is wrong with a reply is answered in a way that the model can recover from,
and recorded. Nothing here knows the inputs that a kernel is scored with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from attrs import asdict, define, evolve, field, frozen

from kernelcraft_core.agent import pasted
from kernelcraft_core.agent.classify import OVERFLOW, EpisodeOutcome, Tally
from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.limits import Budget, Limits, check_price
from kernelcraft_core.agent.overflow import shorten
from kernelcraft_core.agent.prompt import Prompt
from kernelcraft_core.agent.protocol import Attempt, Message, Model, ModelError, Reply, ToolCall
from kernelcraft_core.agent.signatures import TOOLS
from kernelcraft_core.agent.tokens import estimate
from kernelcraft_core.agent.toolbox import Toolbox, ToolResult
from kernelcraft_core.agent.transcript import Transcript, TranscriptError
from kernelcraft_core.diagnostics import AssemblyError, KernelCraftError
from kernelcraft_core.hooks import explain

Person = Callable[[Message, Episode], str | None]
"""(what the model said, the episode) -> what a person answers; None ends the episode."""

EMPTY = "[harness] Your answer was empty. Call a tool, or say that you are finished."
PASTED = (
    "[harness] Code in the text of an answer has no effect: nothing was stored. Call write_code with the whole program as "
    "`assembly_code`, then check_syntax and run_evaluation."
)
CALL_AS_TEXT = (
    "[harness] A tool call that is written as text has no effect: nothing was called. Use the tool-calling interface."
)
CUT = "[harness] Your answer was cut off at the limit of its length, before any tool call. Think less, and call a tool."
REFUSED = (
    "[harness] The task is to write a numerical kernel for a simulated processor; nothing else is asked. Please go on with "
    "the tools."
)
GO_ON = "Go on."


@frozen
class Recovery:
    """How much patience there is with a model; part of a run's settings.

    Attributes:
        premature_stops: reminders when it stops before a kernel was right. empty_turns: empty turns in a row that are answered.
        refusals: refusals in a row that are answered. calls_per_turn: calls of a turn that are carried out.
        overflows: times that the conversation is shortened for one reply.
        bad_responses: times that a reply which cannot be understood is asked for again.
    """

    premature_stops: int = 2
    empty_turns: int = 2
    refusals: int = 1
    calls_per_turn: int = 32
    overflows: int = 8
    bad_responses: int = 2


def run_episode(
    episode: Episode,
    toolbox: Toolbox,
    model: Model,
    prompt: Prompt,
    limits: Limits,
    transcript: Transcript,
    *,
    conversation: Person | None = None,
    clock: Callable[[], float] = time.monotonic,
    run_budget: Budget | None = None,
    recovery: Recovery | None = None,
) -> EpisodeOutcome:
    """Return how an episode went, after it went; its kernels are in the episode's folder, its events in the transcript.

    Args:
        episode: a new one.
        toolbox: its tools.
        model: a fresh one.
        prompt: how the conversation begins.
        limits: of this episode; iterations are the episode's budget unless given.
        transcript: an empty one; it is complete on the disk when this returns, or raises.
        conversation: asked after each turn without tool calls.
        clock: seconds.
        run_budget: of the run that the episode is part of.
        recovery: patience with the model.

    Raises:
        LimitError: KC0751. TranscriptError: KC0756. Besides these only what is raised to end the process, and what
        `conversation` raises; the transcript then ends with `interrupted`.
    """
    check_price(limits, model)
    if run_budget is not None:
        check_price(run_budget.limits, model)
    own = evolve(limits, iterations=episode.budget if limits.iterations is None else limits.iterations)
    patience = recovery or Recovery()
    loop = _Loop(
        episode, toolbox, model, transcript, Budget(own, clock), run_budget, patience, clock, person=conversation
    )
    transcript.write(
        "start",
        target=episode.workload.target,
        task=episode.workload.task,
        config=episode.workload.config,
        model=model.name,
        settings=dict(model.settings),
        limits=own.as_dict(),
        recovery=asdict(patience),
        prompt=prompt.as_dict(),
    )
    try:
        for message in prompt.messages():
            loop.say(message, "prompt")
        stopped, run_limit = loop.run()
    except BaseException:
        with suppress(TranscriptError):
            transcript.write("end", outcome=loop.tally.outcome("interrupted").as_dict())
        raise
    with suppress(OSError, KernelCraftError):  # whoever scores it finds out
        episode.settle()  # before the transcript says that the episode is complete
    outcome = loop.tally.outcome(stopped, run_limit=run_limit)
    transcript.write("end", outcome=outcome.as_dict())
    return outcome


@define(eq=False)
class _Loop:
    """The state of an episode that is under way."""

    episode: Episode
    toolbox: Toolbox
    model: Model
    transcript: Transcript
    budget: Budget
    run_budget: Budget | None
    recovery: Recovery
    clock: Callable[[], float]
    person: Person | None = None
    tally: Tally = field(factory=Tally)
    messages: list[Message] = field(factory=list)
    stops: int = 0
    """Premature stops that were answered."""
    empty: int = 0
    refused: int = 0
    """Empty turns and refusals in a row."""

    # --- records ------------------------------------------------------------------------------------------------------

    def record(self, kind: str, **entry: Any) -> None:
        """Write an event down and count it."""
        self.tally.add(self.transcript.write(kind, **entry))

    def say(self, message: Message, why: str) -> None:
        """Add a message to the conversation."""
        self.record("message", message=message.as_dict(), why=why)
        self.messages.append(message)

    def note(self, event: str, text: str = "") -> None:
        self.record("note", iteration=self.tally.iterations, event=event, text=text)

    # --- turns --------------------------------------------------------------------------------------------------------

    def run(self) -> tuple[str, bool]:
        """Return why the episode ended, and whether that was a limit of the run."""
        while True:
            limit = self.limit()
            if limit is not None:
                return limit
            reply = self.reply()
            if reply is None:
                return "model_error", False
            stopped = self.turn(reply)
            if stopped is not None:
                return stopped, False

    def limit(self) -> tuple[str, bool] | None:
        """Return the limit that is reached, and whether it is one of the run."""
        reached = self.budget.reached()
        if reached is not None:
            return reached, False
        most = self.episode.settings.get("max_evaluations")
        if most is not None and self.episode.evaluations >= most:
            return "evaluations", False
        reached = None if self.run_budget is None else self.run_budget.reached()
        return None if reached is None else (reached, True)

    def reply(self) -> Reply | None:
        """Return the model's next reply; None when there is none, which is recorded."""
        tries = {OVERFLOW: self.recovery.overflows, "bad_response": self.recovery.bad_responses}
        while True:
            started = self.clock()
            attempts: tuple[Attempt, ...] = ()
            try:
                reply = self.model.reply(tuple(self.messages), TOOLS)
                if not isinstance(reply, Reply) or reply.message.role != "assistant":
                    raise TypeError(f"the model answered with {type(reply).__name__}, not with a reply of an assistant")
            except ModelError as error:
                kind, message, attempts = error.kind, error.message, error.attempts
            except KernelCraftError as error:
                kind, message = "setup", "; ".join(d.message for d in error.diagnostics)
            except Exception as error:  # of a plug-in's model: it ends this episode, not the run
                kind, message = "internal", explain(error)
            else:
                self.accept(reply, self.clock() - started)
                return reply
            self.record(
                "error",
                iteration=self.tally.iterations,
                error={"kind": kind, "message": message},
                elapsed=self.clock() - started,
                attempts=[asdict(a) for a in attempts],
            )
            tries[kind] = tries.get(kind, 0) - 1
            if tries[kind] < 0 or (kind == OVERFLOW and not self.shorten()):
                return None

    def shorten(self) -> bool:
        """Make the conversation shorter; return whether that was possible."""
        shorter = shorten(self.messages)
        if shorter is not None:
            self.messages, what = shorter
            self.note("shortened", what)
        return shorter is not None

    def accept(self, reply: Reply, elapsed: float) -> None:
        """Record a reply, charge for it, and add it to the conversation; calls without an id of their own get one."""
        iteration = self.tally.iterations + 1
        message = _with_ids(reply.message, iteration)
        budgets = [self.budget] if self.run_budget is None else [self.budget, self.run_budget]
        unknown = reply.usage.output_tokens is None and any(b.counts_tokens for b in budgets)
        estimated = self.estimated(message) if unknown else {}
        self.record(
            "reply",
            iteration=iteration,
            message=message.as_dict(),
            finish=reply.finish,
            usage=reply.usage.as_dict(),
            seconds=reply.seconds,
            elapsed=elapsed,
            attempts=[asdict(a) for a in reply.attempts],
            **({"estimated": estimated} if unknown else {}),
        )
        if message is not reply.message or reply.message.opaque.get("kc", {}).get("missing_call_id"):
            self.note("missing_call_id")
        for budget in budgets:
            budget.charge(evolve(reply.usage, **estimated), iterations=1)
        self.messages.append(message)

    def estimated(self, reply: Message) -> Mapping[str, int]:
        """Return about how many tokens were read and written, for limits on tokens of models that do not say."""
        return {
            "input_tokens": sum(estimate(_all_text(m)) for m in self.messages),
            "output_tokens": estimate(_all_text(reply)),
        }

    def turn(self, reply: Reply) -> str | None:
        """Answer a reply; return why the episode ends with it, or None."""
        message = self.messages[-1]
        if reply.finish == "length":
            self.note("cut_reply")
        if reply.finish == "refusal":
            self.note("refusal")
        if message.tool_calls:
            self.empty = self.refused = 0
            self.carry_out(message.tool_calls)
            return None
        if reply.finish == "refusal":
            return self.after_refusal(message)
        return self.after_text(message, cut=reply.finish == "length")

    # --- tool calls ---------------------------------------------------------------------------------------------------

    def carry_out(self, calls: tuple[ToolCall, ...]) -> None:
        """Answer all calls of a turn, in order; say so when the kernel is right for the first time."""
        if len(calls) > 1:
            self.note("parallel_calls", f"{len(calls)} calls")
        was_right = self.tally.first_correct is not None
        for index, call in enumerate(calls):
            self.call(index, call)
        if not was_right and self.tally.first_correct is not None and self.limit() is None:
            self.say(Message("user", self.second_phase()), "phase")

    def call(self, index: int, call: ToolCall) -> None:
        """Carry out one call and add its answer to the conversation."""
        before = self.episode.evaluations
        started = self.clock()
        result = self.refused_call(index, call) or self.toolbox.call(call.name, call.arguments)
        entry: dict[str, Any] = {"tool": call.name, "ok": result.ok, "error_class": result.error_class}
        entry["seconds"] = self.clock() - started
        if self.episode.evaluations > before:
            last, best = self.episode.history[-1], self.episode.record["best"]
            is_best = best is not None and best["index"] == last["index"]
            entry["evaluation"] = {name: last[name] for name in ("index", "status", "cycles")} | {"best": is_best}
            for budget in filter(None, (self.budget, self.run_budget)):
                budget.charge(evaluations=1)
        answer = Message("tool", result.text, tool_call_id=call.id)
        self.record("tool_result", iteration=self.tally.iterations, message=answer.as_dict(), **entry)
        self.messages.append(answer)

    def refused_call(self, index: int, call: ToolCall) -> ToolResult | None:
        """Return the answer to a call that is one too many; None when it may be carried out."""
        most = self.recovery.calls_per_turn
        if index >= most:
            return ToolResult(f"error: not carried out: a turn may have {most} calls", False, "too_many_calls")
        for budget in filter(None, (self.budget, self.run_budget)):
            if budget.left("wall_time") == 0:
                return ToolResult("error: not carried out: the time is up", False, "limit")
            if call.name == "run_evaluation" and budget.left("evaluations") == 0:
                text = "error: all evaluations are used up; the best kernel so far counts"
                return ToolResult(text, False, "limit")
        return None

    def second_phase(self) -> str:
        """Return what the model is told when its kernel is right for the first time."""
        left = [f"{self.budget.left('iterations'):,} turns"]
        for name, what in (("evaluations", "evaluations"), ("wall_time", "seconds")):
            amount = self.budget.left(name)
            if amount is not None:
                left.append(f"{amount:,.0f} {what}")
        return (
            f"[harness] The kernel is right: {self.episode.best_cycles:,} cycles on the development inputs, and it is kept. "
            f"Phase 2: make it take fewer cycles. Left: {', '.join(left)}."
        )

    # --- turns without calls ------------------------------------------------------------------------------------------

    def after_refusal(self, message: Message) -> str | None:
        self.refused += 1
        if self.person is not None:
            return self.ask(message)
        if self.refused > self.recovery.refusals:
            return "refusal"
        self.remind(REFUSED)
        return None

    def after_text(self, message: Message, *, cut: bool) -> str | None:
        """Answer a turn without calls; return `finished` when the model has ended its work."""
        self.refused = 0
        reminder = self.reminder(message.content, cut)
        if self.person is not None:
            return self.ask(message)
        if reminder is None:
            return "finished"
        self.remind(reminder)
        return None

    def reminder(self, text: str, cut: bool) -> str | None:
        """Return what a turn without calls is answered with, None when it ends the episode; notes what it is."""
        blank = not text.strip()
        self.empty = self.empty + 1 if blank else 0
        if blank and not cut:
            self.note("empty_turn")
            return EMPTY if self.empty <= self.recovery.empty_turns else None
        if pasted.call_as_text(text):
            self.note("call_as_text")
            return CALL_AS_TEXT
        if self.pastes(text):
            self.note("pasted_code")
            return PASTED
        if cut:
            return CUT
        if self.tally.first_correct is None and self.limit() is None:
            self.note("premature_stop")
            self.stops += 1
            return self.unfinished() if self.stops <= self.recovery.premature_stops else None
        return None

    def pastes(self, text: str) -> bool:
        """Return whether a text holds a kernel, other than the ones that the tools have."""
        target = self.episode.evaluator.target(self.episode.workload)

        def assembles(line: str) -> bool:
            try:
                target.assemble(line)
            except AssemblyError:
                return False
            return True

        code = pasted.pasted_code(text, target.isa.mnemonics, assembles)
        if code is None:
            return False
        known = (self.episode.kernel_text, self.episode.best_text) if self.tally.first_correct is not None else ()
        return not any(kernel is not None and pasted.same_code(code, kernel) for kernel in known)

    def unfinished(self) -> str:
        """Return what a model is told that stops before a kernel was right."""
        state = "No kernel was evaluated" if not self.tally.evaluations else "No evaluation has passed"
        if not self.tally.written:
            state = "No kernel was written"
        left = self.budget.left("iterations")
        return f"[harness] {state} yet, so the task is not done. Go on with the tools; {left:,} turns are left."

    def remind(self, text: str) -> None:
        """Add a remark of the harness to the conversation, when there is a turn left to heed it."""
        if self.limit() is None:
            self.say(Message("user", text), "reminder")

    def ask(self, message: Message) -> str | None:
        """Let the person answer; return `finished` when they end the episode."""
        if self.person is None or self.limit() is not None:
            return None
        answer = self.person(message, self.episode)
        if answer is None:
            return "finished"
        self.say(Message("user", answer if answer.strip() else GO_ON), "person")
        return None


def _with_ids(message: Message, iteration: int) -> Message:
    """Return the message with an id for each call that no other call of it has; the same object if they had."""
    seen: set[str] = set()
    calls = []
    for number, call in enumerate(message.tool_calls, 1):
        fresh = call if call.id and call.id not in seen else evolve(call, id=f"kc_{iteration}_{number}")
        seen.add(fresh.id)
        calls.append(fresh)
    return message if tuple(calls) == message.tool_calls else evolve(message, tool_calls=tuple(calls))


def _all_text(message: Message) -> str:
    return "\n".join([message.content, *(f"{c.name} {c.arguments}" for c in message.tool_calls)])
