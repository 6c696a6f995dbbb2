"""`kc sim`: run a program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output
from kernelcraft_core.cli.support import (
    ANSWER_NO,
    backend_option,
    json_option,
    open_target,
    read_program,
    reporting,
    show_findings,
    target_option,
    target_options,
    write_file,
)
from kernelcraft_core.hookspecs import CORE

if TYPE_CHECKING:
    from kernelcraft_core.facade import Target
    from kernelcraft_core.isa import Program
    from kernelcraft_core.sim.result import RunResult

_HOT = ("LINE", "PC", "COUNT", "CYCLES", "INSTRUCTION")


@click.command("sim", context_settings=output.HELP)
@click.argument("file", metavar="FILE")
@target_option
@target_options
@click.option(
    "--load", "loads", multiple=True, metavar="MEM=FILE[@ADDR]", help="Fill a memory from a .bin, .npy or .hex file."
)
@click.option("--preset", "presets", multiple=True, metavar="NAME[I]=VALUE", help="Set a register or memory word.")
@click.option(
    "--limit-instructions", type=click.IntRange(min=0), help="Stop before this many instructions are exceeded."
)
@click.option("--limit-cycles", type=click.IntRange(min=0), help="Stop once more cycles than this have passed.")
@click.option(
    "--limit-seconds",
    type=click.FloatRange(min=0),
    default=300.0,
    show_default=True,
    help="Stop after this much wall-clock time.",
)
@click.option("--engine", type=click.Choice(["auto", "closures", "generated"]), default="auto", show_default=True)
@click.option(
    "--fill",
    type=click.Choice(["zero", "pattern"]),
    default="zero",
    show_default=True,
    help="What memory holds that nothing defines; reads of a pattern are reported.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the fill pattern.")
@click.option("--strict", is_flag=True, help="Reserved encodings and reads of results in flight trap.")
@click.option("--show", "shows", multiple=True, metavar="NAMES", help="Print final state: gp,f,vram[0:4],hbm[0:0x40].")
@click.option("--profile", is_flag=True, help="Print where the cycles went.")
@click.option("--trace", metavar="OUT", help="Write a Chrome/Perfetto trace (JSON) of up to a million instructions.")
@click.option(
    "--dump-code", metavar="OUT", help="Write the Python source of the blocks that were compiled (none with --trace)."
)
@backend_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, file: str, target_name: str, as_json: bool, **options: Any) -> None:
    """Simulate the program in FILE (`-`: standard input): assemble it, run it, say what happened.

    Prints status, cycles, executed instructions, time, and the state asked for with --show. Addresses of --load are the
    memory's own: bytes for byte memories, words or rows for the others. The exit code is 1 when the program does not
    assemble, traps, or reaches a limit.

    \b
    Examples:
      kc sim kernel.asm --target plena --show 'gp,vram[0:2]'
      kc sim kernel.asm --target plena --set HBM_MODEL=simple --load hbm=image.bin@0x1000 --json
      kc sim kernel.asm --target plena --preset 'gp[1]=0x40' --profile --limit-instructions 1000000
    """
    from kernelcraft_core.cli import images

    backend = options["backend"] = options["backend"] or CORE
    for name in ("profile", "dump_code"):
        if options[name] and backend != CORE:
            raise click.UsageError(f"--{name.replace('_', '-')} is for the back end {CORE}", ctx)
    with reporting("kc.sim/1", as_json):
        target = open_target(ctx, target_name, options["machine"], options["settings"], options["extensions"])
        shown = [part for text in options["shows"] for part in images.parse_show(target.isa, text)]
        program = target.assemble(read_program(file), filename="<stdin>" if file == "-" else file)
        state = images.presets(target.isa, options["presets"], options["loads"])
        label = target.backend_label(backend)
        result = _run(target, program, state, options)
        final = {part.text: images.values(target.isa, result.state, part) for part in shown}
        if options["trace"] is not None:
            write_file(options["trace"], chrome_trace(target, program, result))
        if options["dump_code"] is not None:
            write_file(options["dump_code"], result.generated_source or "# no block was compiled\n")
    if as_json:
        _print_json(target, program, result, final, label, options["profile"])
    else:
        _print_text(program, result, final, label, options["profile"])
    ctx.exit(0 if result.ok else ANSWER_NO)


def _run(target: Target, program: Program, state: Mapping[str, Any], options: Mapping[str, Any]) -> RunResult:
    from kernelcraft_core.facade import Limits

    given = {
        "instructions": options["limit_instructions"],
        "cycles": options["limit_cycles"],
        "wall_time": options["limit_seconds"],
    }
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    return target.simulate(
        program,
        state=state,
        limits=limits,
        engine=options["engine"],
        fill=options["fill"],
        seed=options["seed"],
        strict=options["strict"],
        trace=options["trace"] is not None,
        backend=options["backend"],
    )


def _print_json(
    target: Target, program: Program, result: RunResult, final: Mapping[str, Any], label: str, profile: bool
) -> None:
    entry: dict[str, Any] = {
        "ok": result.ok,
        "target": target.name,
        "machine": target.machine.name,
        "params": dict(target.machine.params),
        "extensions": list(target.extensions),
        "backend": label,
        "digest": program.digest,
        "status": result.status,
        "cycles": result.cycles,
        "instret": result.instret,
        "latency_ns": result.latency_ns,
        "trap": result.trap.as_dict() if result.trap else None,
        "limit": result.limit.as_dict() if result.limit else None,
        "undefined_reads": result.undefined_count,
        "state": dict(final),
        "diagnostics": [finding.as_dict() for finding in program.diagnostics],
    }
    if result.trap:
        entry["diagnostics"].append(result.trap.diagnostic().as_dict())
    if profile:
        entry["profile"] = result.profile.as_dict()
    output.emit("kc.sim/1", entry)


def _print_text(program: Program, result: RunResult, final: Mapping[str, Any], label: str, profile: bool) -> None:
    show_findings(program.diagnostics)
    if result.trap:
        show_findings([result.trap.diagnostic()])
    rows = [("status", result.status), ("cycles", str(result.cycles)), ("instret", str(result.instret))]
    if label != CORE:
        rows.insert(0, ("back end", label))
    if result.latency_ns is not None:
        rows.append(("latency", f"{result.latency_ns:g} ns"))
    if result.trap:
        line = f", line {result.trap.line}" if result.trap.line else ""
        rows.append(("trap", f"{result.trap.kind} at pc {result.trap.pc}{line}: {result.trap.message}"))
    if result.limit:
        line = f", line {result.limit.line}" if result.limit.line else ""
        rows.append(("limit", f"{result.limit.kind} at pc {result.limit.pc}{line}: {result.limit.message}"))
    if result.undefined_count:
        first = result.undefined_reads[0]
        rows.append(("undefined", f"{result.undefined_count} reads, the first of {first.memory} at {first.address}"))
    click.echo(output.table(rows))
    for name, value in final.items():
        click.echo(f"{name} = {_state_text(value)}")
    if profile:
        click.echo(_profile_text(result))


def _state_text(value: Any) -> str:
    if isinstance(value, str):  # bytes in hexadecimal
        return (
            " ".join(value[i : i + 2] for i in range(0, len(value), 2))
            if len(value) <= 64
            else "\n" + _hex_lines(value)
        )
    if isinstance(value, list):
        if value and isinstance(value[0], list):
            return "\n" + "\n".join(f"  {_state_text(row)}" for row in value)
        return "[" + ", ".join(_state_text(cell) for cell in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _hex_lines(digits: str) -> str:
    lines = (digits[i : i + 64] for i in range(0, len(digits), 64))
    return "\n".join("  " + " ".join(line[i : i + 2] for i in range(0, len(line), 2)) for line in lines)


def _profile_text(result: RunResult) -> str:
    profile = result.profile
    total = max(1, sum(profile.by_unit.values()))
    ordered = sorted(profile.by_unit.items(), key=lambda item: (-item[1], item[0]))
    rows = [(unit, str(cycles), f"{cycles / total:.1%}") for unit, cycles in ordered]
    hot = [(str(p.line), str(p.pc), str(p.count), str(p.cycles), p.mnemonic) for p in profile.hottest()]
    return f"\n{output.table(rows, ('UNIT', 'CYCLES', 'SHARE'))}\n\n{output.table(hot, _HOT)}"


def chrome_trace(target: Target, program: Program, result: RunResult) -> str:
    """Return the recorded instructions in the trace-event format: a cycle is a microsecond there, a unit a thread."""
    units: dict[str, int] = {}
    names: dict[int, tuple[str, str, int]] = {}
    events: list[dict[str, Any]] = []
    for start, duration, pc in result.trace or ():
        if pc not in names:
            index = program.index_at(pc)
            decoded = target.isa.decode(program.words[index], strict=False) if index is not None else None
            name, unit = (decoded.definition.mnemonic, decoded.definition.record.unit) if decoded else ("?", "?")
            names[pc] = (name, unit, program.line_at(pc) or 0)
        name, unit, line = names[pc]
        thread = units.setdefault(unit, len(units))
        args = {"pc": pc, "line": line}
        events.append({"name": name, "ph": "X", "ts": start, "dur": duration, "pid": 0, "tid": thread, "args": args})
    for unit, thread in units.items():
        events.append({"name": "thread_name", "ph": "M", "pid": 0, "tid": thread, "args": {"name": unit}})
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}, sort_keys=True)
