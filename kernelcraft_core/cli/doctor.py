"""`kc doctor`: is everything there that KernelCraft needs, and does every plug-in and target work?"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from importlib import metadata

import click
from attrs import frozen

from kernelcraft_core import __version__, discovery
from kernelcraft_core.cli import output
from kernelcraft_core.cli.session import session_of
from kernelcraft_core.diagnostics import KernelCraftError
from kernelcraft_core.hooks import explain
from kernelcraft_core.plugins import PluginRegistry

DISTRIBUTION = "kernelcraft-core"
PYTHON = (3, 11)
DEPENDENCIES = ("attrs", "click", "lark", "numpy", "pluggy")
_MARKS = {"ok": "green", "warning": "yellow", "error": "red"}
_BOUND = re.compile(r"(>=|<)\s*(\d+(?:\.\d+)*)")


@frozen
class Finding:
    """The outcome of one check: `ok`, `warning` or `error`."""

    status: str
    check: str
    message: str


@click.command("doctor", context_settings=output.HELP)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool) -> int:
    """Check the installation: Python, dependencies, plug-ins, targets.

    The exit code is 1 when something does not work.
    """
    findings = list(checks(session_of(ctx).registry))
    broken = any(finding.status == "error" for finding in findings)
    if as_json:
        entries = [{"status": f.status, "check": f.check, "message": f.message} for f in findings]
        output.emit("kc.doctor/1", {"ok": not broken, "checks": entries})
    else:
        width = max(len(finding.check) for finding in findings)
        for finding in findings:
            mark = click.style(finding.status.ljust(7), fg=_MARKS[finding.status])
            click.echo(f"{mark}  {finding.check.ljust(width)}  {finding.message}")
    return 1 if broken else 0


def checks(registry: PluginRegistry) -> Iterator[Finding]:
    """Yield the findings, from the ground up."""
    yield _python()
    yield Finding("ok", "core", f"kernelcraft-core {__version__}")
    yield from _dependencies()
    yield from _distributions()
    yield from _plugins(registry)
    yield from _targets(registry)
    yield from _hooks(registry)


def _python() -> Finding:
    wanted = ".".join(map(str, PYTHON))
    status = "ok" if sys.version_info[:2] >= PYTHON else "error"
    found = f"{platform.python_implementation()} {platform.python_version()}"
    return Finding(status, "python", f"{found}, needs {wanted} or newer")


def _dependencies() -> Iterator[Finding]:
    try:
        requirements = [r for r in metadata.requires(DISTRIBUTION) or () if ";" not in r]
    except metadata.PackageNotFoundError:
        yield Finding("warning", "core", f"{DISTRIBUTION} is not installed as a distribution: versions are not checked")
        requirements = list(DEPENDENCIES)
    for requirement in sorted(requirements):
        name = re.split(r"[^A-Za-z0-9_.-]", requirement)[0]
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            yield Finding("error", "dependency", f"{name} is not installed; needs {requirement}")
            continue
        unmet = not within(version, requirement)
        yield Finding("error" if unmet else "ok", "dependency", f"{name} {version}" + f", needs {requirement}" * unmet)


def within(version: str, requirement: str) -> bool:
    """Return whether a version keeps the `>=` and `<` bounds of a requirement (the only ones this project uses)."""

    def key(text: str) -> list[int]:
        return [int(part) for part in re.findall(r"\d+", text)[:3]]

    for relation, bound in _BOUND.findall(requirement):
        if (key(version) < key(bound)) if relation == ">=" else (key(version) >= key(bound)):
            return False
    return True


def _distributions() -> Iterator[Finding]:
    found = discovery.installed()
    for name in found.shadowed:
        yield Finding("warning", "entry points", f"{name} is found more than once on the path; the first one counts")
    for message in found.unreadable:
        yield Finding("warning", "entry points", f"unreadable metadata: {message}")


def _plugins(registry: PluginRegistry) -> Iterator[Finding]:
    if not registry.plugins:
        yield Finding("warning", "plug-ins", "no plug-ins were found or asked for")
    for record in registry.plugins:
        origin = " ".join(filter(None, (record.distribution, record.version))) or record.source
        if record.ok:
            yield Finding("ok", f"plug-in {record.name}", origin)
        else:
            yield Finding("error", f"plug-in {record.name}", f"{origin}: [{record.code}] {record.reason}")


def _targets(registry: PluginRegistry) -> Iterator[Finding]:
    if not registry.targets:
        yield Finding("warning", "targets", "there are none; install a plug-in")
    for name in registry.targets:
        yield _target(registry, name)


def _target(registry: PluginRegistry, name: str) -> Finding:
    check = f"target {name}"
    try:
        from kernelcraft_core.facade import target

        opened = target(name, registry=registry)
        for machine in opened.machines:
            target(name, machine=machine.name, registry=registry)
        assembler = opened.assembler
        simulator = registry.hook.kc_simulator(target=name, isa=opened.isa, machine=opened.machine, backend="core")
    except KernelCraftError as error:
        return Finding("error", check, explain(error))
    except Exception as error:
        return Finding("error", check, f"it cannot be opened: {explain(error)}")
    if assembler is None or simulator is None:
        return Finding("error", check, "it has no " + ("assembler" if assembler is None else "simulator"))
    machines = ", ".join(machine.name for machine in opened.machines)
    digest = opened.isa.digest[:12]
    return Finding("ok", check, f"{len(opened.isa)} instructions, machines: {machines}; ISA digest {digest}")


def _hooks(registry: PluginRegistry) -> Iterator[Finding]:
    """Ask every plug-in what is only asked on occasion, and report all that failed so far."""
    registry.hook.kc_isa_extensions()
    for name in registry.targets:
        try:
            registry.hook.kc_docs(target=name)
        except KernelCraftError as error:
            yield Finding("error", f"target {name}", explain(error))
    for failure in registry.hook.failures:
        yield Finding("error", f"plug-in {failure.plugin}", f"{failure.hook} failed: {failure.reason}")
