"""The facade: a target by name, ready to assemble, disassemble and simulate. Stable; other tools may build on it.

```python
import kernelcraft_core as kc

target = kc.target("plena", overrides={"HBM_MODEL": "simple"})
program = target.assemble(text, filename="k.asm")
result = target.simulate(program, state={"fp_mem": [0, 1.0]}, limits=kc.Limits(instructions=10_000_000))
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from kernelcraft_core.diagnostics import Diagnostic, MachineError, PluginError, did_you_mean
from kernelcraft_core.hookspecs import CORE
from kernelcraft_core.isa import Extension, Isa, Program
from kernelcraft_core.isa.extension import load_extension
from kernelcraft_core.sim.machine import Machine
from kernelcraft_core.sim.result import Limits, RunResult

if TYPE_CHECKING:
    from kernelcraft_core.plugins import PluginRegistry

__all__ = ["Limits", "RunResult", "Target", "target"]


@frozen(eq=False)
class Target:
    """A target with a machine and a set of extensions.

    Attributes:
        name: the target's name. isa: the composed ISA, with the machine's parameter values.
        machine: the machine in force. machines: all presets, the default first.
    """

    name: str
    isa: Isa
    machine: Machine
    machines: Sequence[Machine]
    _registry: PluginRegistry = field(repr=False)

    @property
    def extensions(self) -> tuple[str, ...]:
        """Names of the extensions applied, in order."""
        return tuple(e.name for e in self.isa.extensions)

    @cached_property
    def assembler(self) -> Any:
        """The target's assembler."""
        return self._registry.hook.kc_assembler(target=self.name, isa=self.isa)

    @cached_property
    def disassembler(self) -> Any:
        """The target's disassembler, in the assembler's dialect."""
        from kernelcraft_core.asm import Disassembler

        return Disassembler(self.isa, self.assembler.dialect)

    def assemble(self, source: str | bytes, filename: str = "<input>") -> Program:
        """Return the assembled program; its warnings are in `.diagnostics`.

        Raises:
            AssemblyError: KC02xx, up to 20 findings in `.diagnostics`.
        """
        program: Program = self.assembler.assemble(source, filename)
        return program

    def disassemble(self, program: Program | bytes | Sequence[int], base: int = 0) -> str:
        """Return assembly text that assembles to the same words.

        Raises:
            AssemblyError: KC02xx a word is no instruction and the target has no `.word`.
        """
        words = program.words if isinstance(program, Program) else program
        text: str = self.disassembler.disassemble(words, base)
        return text

    def simulator(self, backend: str = CORE) -> Any:
        """Return a simulator of the target: an object with the method `run` of `kernelcraft_core.sim.Simulator`.

        Raises:
            PluginError: KC0306 the target has no back end of that name; whatever the back end finds missing.
        """
        found = self._registry.hook.kc_simulator(target=self.name, isa=self.isa, machine=self.machine, backend=backend)
        if found is None:
            hint = f"every target has {CORE!r}; others come with the target's plug-in"
            raise PluginError(Diagnostic("KC0306", f"{self.name} has no simulator {backend!r}", hint=hint))
        return found

    def backend_label(self, backend: str = CORE) -> str:
        """Return what scores call a back end: its name, and behind an `@` the build that it states, as in `rtl@0f3c9a`.

        Cycles may be compared where the labels are equal, and nowhere else.

        Raises:
            PluginError: as `simulator`.
        """
        build = getattr(self.simulator(backend), "build", "")
        return f"{backend}@{build}" if build else backend

    def simulate(
        self,
        program: Program,
        state: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
        *,
        engine: str = "auto",
        fill: str = "zero",
        seed: int = 0,
        strict: bool = False,
        trace: bool = False,
        timing: str = "default",
        backend: str = CORE,
    ) -> RunResult:
        """Return the outcome of running `program` on a fresh machine.

        Args:
            program: from `assemble` of a target with the same ISA.
            state: presets by name. Register files, word and row memories take values from index 0 or `{index: value}`;
                byte memories bytes (or a uint8 array) from their first address or `{address: bytes}`; arrays their shape or
                `{index: row}`.
            limits: instructions (default 200 million), cycles, wall time in seconds.
            engine: `auto` (closures, hot blocks compiled), `closures` or `generated`.
            fill: `zero`, or `pattern`: undefined memory holds noise drawn from `seed`, reads of it are reported.
            seed: of the noise.
            strict: reserved encodings and reads of results in flight trap.
            trace: record (start cycle, duration, pc) of up to a million instructions in `.trace`.
            timing: `default`, or `none` (functional: everything takes 0 cycles).
            backend: which simulator of the target runs it; `core` is the table-driven one, and others may refuse options.

        Raises:
            SimulationError: KC0402 program of another ISA, KC0403 unknown option, KC0404 unusable limit.
            MachineError: KC0510 unknown state, KC0511 shape or type, KC0512 range, KC0513 too large.
            PluginError: as `simulator`.
        """
        result: RunResult = self.simulator(backend).run(
            program, state, limits, engine=engine, fill=fill, seed=seed, strict=strict, trace=trace, timing=timing
        )
        return result

    def documents(self) -> Mapping[str, str]:
        """Return the target's own pages: file name -> Markdown (the generated reference is `isa.docs`)."""
        pages: dict[str, str] = {}
        for part in self._registry.hook.kc_docs(target=self.name):
            pages.update(part or {})
        return pages


