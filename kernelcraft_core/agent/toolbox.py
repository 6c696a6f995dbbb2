"""The tools an agent has, on the one kernel of one episode. Whatever it passes is data: no path, no shell, no Python.

`Toolbox.call` answers every call, however wrong; it never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import field, frozen

from kernelcraft_core.agent import views
from kernelcraft_core.agent.arguments import Refused, check, parse
from kernelcraft_core.agent.episode import KERNEL, Episode, digest
from kernelcraft_core.agent.grep import Library
from kernelcraft_core.agent.signatures import MAX_SOURCE, NAMES, TOOLS
from kernelcraft_core.agent.trial import Trial, attempt, baseline
from kernelcraft_core.agent.window import view
from kernelcraft_core.diagnostics import AssemblyError, KernelCraftError, did_you_mean, printable
from kernelcraft_core.evaluation.model import HARNESS_ERROR, SYNTAX_ERROR
from kernelcraft_core.hooks import explain
from kernelcraft_core.results.schema import plain

__all__ = ["ERROR_CLASSES", "TOOLS", "ToolResult", "Toolbox"]

ERROR_CLASSES = (
    "unknown_tool",
    "malformed_arguments",
    "invalid_arguments",
    "syntax",
    "functional",
    "no_kernel",
    "limit",
)
"""Why the answer of a tool is no. A mistake of ours has no class: `ok` is then false and `error_class` None."""


@frozen
class ToolResult:
    """The answer of a tool.

    Attributes:
        text: what the model sees. ok: whether the tool did what was asked and found nothing wrong with the kernel.
        error_class: one of `ERROR_CLASSES`, else None. data: the same facts as plain JSON data.
    """

    text: str
    ok: bool = True
    error_class: str | None = None
    data: Mapping[str, Any] = field(factory=dict)


class Toolbox:
    """The tools of one episode; keeps the last evaluation, so that looking at it costs no further run."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._trial: Trial | None = None
        self._library: Library | None = None
        self._tools: Mapping[str, Callable[..., ToolResult]] = {name: getattr(self, f"_{name}") for name in NAMES}

    def call(self, name: str, arguments: str | Mapping[str, Any] = "") -> ToolResult:
        """Return the answer of a tool; never raises, except when the process is told to end.

        Args:
            name: of the tool, as the model wrote it.
            arguments: JSON text as the model wrote it, or an object.
        """
        try:
            if not isinstance(name, str) or name not in self._tools:
                return _unknown(name)
            given = check(name, parse(arguments))
            if self.episode.finished:
                return _no("limit", "the episode is finished: its kernel has been scored")
            return self._tools[name](**given)
        except Refused as refusal:
            return _no(refusal.error_class, refusal.message)
        except KernelCraftError as error:
            return _ours("; ".join(d.message for d in error.diagnostics))
        except Exception as error:
            return _ours(explain(error))

    # --- the tools ----------------------------------------------------------------------------------------------------

    def _write_code(self, assembly_code: str) -> ToolResult:
        size = len(assembly_code.encode("utf-8"))
        if size > MAX_SOURCE:
            raise Refused("limit", f"the program has {size:,} bytes; at most {MAX_SOURCE:,} are accepted")
        self.episode.write_kernel(assembly_code)
        lines = len(assembly_code.splitlines())
        text = f"{KERNEL} written: {lines:,} lines, {size:,} bytes. It is not assembled yet: call check_syntax."
        notes = views.code_notes(assembly_code)
        return ToolResult("\n".join([text, *notes]), data={"lines": lines, "bytes": size, "notes": notes})

    def _check_syntax(self) -> ToolResult:
        text = self._kernel()
        try:
            program = self.episode.evaluator.assemble(self.episode.workload, text, KERNEL)
        except AssemblyError as error:
            return _syntax(error)
        count = len(program) - len(program.data_items)
        found = [views.finding(d) for d in program.diagnostics]
        return ToolResult(
            views.assembles(count, program.diagnostics), data={"instructions": count, "diagnostics": found}
        )

    def _run_evaluation(self) -> ToolResult:
        text = self._kernel()
        most = self.episode.settings.get("max_evaluations")
        if most is not None and self.episode.evaluations >= most:
            raise Refused("limit", f"all {most} evaluations are used up; the best kernel so far counts")
        trial = attempt(self.episode, text)
        score = trial.score
        if score.status == HARNESS_ERROR:  # not the kernel's fault, so it is neither counted nor kept
            return _ours("; ".join(d.message for d in score.diagnostics))
        self.episode.note_evaluation(text, score)
        self._trial = trial
        beside = baseline(self.episode) if score.passed and self.episode.settings.get("baseline") else None
        entry = views.evaluation(self.episode, trial, beside)
        failed = None if score.passed else "syntax" if score.status == SYNTAX_ERROR else "functional"
        return ToolResult(views.evaluation_text(entry), score.passed, failed, plain(entry))

    def _view_output(
        self, output: str | None = None, rows: str | None = None, columns: str | None = None, what: str = "statistics"
    ) -> ToolResult:
        trial = self._evaluated()
        if trial.got is None or trial.expected is None:
            raise Refused("functional", f"the last evaluated kernel left no result: {trial.score.status}")
        entry, text = view(self.episode.workload, trial, output, rows, columns, what)
        return ToolResult(self._stale(trial) + text, data=plain(entry))

    def _get_instruction_size(self) -> ToolResult:
        text = self._kernel()
        opened = self.episode.evaluator.target(self.episode.workload)
        try:
            program = self.episode.evaluator.assemble(self.episode.workload, text, KERNEL)
        except AssemblyError as error:
            return _syntax(error)
        last = self.episode.history[-1] if self.episode.history else None
        ran = last if last is not None and last["sha256"] == digest(text) and last["instret"] else None
        entry = views.size(opened, program, ran)
        return ToolResult(views.size_text(entry), data=entry)

    def _grep_docs(self, query: str) -> ToolResult:
        if self._library is None:
            self._library = Library.of(self.episode)
        entry = self._library.search(query)
        return ToolResult(views.passages_text(entry), data=entry)

    def _profile_kernel(self) -> ToolResult:
        trial = self._evaluated()
        if trial.profile is None:
            raise Refused("syntax", "the last evaluated kernel did not assemble, so nothing was run")
        entry = views.profile(trial)
        return ToolResult(self._stale(trial) + views.profile_text(entry), data=entry)

    # --- the kernel ---------------------------------------------------------------------------------------------------

    def _kernel(self) -> str:
        text = self.episode.kernel_text
        if text is None:
            raise Refused("no_kernel", "there is no kernel yet: call write_code first")
        return text

    def _evaluated(self) -> Trial:
        """Return the last evaluation; in a process that did not make it, its runs are repeated and not counted."""
        text = self.episode.evaluated_text
        if text is None:
            raise Refused("no_kernel", "no kernel has been evaluated yet: call run_evaluation first")
        if self._trial is None or self._trial.text != text:
            self._trial = attempt(self.episode, text)
        return self._trial

    def _stale(self, trial: Trial) -> str:
        """Return a remark for when the kernel is no longer the one that was evaluated."""
        if self.episode.kernel_text == trial.text:
            return ""
        return f"Of evaluation {self.episode.evaluations}; {KERNEL} has changed since.\n"


def _unknown(name: Any) -> ToolResult:
    shown = printable(name) if isinstance(name, str) else f"of type {type(name).__name__}"
    hint = did_you_mean(name, NAMES) if isinstance(name, str) else None
    there = f"the tools are {', '.join(NAMES)}"
    return _no("unknown_tool", f"there is no tool {shown!r}; {hint + ' ' if hint else ''}{there}")


def _no(error_class: str, message: str) -> ToolResult:
    return ToolResult(f"error: {message}", False, error_class, {"error": message})


def _syntax(error: AssemblyError) -> ToolResult:
    found = [views.finding(d) for d in error.diagnostics]
    entry = {"instructions": None, "diagnostics": found}
    return ToolResult(views.syntax_errors(error.diagnostics), False, "syntax", entry)


def _ours(message: str) -> ToolResult:
    """Return the answer for when the harness or the target's plug-in fails: nothing that the kernel could change."""
    short = message if len(message) <= 500 else message[:500] + "..."
    return ToolResult(f"internal error, not caused by the kernel: {short}", False, None, {"internal_error": short})
