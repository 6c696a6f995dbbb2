"""`kc prompt`: what an agent is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import json_option, pair, registry_of, reporting, target_option

if TYPE_CHECKING:
    from kernelcraft_core.agent.prompt import Prompt


@click.command("prompt", context_settings=output.HELP)
@target_option
@click.option("--task", required=True, metavar="TASK", help="See `kc list-tasks`.")
@click.option("--config", required=True, metavar="CONFIG", help="C1 to C5.")
@click.option(
    "--docs", metavar="NAMES", help="Only these documents, separated by commas; `none`: not one. [default: all]"
)
@click.option(
    "--one-shot", metavar="TASK/CONFIG[:KIND]", help="Show a kernel of another task that is known to be right."
)
@click.option("--template", is_flag=True, help="Add the target's baseline kernel, with its cycles, to be improved.")
@click.option("--conversation", is_flag=True, help="For a conversation with a person between turns.")
@click.option("--part", metavar="NAME", help="Print one part only: role, tools, target or task.")
@click.option("--set", "settings", multiple=True, metavar="PARAM=VALUE", help="Change a machine parameter.")
@click.option("--extension", "extensions", multiple=True, metavar="FILE|NAME", help="Add an extension.")
@json_option
@click.pass_context
def command(ctx: click.Context, /, target_name: str, as_json: bool, **options: Any) -> None:
    """Print the prompt of a task in a configuration on a target.

    The text goes to standard output, the size of each part in tokens to standard error. Sizes are estimates: each model
    counts with a tokenizer of its own.

    \b
    Examples:
      kc prompt --target plena --task silu --config C1
      kc prompt --target plena --task mha --config C1 --one-shot sdpa/C1
      kc prompt --target plena --task ffn --config C2 --template --part task
      kc prompt --target plena --task gemm --config C1 --docs isa,memory-layout --json
    """
    from kernelcraft_core.agent.prompt import ALL, build_prompt, example_of, template_of
    from kernelcraft_core.evaluation import Evaluator
    from kernelcraft_core.tasks.catalogue import Catalogue

    with reporting("kc.prompt/1", as_json):
        catalogue = Catalogue(registry_of(ctx))
        overrides = dict(pair(text, "--set", "PARAM=VALUE") for text in options["settings"])
        evaluator = Evaluator(catalogue, overrides, options["extensions"])
        workload = catalogue.workload(target_name, options["task"], options["config"].upper())
        example, docs = options["one_shot"], options["docs"]
        prompt = build_prompt(
            evaluator.target(workload),
            catalogue,
            workload,
            documents=ALL if docs is None else _names(docs),
            example=None if example is None else example_of(catalogue, target_name, example),
            template=template_of(evaluator, workload) if options["template"] else None,
            conversation=options["conversation"],
        )
        text = prompt.text if options["part"] is None else prompt.part(options["part"])
    if as_json:
        parts = prompt.parts if options["part"] is None else {options["part"]: text}
        entry = {"ok": True, **prompt.as_dict(), "parts": parts, "estimated_sections": _sections(prompt)}
        output.emit("kc.prompt/1", entry)
    else:
        click.echo(text, nl=False)
        click.echo(_sizes(prompt), err=True)


def _names(text: str) -> list[str]:
    """Return the names in a list with commas; none for `none`."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return [] if names == ["none"] else names


def _sections(prompt: Prompt) -> list[dict[str, Any]]:
    from kernelcraft_core.agent.tokens import estimate

    return [{"part": s.part, "name": s.name, "estimated_tokens": estimate(s.text)} for s in prompt.sections]


def _sizes(prompt: Prompt) -> str:
    """Return the table of sizes, by part and section."""
    from kernelcraft_core.agent.tokens import shown

    by_part = prompt.tokens()
    rows = []
    for part, tokens in by_part.items():
        rows.append((part, "", shown(tokens)))
        named = [s for s in _sections(prompt) if s["part"] == part and s["name"] not in ("title", part)]
        rows += [("", s["name"], shown(s["estimated_tokens"])) for s in named]
    rows.append(("all", "", shown(sum(by_part.values()))))
    return f"\n{output.table(rows, ('PART', 'SECTION', 'TOKENS (ESTIMATE)'))}\ndigest {prompt.digest}"
