"""`kc isa`: show, check and compare instruction sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    USAGE,
    finish,
    json_option,
    open_target,
    reporting,
    show_findings,
    target_options,
)

if TYPE_CHECKING:
    from kernelcraft_core.isa import Isa
    from kernelcraft_core.isa.definition import Definition
    from kernelcraft_core.isa.docs_costs import CostTable
    from kernelcraft_core.proposal import Proposal


@click.group("isa", context_settings=output.HELP)
def command() -> None:
    """Show, check and compare instruction sets.

    Example: kc isa show plena V_ADD_VV
    """


# --- show -------------------------------------------------------------------------------------------------------------


@command.command("show")
@click.argument("target_name", metavar="TARGET")
@click.argument("instruction", metavar="[INSTR]", required=False)
@click.option("--space", is_flag=True, help="Show which values of the opcode fields are free instead.")
@target_options
@json_option
@click.pass_context
def show(
    ctx: click.Context,
    /,
    target_name: str,
    instruction: str | None,
    space: bool,
    machine: str | None,
    settings: tuple[str, ...],
    extensions: tuple[str, ...],
    as_json: bool,
) -> None:
    """List the instructions of TARGET, or describe one of them.

    \b
    Examples:
      kc isa show plena
      kc isa show plena V_ADD_VV
      kc isa show plena --extension Xdllm --json
      kc isa show plena --space
    """
    with reporting("kc.isa/1", as_json):
        target = open_target(ctx, target_name, machine, settings, extensions)
        isa, costs = target.isa, target.machine.cost_table(target.isa)
        if space:
            _show_space(isa, as_json)
        elif instruction is None:
            _show_all(isa, costs, as_json)
        else:
            _show_some(isa, _find(isa, instruction, as_json), costs, as_json)


def _show_space(isa: Isa, as_json: bool) -> None:
    from kernelcraft_core.isa.space import free_encodings

    spaces = free_encodings(isa)
    if as_json:
        output.emit(
            "kc.isa-space/1", {"isa": isa.name, "digest": isa.digest, "space": [space.as_dict() for space in spaces]}
        )
    else:
        click.echo("\n".join(space.text() for space in spaces))


def _show_all(isa: Isa, costs: CostTable | None, as_json: bool) -> None:
    from kernelcraft_core.isa import cost
    from kernelcraft_core.isa.docs_instructions import instruction_json

    if as_json:
        instructions = [instruction_json(d, costs) for d in isa]
        output.emit("kc.isa/1", _header(isa) | {"description": isa.canonical(), "instructions": instructions})
        return
    cycles = {d.name: costs.classes[d.name] if costs else cost.shown(d.latency) for d in isa}
    rows = [(d.name, d.record.category, d.record.unit, cycles[d.name], d.forms[0].usage()) for d in isa]
    click.echo(output.table(rows, ("NAME", "CATEGORY", "UNIT", "COSTS AS" if costs else "CYCLES", "WRITTEN")))


def _show_some(isa: Isa, found: Sequence[Definition], costs: CostTable | None, as_json: bool) -> None:
    from kernelcraft_core.isa.docs_instructions import instruction_json, instruction_markdown

    if as_json:
        output.emit("kc.isa/1", _header(isa) | {"instructions": [instruction_json(d, costs) for d in found]})
        return
    click.echo("\n\n".join(instruction_markdown(d, costs) for d in found))


def _header(isa: Isa) -> dict[str, Any]:
    extensions = [e.name for e in isa.extensions]
    return {"isa": isa.name, "extensions": extensions, "digest": isa.digest, "params": dict(isa.params)}


def _find(isa: Isa, name: str, as_json: bool) -> Sequence[Definition]:
    """Return the instructions of that name or mnemonic, whatever its case; ends the command when there is none."""
    from kernelcraft_core.diagnostics import Diagnostic, did_you_mean, printable

    if name in isa:
        return (isa[name],)
    found = isa.with_mnemonic(name) or tuple(d for d in isa if name.lower() in (d.name.lower(), d.mnemonic.lower()))
    if found:
        return found
    known = [*isa.definitions, *isa.mnemonics]
    message = f"{isa.name} has no instruction {printable(name)!r}"
    finish("kc.isa/1", as_json, [Diagnostic("KC0109", message, hint=did_you_mean(name, known))], USAGE)


# --- check ------------------------------------------------------------------------------------------------------------


@command.command("check")
@click.argument("file", metavar="FILE.toml")
@click.option(
    "--target", "target_name", metavar="NAME", help="Target to check against; the one the file extends by default."
)
@click.option("--extension", "extensions", multiple=True, metavar="FILE|NAME", help="Apply this extension before.")
@json_option
@click.pass_context
def check(
    ctx: click.Context, /, file: str, target_name: str | None, extensions: tuple[str, ...], as_json: bool
) -> None:
    """Check a proposed extension and say what it adds to and replaces in its target.

    Checks keys and texts, encoding space and overlaps, names, cost, and that every example assembles to its
    instruction.
    Nothing of the file is ever executed. The exit code is 1 when something is wrong.

    \b
    Examples:
      kc isa check Xfma.toml
      kc isa check Xfma.toml --target plena --json
    """
    from kernelcraft_core.diagnostics import Diagnostic, IsaError
    from kernelcraft_core.isa.extension import load_extension
    from kernelcraft_core.isa.places import placed
    from kernelcraft_core.proposal import check_proposal

    with reporting("kc.isa-check/1", as_json):
        extension = load_extension(file)
        name = target_name or extension.extends
        before = [*extension.requires, *extensions]
        base = open_target(ctx, name, extensions=before)
        if extension.name in base.extensions:
            message = f"an extension {extension.name} is applied to {name} already"
            raise IsaError(placed(Diagnostic("KC0140", message, hint="use another name"), extension, "name"))
        proposal = check_proposal(base, open_target(ctx, name, extensions=[*before, extension]))
        if as_json:
            output.emit("kc.isa-check/1", {"ok": True, "target": name, "diagnostics": [], **proposal.as_dict()})
            return
        show_findings(proposal.warnings)
        click.echo(_proposal_text(proposal))


def _proposal_text(proposal: Proposal) -> str:
    from kernelcraft_core.isa import cost

    extension = proposal.extension
    count = len(proposal.added)
    out = [f"{extension.name} fits {extension.extends}: {count} instruction{'s' if count != 1 else ''}"]
    rows = []
    for definition in proposal.added:
        what = f"replaces {definition.record.replaces}" if definition.record.replaces else "adds"
        rows.append(
            (
                what,
                definition.name,
                definition.record.unit,
                f"{cost.shown(definition.latency)} cycles",
                definition.forms[0].usage(),
            )
        )
    out += [f"  {line}" for line in output.table(rows).splitlines()]
    for change in proposal.changes.changes:
        if change.what not in ("instruction", "extension"):
            out.append(f"  {change.action} {change.what} {change.name}")
    for space in proposal.space:
        out.append(f"  {space.width}-bit words: {len(space.free)} of {space.total} opcode values stay free")
    out += [f"  digest {proposal.composed.digest}", f"  (base   {proposal.base.digest})"]
    return "\n".join(out)


# --- diff -------------------------------------------------------------------------------------------------------------


@command.command("diff")
@click.argument("left", metavar="TARGET[+EXT...]")
@click.argument("right", metavar="[TARGET[+EXT...]]", required=False)
@click.option("--extension", "extensions", multiple=True, metavar="FILE|NAME", help="Compare with TARGET plus this.")
@json_option
@click.pass_context
def diff(ctx: click.Context, /, left: str, right: str | None, extensions: tuple[str, ...], as_json: bool) -> None:
    """Show what differs between two instruction sets: + added, - removed, ~ changed, ! replaced.

    A side is a target's name, with extensions (names or .toml files) joined by `+`.

    \b
    Examples:
      kc isa diff plena --extension Xdllm
      kc isa diff plena+Xdllm plena+Xdllm+Xfma.toml
    """
    from kernelcraft_core.isa.diff import diff as compare

    if right is None and not extensions:
        raise click.UsageError("name a second side, or an --extension of the first")
    with reporting("kc.isa-diff/1", as_json):
        left_name, *left_extensions = left.split("+")
        name, *more = (right or left).split("+")
        a = open_target(ctx, left_name, extensions=left_extensions).isa
        b = open_target(ctx, name, extensions=[*more, *extensions]).isa
        found = compare(a, b)
        if as_json:
            entry = found.as_dict()
            output.emit(entry.pop("schema"), entry)
        else:
            click.echo(found.text())
