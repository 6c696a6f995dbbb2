"""The prompt of an episode: role, tools, documents of the target, task.

The first three parts are the same for all tasks of a target with its machine and extensions, so services can cache them.
The text follows from its arguments alone: no clock, no inputs, no seeds.

| code | meaning |
| --- | --- |
| KC0720 | the target has no document of that name |
| KC0721 | an example is of the very task, is not named TASK/CONFIG, or its kernel is known to be wrong |
| KC0722 | a kernel that is to be improved is not right itself |
| KC0723 | a prompt has no such part |
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from kernelcraft_core.agent import sections
from kernelcraft_core.agent.protocol import Message
from kernelcraft_core.agent.signatures import TOOLS
from kernelcraft_core.agent.tokens import estimate
from kernelcraft_core.diagnostics import Diagnostic, KernelCraftError, did_you_mean
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.facade import Target
from kernelcraft_core.tasks import Kernel, Workload
from kernelcraft_core.tasks.catalogue import Catalogue

PARTS = ("role", "tools", "target", "task")
"""The parts, in order. The first three are the system message, the last one is the user's."""
ALL = "all"


class PromptError(KernelCraftError):
    """A prompt cannot be built as asked (KC072x)."""


def _fail(code: str, message: str, hint: str | None = None) -> PromptError:
    return PromptError(Diagnostic(code, message, hint=hint))


@frozen(eq=False)
class Example:
    """A known-good kernel of another task: what it computes, where its data lie, its text and where it comes from."""

    workload: Workload
    title: str
    formula: str
    kernel: Kernel

    @property
    def name(self) -> str:
        """`task/config:kind`."""
        return f"{self.workload.name}:{self.kernel.kind}"


@frozen
class Template:
    """A right kernel of the task itself that is to be made faster: its text, its cycles, its kind."""

    text: str
    cycles: int
    kind: str


@frozen
class Section:
    """A piece of a part: `name` is a document's file name, or says what it is."""

    part: str
    name: str
    text: str


