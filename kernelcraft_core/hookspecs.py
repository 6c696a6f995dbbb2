"""Every hook of KernelCraft: what a plug-in may implement.

A plug-in is a module (or any object) that states `KC_API = 1` and has functions marked with
`kernelcraft_core.hookimpl`, each named after a hook below. A function may leave out arguments that it does not need; an
argument or a hook of another name is refused when the plug-in is loaded. Wrappers (`hookimpl(wrapper=True)`) are refused
too.

All hooks are called at registration time only: they return the object that does the work, and no hook is called while a
program is assembled or simulated. Import what is heavy inside the functions: `kc list-targets` loads every plug-in.

Three rules hold for every hook with a `target` argument:

- it is called with the name of any target, also those of other plug-ins; return None when the target is not yours;
- where one answer is wanted, the plug-in that announced the target is asked first, then the core, then the other
  plug-ins: nobody replaces silently what a target or the core does;
- an exception from the plug-in that announced the target ends the operation with KC0309 (a `KernelCraftError` is passed
  on as it is); an exception from any other plug-in is logged and shown by `kc doctor`, and its answer is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pluggy import HookspecMarker

if TYPE_CHECKING:
    import click

    from kernelcraft_core.agent.models import Factory
    from kernelcraft_core.bench.executors import PlaceFactory
    from kernelcraft_core.isa import Extension, Isa
    from kernelcraft_core.sim import Machine
    from kernelcraft_core.target_info import TargetInfo
    from kernelcraft_core.tasks import BaselineCompiler, Suite, Workload

hookspec = HookspecMarker("kernelcraft")

CORE = "core"
"""The back end that every target has: its simulator in this process. Whatever else runs programs has another name."""

OWNER_ONLY = frozenset({"kc_isa", "kc_machines"})
"""Hooks that only the plug-in which announced the target is asked: nobody else changes what a target is."""

RESERVED = frozenset({"kc_grammar"})
"""Hooks whose form is fixed and which this version never calls; implementing them is legal and has no effect yet."""


@hookspec
def kc_targets() -> Iterable[TargetInfo]:
    """Return the targets this plug-in provides.

    Called once, when the plug-in is loaded. All plug-ins answer; a plug-in without targets leaves the hook out. The
    names must be new: a plug-in that announces a target which another one announced before it is listed as broken as a
    whole (KC0307), and the earlier one stays.

    Returns:
        `TargetInfo` records; their `distribution` and `plugin` are filled in by the manager.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def kc_isa(target: str) -> Isa | None:
    """Return the instruction set of `target`.

    Called when the target is opened, and only on the plug-in that announced it; called again for every opening, so keep
    the record at module level or cache it.

    Args:
        target: a target's name.

    Returns:
        The base ISA, without extensions; None when the target is not yours.

    Raises:
        IsaError: KC01xx the description is wrong.
    """


@hookspec(firstresult=True)
def kc_machines(target: str) -> Sequence[Machine] | None:
    """Return the machine presets of `target`, the default first.

    Called when the target is opened, after `kc_isa`, and only on the plug-in that announced it. Without an answer the
    target has one machine, named `default`, that has no parameters.

    Args:
        target: a target's name.

    Returns:
        At least one `Machine`, with different names; None when the target is not yours.
    """


@hookspec
def kc_isa_extensions() -> Iterable[Extension]:
    """Return the ISA extensions this plug-in offers.

    Called when a target is opened with an extension that is given by name. All plug-ins answer, and an extension may be
    for the ISA of another plug-in: `Extension.extends` says for which. Nothing is applied that is not asked for. Names
    are unique per ISA.

    Returns:
        `Extension` records, as `kernelcraft_core.isa.extension.load_extension` reads them from TOML.

    Raises:
        IsaError: KC014x an extension cannot be read. The plug-in's extensions are then left out.
    """
    raise NotImplementedError


@hookspec(firstresult=True)
def kc_grammar(target: str) -> str | None:
    """Return a hand-written Lark grammar of the target's assembly, where the generated one does not fit.

    Reserved: this version always generates the grammar from the ISA.

    Args:
        target: a target's name.

    Returns:
        Grammar text in Lark's notation; None to use the generated one.
    """


@hookspec(firstresult=True)
def kc_assembler(target: str, isa: Isa) -> Any | None:
    """Return an assembler for `isa`.

    Called once per opened target, when its assembler is first needed. The core's table-driven assembler answers when
    the target's own plug-in does not, so implement this only for another dialect, further checks, or an assembler of
    your own.

    Args:
        target: a target's name.
        isa: the composed ISA: base and extensions, with the machine's parameter values.

    Returns:
        An object with `assemble(source, filename) -> Program` and the attribute `dialect`, such as
        `kernelcraft_core.asm.Assembler`; None to leave it to others.

    Raises:
        IsaError: KC0240, KC0244 the ISA's pseudo-instructions or word lengths cannot be assembled.
    """


