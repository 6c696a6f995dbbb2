"""Primitives: reviewed Python operations that semantics may call by name.

A proposal (an extension file, an agent's TOML) can only compose primitives that a plug-in ships; it can never bring code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

BINDS_CONTEXT = "context"


@frozen(eq=False)
class Primitive:
    """An operation that semantics call as `name(arguments)`.

    `args` names one entry per argument: `int`, `float`, `array` (any shape), `array[4,4]`-like shapes are not checked here,
    or a state handle written `r:vram`, `w:hbm`, `rw:vram` (what the primitive does with that storage; `*` accepts any state
    of the ISA). `result` is `int`, `int<lo,hi>` (a range), `f16`, `f32`, `bf16[VLEN]`, `f32[4,4]` (dimensions may be
    parameters), several of these separated by blanks, or empty for an effect.

    `make` is called once per run as `make(context, *handles)` and returns the function that the engines call with the
    remaining arguments; this is where storage is bound, so that a call passes scalars and arrays only.
    """

    name: str
    args: tuple[str, ...]
    result: str
    make: Callable[..., Callable[..., Any]]
    doc: str = ""
    traps: tuple[str, ...] = ()

    def handle_modes(self) -> list[tuple[int, str, str]]:
        """Return (argument position, mode `r`/`w`/`rw`, state name) for each state handle."""
        out = []
        for position, arg in enumerate(self.args):
            mode, colon, state = arg.partition(":")
            if colon:
                out.append((position, mode, state))
        return out


def pure(
    name: str,
    args: tuple[str, ...],
    result: str,
    function: Callable[..., Any],
    doc: str = "",
    traps: tuple[str, ...] = (),
) -> Primitive:
    """Return a primitive that needs no storage: `function` is called directly."""
    return Primitive(name, args, result, lambda context: function, doc, traps)


def _make_load(context: Any, memory: Any) -> Callable[[int, int], int]:
    loaded: Callable[[int, int], int] = memory.load
    return loaded


def _make_store(context: Any, memory: Any) -> Callable[[int, int, int], None]:
    stored: Callable[[int, int, int], None] = memory.store
    return stored


LOAD = Primitive(
    "load",
    ("r:*", "int", "int"),
    "int<0,18446744073709551615>",
    _make_load,
    "load(memory, address, bytes): unsigned little-endian integer of 1, 2, 4 or 8 bytes",
    ("misaligned", "out_of_bounds"),
)
STORE = Primitive(
    "store",
    ("w:*", "int", "int", "int"),
    "",
    _make_store,
    "store(memory, address, bytes, value): write the low bytes of value, little-endian",
    ("misaligned", "out_of_bounds"),
)
BUILT_IN = (LOAD, STORE)
"""Primitives every ISA with byte memories has."""
