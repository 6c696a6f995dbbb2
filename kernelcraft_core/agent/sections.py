"""The sections of a prompt, each from the records it is about; `prompt.py` puts them together.

Nothing here draws inputs, runs a kernel or reads a clock: a section is a function of what the plug-ins describe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from kernelcraft_core.asm import Dialect
from kernelcraft_core.facade import Target
from kernelcraft_core.isa.compact import compact_reference
from kernelcraft_core.sim.machine import Machine
from kernelcraft_core.tasks import Task, Tensor, Workload

GUIDANCE = "guidance"
"""Pages whose names start with this stand in the last part, with the task; all others describe the target."""
ISA, MACHINE = "isa.md", "machine.md"
"""Pages that are made from the target's records."""

_FENCE = re.compile(r"(`{3,}|~{3,})")

_ROLE = """\
# Your role

You write a kernel in the assembly language of {title}, a processor that you know from the documents below and from nothing
else. What you remember of other instruction sets does not hold here: look up every instruction before you use it.

There is one kernel file. `write_code` replaces it as a whole; all other tools work on it. Only tool calls have an effect: code
in the text of an answer is not seen by anybody.

## Two phases

1. **Correct.** Write a kernel, check its syntax, evaluate it, and repair it until 100 % of the elements match. Find out why a
   result is wrong before you change the program: look at the values, compare them with what the documents say, search the
   documents. A simple kernel that is right comes first.
2. **Fast.** Once it is right, make it take fewer cycles, and evaluate each version. Profile it to see where the cycles go. A
   version that is wrong or slower costs nothing: the fastest kernel that was right is kept.

## How the result is scored

- Every element of every result counts; a match of 99.9 % is a failure.
- The kept kernel is run again on inputs that you do not see, of the kinds the task lists. Compute the result from the inputs in
  memory; a kernel that holds values of the development inputs fails.
- A run starts on a fresh machine. Memory that the task does not define holds noise, so write before you read, wherever a document
  may say that it starts as zero. Registers start with their reset values.
- Fewer cycles are better. The number of instructions and the size of the program do not count.
- Your budget is a number of turns, stated with the task. A turn is one answer of yours, with one or several tool calls.
"""
_FINISH = """
An answer without a tool call ends your work. Give it only when the kernel is right and nothing promising is left to try.
"""
_CONVERSE = """
An answer without a tool call hands over to the person you work with, who may answer, ask or add something, or end the work.
"""


@frozen
class Page:
    """A document of the target: its file name, by which documents refer to each other, and its Markdown."""

    name: str
    text: str


# --- role and tools ---------------------------------------------------------------------------------------------------


def role(title: str, conversation: bool) -> str:
    """Return who the agent is, the two phases, and how a kernel is scored."""
    return _ROLE.format(title=title) + (_CONVERSE if conversation else _FINISH)