@hookspec(firstresult=True)
def kc_simulator(target: str, isa: Isa, machine: Machine, backend: str) -> Any | None:
    """Return a simulator.

    Called once per run, before anything is executed. The core's table-driven simulator answers for the back end `core`
    when the target's own plug-in does not. Any plug-in may answer for other back ends (`rtl`, a vendor's simulator) by
    their names; a native one should run its work in a child process.

    Args:
        target: a target's name.
        isa: the composed ISA.
        machine: the machine in force, with overridden parameters.
        backend: `core`, or the name of another simulator that the caller asks for.

    Returns:
        An object with the method `run` of `kernelcraft_core.sim.Simulator`; None when you have no such back end. Its
        `run` refuses options that it cannot do, and never runs the program elsewhere. Where builds of it may differ in
        cycles, its attribute `build` is a short text that tells one from another: scores state it.

    Raises:
        MachineError: KC05xx the machine's parameters cannot be simulated.
        PluginError: something the back end needs is not there; it names the setting.
    """


@hookspec
def kc_docs(target: str) -> Mapping[str, str] | None:
    """Return hand-written pages about `target`: memory layout, calling convention, hardware guidance.

    Called when a target's documents are asked for (`kc docs`). All answers are merged; a page of the same name from the
    plug-in that announced the target wins. The reference of the instructions is generated and is not returned here.

    Args:
        target: a target's name.

    Returns:
        File name (`memory-layout.md`) -> Markdown text; None when you have none.
    """


@hookspec(firstresult=True)
def kc_baseline_compiler(target: str) -> BaselineCompiler | None:
    """Return what makes the kernels that others are measured against on `target`.

    Called when kernels of the target are first scored. The first kernel it gives for a workload is the baseline of
    speedups; others (hand-tuned ones, published ones for the record) may follow.

    Args:
        target: a target's name.

    Returns:
        An object with the method `kernels` of `kernelcraft_core.tasks.BaselineCompiler`; None when you have none.
    """


@hookspec
def kc_tasks() -> Suite | None:
    """Return the suite of benchmark tasks this plug-in provides.

    Called when tasks are listed or scored. All plug-ins answer: task suites are plug-ins like any other. The slugs of a
    suite must be new; a suite that repeats one of another suite, loaded before it, is refused (KC0601).

    Returns:
        A `kernelcraft_core.tasks.Suite`: a name, a version, and the tasks.
    """


@hookspec
def kc_workloads(target: str) -> Iterable[Workload] | None:
    """Return how tasks are laid out on `target`.

    Called when tasks are listed or scored. All plug-ins answer, so a suite may bring the workloads of a target that
    another plug-in announced; a task and configuration that a target has already are refused (KC0602). The records are
    cheap: inputs and golden results are made when a workload is drawn.

    Args:
        target: a target's name.

    Returns:
        `kernelcraft_core.tasks.Workload` records; None when you have none for this target.
    """


@hookspec
def kc_models() -> Mapping[str, Factory] | None:
    """Return models that agents may use besides those of services and of the core.

    Called when a model is opened whose name is not the core's own. All plug-ins answer. A factory that is offered as `mine`
    is called for the names `mine` and `mine:ANYTHING`, with the name, the settings, and the `ModelContext` of the workload
    (or None); it raises `ModelSetupError` for settings it does not know. The same name twice is refused (KC0734).

    Returns:
        Name -> factory of objects with the attributes and the method of `kernelcraft_core.agent.protocol.Model`; None when
        you have none.
    """


@hookspec
def kc_executors() -> Mapping[str, PlaceFactory] | None:
    """Return places besides this machine's processes where cells of a benchmark run can be scored.

    Called when `kc bench --executor NAME` names one that is not the core's own. All plug-ins answer. A factory that is offered as
    `mine` is called for `mine` and `mine:ADDRESS`, with the address (empty without one) and the number of jobs asked for (or
    None). The run folder must be reachable there under the same path. The same name twice is refused (KC0627).

    Returns:
        Name -> factory of `kernelcraft_core.bench.executors.Place` records; None when you have none.
    """


@hookspec
def kc_commands(cli: click.Group) -> None:
    """Add subcommands to `kc`.

    Called when `kc` is asked for a command that is not its own, and for `kc --help`; never when the core is used from
    Python. Each plug-in gets a group of its own, and its commands are added to `kc` afterwards: a name that `kc` or an
    earlier plug-in has is left out, with a warning.

    Args:
        cli: a click group; add commands with `@cli.command()` or `cli.add_command`.
    """