@frozen
class Prompt:
    """What an agent is told before its first turn.

    Attributes:
        target, task, config: what it is about. sections: all text, in order.
        documents: file names of the documents that are in it. left_out: those that are not.
        example, template: what else is in it, by name. conversation: whether a person takes part.
    """

    target: str
    task: str
    config: str
    sections: tuple[Section, ...] = field(repr=False)
    documents: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    example: str | None = None
    template: str | None = None
    conversation: bool = False

    @property
    def parts(self) -> Mapping[str, str]:
        """Part -> its text; always the four of `PARTS`, in order."""
        return {part: "\n".join(s.text for s in self.sections if s.part == part) for part in PARTS}

    @property
    def text(self) -> str:
        """All parts as one text."""
        return "\n".join(self.parts.values())

    def part(self, name: str) -> str:
        """Return one part. Raises: PromptError KC0723."""
        if name not in PARTS:
            hint = did_you_mean(name, PARTS) or f"parts: {', '.join(PARTS)}"
            raise _fail("KC0723", f"a prompt has no part {name!r}", hint)
        return self.parts[name]

    def messages(self) -> tuple[Message, ...]:
        """Return the conversation's start: what holds for all tasks of the target, then the task."""
        parts = self.parts
        return (
            Message("system", "\n".join(parts[name] for name in PARTS[:3])),
            Message("user", parts["task"]),
        )

    def tokens(self) -> Mapping[str, int]:
        """Return part -> tokens; an estimate, see `tokens.py`."""
        return {name: estimate(text) for name, text in self.parts.items()}

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the messages."""
        text = json.dumps([m.as_dict() for m in self.messages()], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """Return what a record keeps of the prompt: names, sizes and the digest, without the text."""
        return {
            "target": self.target,
            "task": self.task,
            "config": self.config,
            "digest": self.digest,
            "documents": list(self.documents),
            "left_out": list(self.left_out),
            "example": self.example,
            "template": self.template,
            "conversation": self.conversation,
            "estimated_tokens": dict(self.tokens()),
        }


def build_prompt(
    target: Target,
    catalogue: Catalogue,
    workload: Workload,
    *,
    documents: str | Collection[str] = ALL,
    example: Example | None = None,
    template: Template | None = None,
    tools: Sequence[Mapping[str, Any]] = TOOLS,
    conversation: bool = False,
    iterations: int | None = None,
    evaluations: int | None = None,
) -> Prompt:
    """Return the prompt for a workload.

    Args:
        target: as `Evaluator.target(workload)` gives it, so that machine and extensions are those of the runs.
        catalogue: where the task is found.
        workload: what is to be computed.
        documents: `all`, or the documents to include, with or without `.md`; none of them may be named.
        example: a kernel of another task (`example_of`).
        template: a kernel of this task to start from (`template_of`).
        tools: signatures as the model gets them.
        conversation: whether a person answers between turns.
        iterations: turns there are; the task's budget by default.
        evaluations: calls of `run_evaluation` there are, if they are limited.

    Raises:
        PromptError: KC0720, KC0721. KernelCraftError: the task is missing, the target's plug-in fails.
    """
    task = catalogue.task(workload.task)
    pages = sections.target_pages(target)
    chosen = _chosen(target.name, pages, documents)
    if example is not None and example.workload.task == workload.task:
        message = f"{example.name} is no example: it is a kernel of the task itself"
        raise _fail("KC0721", message, "name a kernel of another task")
    info = catalogue.registry.targets[target.name]
    out = [
        Section("role", "role", sections.role(info.title, conversation)),
        Section("tools", "tools", sections.tools_text(tools)),
        Section("target", "title", f"# The target: {info.title} ({target.name})\n\n{info.summary}\n"),
    ]
    out += [Section("target", page.name, _page_text(page)) for page in chosen if not _guides(page)]
    out.append(Section("task", "title", "# Your task\n"))
    out += [Section("task", page.name, _page_text(page)) for page in chosen if _guides(page)]
    if example is not None:
        out.append(Section("task", "example", _example_text(example)))
    budget = task.budget if iterations is None else iterations
    out.append(Section("task", "workload", sections.task_text(task, workload, budget, evaluations)))
    if template is not None:
        out.append(Section("task", "template", _template_text(template)))
    names = tuple(page.name for page in chosen)
    return Prompt(
        target=target.name,
        task=workload.task,
        config=workload.config,
        sections=tuple(out),
        documents=names,
        left_out=tuple(page.name for page in pages if page.name not in names),
        example=None if example is None else example.name,
        template=None if template is None else template.kind,
        conversation=conversation,
    )


def example_of(catalogue: Catalogue, target: str, name: str) -> Example:
    """Return an example named `TASK/CONFIG` or `TASK/CONFIG:KIND`; without a kind, the shortest kernel that is right.

    Raises:
        PromptError: KC0721. KernelCraftError: KC0603, KC0604, KC0607 there is no such task, workload or kernel.
    """
    place, _, kind = name.partition(":")
    slug, slash, config = place.partition("/")
    if not (slug and slash and config):
        raise _fail(
            "KC0721", f"{name!r} names no example", "write TASK/CONFIG, such as softmax/C1, or TASK/CONFIG:KIND"
        )
    workload = catalogue.workload(target, slug, config.upper())
    if kind:
        kernel = catalogue.kernel(workload, kind)
        if not kernel.passes:
            raise _fail(
                "KC0721", f"the {kind} kernel of {workload.name} is known to be wrong", _kinds(catalogue, workload)
            )
    else:
        right = [k for k in catalogue.kernels(workload) if k.passes]
        kernel = min(right, key=lambda k: len(k.source()), default=None) or catalogue.kernel(workload)
    task = catalogue.task(slug)
    return Example(workload, task.title, task.formula, kernel)


def template_of(evaluator: Evaluator, workload: Workload, kind: str | None = None) -> Template:
    """Return the target's own kernel for a workload (the baseline, or the one of `kind`) with its cycles.

    It runs on development inputs: what it takes on them is what an agent would measure.

    Raises:
        PromptError: KC0722. KernelCraftError: KC0607 there is none, the target cannot be opened.
    """
    kernel = evaluator.catalogue.kernel(workload, kind)
    text = kernel.source()
    score = evaluator.evaluate(workload, text)
    if not score.passed or score.cycles is None:
        message = f"the {kernel.kind} kernel of {workload.name} cannot be improved: it is not right ({score.status})"
        raise _fail("KC0722", message, _kinds(evaluator.catalogue, workload))
    return Template(text, score.cycles, kernel.kind)


def _kinds(catalogue: Catalogue, workload: Workload) -> str:
    right = [k.kind for k in catalogue.kernels(workload) if k.passes]
    return f"kernels that are right: {', '.join(right) or 'none'}"


def _guides(page: sections.Page) -> bool:
    return page.name.startswith(sections.GUIDANCE)


def _chosen(target: str, pages: Sequence[sections.Page], documents: str | Collection[str]) -> tuple[sections.Page, ...]:
    """Return the pages that were asked for, in the order of the target, not of the request."""
    if documents == ALL:
        return tuple(pages)
    wanted = {documents} if isinstance(documents, str) else set(documents)
    known = {page.name for page in pages}
    names = set()
    for name in sorted(wanted):
        found = name if name in known else f"{name}.md"
        if found not in known:
            plain = [page.name.removesuffix(".md") for page in pages]
            hint = did_you_mean(name, plain) or f"documents: {', '.join(plain)}"
            raise _fail("KC0720", f"{target} has no document {name!r}", hint)
        names.add(found)
    return tuple(page for page in pages if page.name in names)


def _page_text(page: sections.Page) -> str:
    whole = (
        "This is the reference in short; `grep_docs` searches the whole one.\n\n" if page.name == sections.ISA else ""
    )
    return f"## {page.name}\n\n{whole}{sections.demoted(page.text, 2)}"


def _example_text(example: Example) -> str:
    """Return another task's kernel, with what one needs to read it."""
    parts = [
        f"## An example: a kernel of another task, {example.title}",
        "It is right. It shows how this machine is programmed; your task has another formula and another layout.",
        sections.fenced(example.formula, "text"),
        sections.demoted(example.workload.layout, 2).strip(),
        sections.fenced(example.kernel.source()),
    ]
    return "\n\n".join(parts) + "\n"


def _template_text(template: Template) -> str:
    """Return the kernel to improve."""
    parts = [
        "## A kernel to improve",
        f"This kernel ({template.kind}) is right and takes {template.cycles:,} cycles on the development inputs. Phase 1 is "
        "done with it: make it faster, and keep it right. Store your version with `write_code` before you evaluate it.",
        sections.fenced(template.text),
    ]
    return "\n\n".join(parts) + "\n"