def target(
    name: str,
    *,
    machine: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    extensions: Iterable[str | Path | Extension] = (),
    registry: PluginRegistry | None = None,
) -> Target:
    """Return the target of that name.

    Args:
        name: as `kc list-targets` prints it.
        machine: a preset's name; the target's first one by default.
        overrides: machine parameters to change, by the vendor's names.
        extensions: names of known extensions, paths of TOML files, or `Extension` records, applied in order after those
            the machine comes with.
        registry: plug-ins to look in; the default ones otherwise.

    Raises:
        PluginError: KC0305 no such target.
        MachineError: KC0500 no such machine, KC0501..KC0503 a parameter is wrong.
        IsaError: KC0153 an extension is unknown, KC0154 two differ but share a name, KC014x one is wrong or does not fit.
    """
    if registry is None:
        from kernelcraft_core.plugins import registry as default_registry

        registry = default_registry()
    plugins = registry
    if name not in plugins.targets:
        known = list(plugins.targets)
        hint = did_you_mean(str(name), known) or (
            f"installed: {', '.join(known)}" if known else "no target is installed; see `kc doctor`"
        )
        raise PluginError(Diagnostic("KC0305", f"no target is called {name!r}", hint=hint))
    isa: Isa = plugins.hook.kc_isa(target=name)
    machines: Sequence[Machine] = plugins.hook.kc_machines(target=name) or (Machine("default"),)
    chosen = machines[0]
    if machine is not None:
        found = {m.name: m for m in machines}
        if machine not in found:
            hint = did_you_mean(str(machine), found) or f"machines: {', '.join(found)}"
            raise MachineError(Diagnostic("KC0500", f"{name} has no machine {machine!r}", hint=hint))
        chosen = found[machine]
    chosen = chosen.override(overrides or {})
    wanted = [*chosen.extensions, *extensions]
    if wanted:
        isa = isa.extended(*_extensions(plugins, name, isa, wanted))
    values = {k: v for k, v in chosen.values.items() if isinstance(v, int) and k in isa.params}
    if any(isa.params[k] != v for k, v in values.items()):
        isa = isa.with_params(values)
    return Target(name, isa, chosen, tuple(machines), plugins)


def known_extensions(plugins: PluginRegistry, isa: Isa) -> dict[str, Extension]:
    """Return the extensions that plug-ins offer for this ISA, by name."""
    offered = [e for part in plugins.hook.kc_isa_extensions() for e in part or ()]
    return {e.name: e for e in offered if e.extends == isa.name}


def _extensions(
    plugins: PluginRegistry, name: str, isa: Isa, wanted: Iterable[str | Path | Extension]
) -> list[Extension]:
    known = known_extensions(plugins, isa)
    out: dict[str, Extension] = {}
    for item in wanted:
        if isinstance(item, Extension):
            extension = item
        elif isinstance(item, Path) or str(item).endswith(".toml"):
            extension = load_extension(Path(item))
        elif str(item) in known:
            extension = known[str(item)]
        else:
            from kernelcraft_core.diagnostics import IsaError

            hint = (
                did_you_mean(str(item), known)
                or f"known: {', '.join(known) or 'none'}; or give the path of a .toml file"
            )
            raise IsaError(Diagnostic("KC0153", f"{name} has no extension {str(item)!r}", hint=hint))
        if out.setdefault(extension.name, extension) != extension:  # a machine may bring what the caller names again
            from kernelcraft_core.diagnostics import IsaError

            message = f"two different extensions are called {extension.name!r}"
            raise IsaError(Diagnostic("KC0154", message, hint=f"{name} has one of that name already: choose another"))
    return list(out.values())