def tools_text(tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the tools with their parameters as Markdown, from their JSON-schema signatures."""
    blocks = ["# Your tools"]
    for tool in tools:
        function = tool["function"]
        schema = function.get("parameters", {})
        required = schema.get("required", ())
        properties: Mapping[str, Any] = schema.get("properties", {})
        names = ", ".join(name if name in required else f"{name}?" for name in properties)
        lines = [f"**`{function['name']}({names})`** {function.get('description', '')}".rstrip()]
        lines += [f"- `{name}`: {_parameter(value, name in required)}" for name, value in properties.items()]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _parameter(schema: Mapping[str, Any], required: bool) -> str:
    kind = " or ".join(f"`{choice}`" for choice in schema["enum"]) if "enum" in schema else schema.get("type", "any")
    optional = "" if required else ", optional"
    return f"{kind}{optional}. {schema.get('description', '')}".rstrip()


# --- documents --------------------------------------------------------------------------------------------------------


def target_pages(target: Target) -> tuple[Page, ...]:
    """Return all documents of a target: the instruction set, the target's own pages in their order, the machine."""
    pages = [Page(ISA, compact_reference(target.isa, target.machine.cost_table(target.isa)) + _language(target))]
    for name, text in target.documents().items():
        pages.append(Page(f"target-{name}" if name == ISA else name, text))
    if all(page.name != MACHINE for page in pages):
        pages.append(Page(MACHINE, machine_page(target.machine)))
    return tuple(pages)


def _language(target: Target) -> str:
    """Return how source text is written, as far as the assembler has the core's kind of dialect."""
    dialect = getattr(target.assembler, "dialect", None)
    if not isinstance(dialect, Dialect):
        return ""
    numbers = ["decimal", *(["`0x1F`"] if dialect.hexadecimal else []), *(["`0b101`"] if dialect.binary else [])]
    has: list[str] = []
    lacks: list[str] = []
    for there, what in (
        (dialect.labels, "labels (`name:`)"),
        (dialect.constants, "named constants (`name = value`)"),
        (dialect.expressions, "expressions as operands"),
        (dialect.directives, "directives (`.word` and others)"),
    ):
        (has if there else lacks).append(what)
    between = f" or `{dialect.separator}`" if dialect.separator else ""
    lines = [
        f"- Statements end with the line{between}; comments start with {' or '.join(f'`{c}`' for c in dialect.comments)}.",
        f"- Numbers: {', '.join(numbers)}.",
    ]
    lines += [f"- There are {', '.join(has)}."] if has else []
    lines += [f"- There are no {', no '.join(lacks)}."] if lacks else []
    return "\n## Source text\n\n" + "\n".join(lines) + "\n"


def machine_page(machine: Machine) -> str:
    """Return the parameters in force, without sources and ranges."""
    clock = "" if machine.clock_ns is None else f"A cycle takes {machine.clock_ns:g} ns."
    lines = [f"# Machine {machine.name}", " ".join(part for part in (machine.doc.strip(), clock) if part)]
    rows = []
    for param in machine.declared:
        doc = re.sub(r"\s*\([^()]*\)$", "", param.doc) if param.fixed else param.doc  # why it is fixed is for people
        unit = f" {param.unit}" if param.unit else ""
        rows.append(f"- `{param.name}` = {machine[param.name]}{unit}" + (f": {doc}" if doc else ""))
    return "\n\n".join(part for part in (*lines, "\n".join(rows)) if part) + "\n"


def demoted(markdown: str, levels: int = 1) -> str:
    """Return Markdown with every heading so many levels deeper; lines in code fences stay as they are."""
    out = []
    fence = ""
    for line in markdown.strip().splitlines():
        mark = _FENCE.match(line.lstrip())
        if mark is not None and not fence:
            fence = mark[1]
        elif mark is not None and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
        elif not fence and line.startswith("#"):
            line = "#" * min(levels, 6 - (len(line) - len(line.lstrip("#")))) + line
        out.append(line.rstrip())
    return "\n".join(out) + "\n"


def fenced(text: str, language: str = "asm") -> str:
    """Return program text in a fence that it does not close itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{language}\n{text.strip(chr(10))}\n{mark}"


# --- the task ---------------------------------------------------------------------------------------------------------


def task_text(task: Task, workload: Workload, iterations: int, evaluations: int | None = None) -> str:
    """Return what is to be computed, where the data lie, what counts as right, and what there is to spend."""
    parts = [
        f"## The task: {task.title} ({task.slug}), configuration {workload.config}",
        f"{fenced(task.formula, 'text')}\n" + (f"\n{task.doc.strip()}\n" if task.doc.strip() else ""),
        _list("Parameters", [f"`{n}` = {workload.parameters[n]}: {doc}" for n, doc in _named(task, workload)]),
        _list("Choices", _flags(task, workload)),
        _list(
            "Inputs of the formula (those in use here are laid out below)", [_tensor(t, workload) for t in task.inputs]
        ),
        _list(
            "Results", [f"`{o.name}` [{_shape(o.shape)}], compared as {o.dtype}: {o.where}" for o in workload.outputs]
        ),
        "### Where the data lie\n\n" + demoted(workload.layout, 3).strip(),
        "### What counts as right\n\n" + _tolerance(workload),
        _list("Kinds of inputs a kernel is scored on", _families(task, workload)),
        _list("Limits", _limits(workload, iterations, evaluations)),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _named(task: Task, workload: Workload) -> list[tuple[str, str]]:
    return [(name, doc) for name, doc in task.parameters.items() if name in workload.parameters]


def _list(title: str, items: Sequence[str]) -> str:
    return f"{title}:\n\n" + "\n".join(f"- {item}" for item in items) if items else ""


def _shape(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape)) or "one value"


def _tensor(tensor: Tensor, workload: Workload) -> str:
    try:
        numbers = f" = {_shape(tensor.dimensions(workload.parameters))}"
    except KeyError:
        numbers = ""
    doc = f": {tensor.doc}" if tensor.doc else ""
    return f"`{tensor.name}` [{', '.join(tensor.shape)}]{numbers} ({tensor.role}){doc}"


def _flags(task: Task, workload: Workload) -> list[str]:
    values = task.resolved(workload.flags)
    return [f"`{name}` = {values[name]} ({flag.doc})" for name, flag in task.flags.items()]


def _families(task: Task, workload: Workload) -> list[str]:
    return [f"{name}: {task.family(name).description}" for name in workload.families]


def _tolerance(workload: Workload) -> str:
    tolerance = workload.tolerance
    if tolerance.atol or tolerance.rtol:
        rule = f"|got - expected| <= {tolerance.atol:g} + {tolerance.rtol:g} * |expected|"
        lines = [f"Every element: {rule}."]
    else:
        lines = ["Every element equals the expected one."]
    if tolerance.max_ulp is not None:
        unit = "unit" if tolerance.max_ulp == 1 else "units"
        lines.append(f"It is also right within {tolerance.max_ulp} {unit} in the last place of {tolerance.dtype}.")
    if tolerance.rel_l2 is not None:
        lines.append(f"Besides, ||got - expected|| / ||expected|| of a whole result is at most {tolerance.rel_l2:g}.")
    lines.append("A value that is not finite is wrong unless the expected one is the same.")
    return " ".join(lines)


def _limits(workload: Workload, iterations: int, evaluations: int | None) -> list[str]:
    limits = workload.limits
    out = [f"{iterations} turns"] + ([] if evaluations is None else [f"{evaluations} evaluations"])
    out.append(f"a run of the kernel executes at most {limits.instructions:,} instructions")
    if limits.cycles is not None:
        out.append(f"a run of the kernel takes at most {limits.cycles:,} cycles")
    if workload.requires:
        out.append(f"the instruction set includes {', '.join(workload.requires)}")
    return out
