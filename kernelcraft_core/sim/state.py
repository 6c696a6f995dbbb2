"""Storage of one run: register files, scalars, arrays and memories, made fresh for every run.

Fast paths are plain Python containers that both engines index directly: register files and word memories are lists, row
memories are dictionaries from element address to a numpy view of the row. A dictionary miss goes to a slow path that checks
bounds and alignment, so legal accesses pay for no check at all.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from attrs import define, field

from kernelcraft_core.diagnostics import Diagnostic, MachineError
from kernelcraft_core.isa import Array, Bytes, Isa, Opaque, RegFile, Rows, Scalar, Space, Words
from kernelcraft_core.isa.model import State
from kernelcraft_core.sim.machine import Machine
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.rounding import ARRAY, SCALAR, storage

_ACCESSES = frozenset((1, 2, 4, 8))
BLOCK = 64
"""Granule in bytes in which a byte memory remembers what is defined."""
MAX_REPORTED = 100
_MAPPED, _HUGE = 1 << 20, 1 << 24
"""Bytes from which memories are mapped, and up to which that is done in huge pages."""
_PAGE, _SPARSE = 1 << 12, 1 << 18
"""Bytes of a page, and from which on presets are searched for pages of zeros."""
_NOISE_NAN = 1 / 16
"""Share of NaN in the noise of float memories."""
_NOISE_ROWS, _NOISE_ELEMENTS = 17, 257 * 64  # how many rows of noise repeat: at least, and by their elements


@define(eq=False)
class Context:
    """What primitives and storage share with the engine during one run."""

    isa: Isa
    machine: Machine
    strict: bool = False
    tracked: bool = False
    seed: int = 0
    instret: int = 0
    cycles: int = 0
    shown: int | None = None
    """What the executing instruction reads as the cycle counter, where that is not `cycles`."""
    instruction_limit: int = 200_000_000
    deadline: int = 200_000_000
    """`instret` may not pass this; a primitive may lower it, never above `instruction_limit`."""
    explain: Callable[[], tuple[str, str]] = lambda: ("instructions", "")
    """Returns (limit kind, message) for a lowered deadline; set by whoever lowers it."""
    iterations: int = 0
    locate: Callable[[], int] = lambda: 0
    undefined: list[tuple[str, int, int]] = field(factory=list)
    undefined_count: int = 0

    @property
    def clock(self) -> int:
        """What a program reads as the cycle counter; up to date for instructions that use a timed state."""
        return self.cycles if self.shown is None else self.shown

    def report(self, memory: str, address: int) -> None:
        """Note a read of memory that nothing has defined, with the index of the instruction."""
        self.undefined_count += 1
        if len(self.undefined) < MAX_REPORTED:
            self.undefined.append((memory, address, self.locate()))


def lazy_zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a zero-filled array whose pages the operating system commits only when they are touched.

    Large ones are mapped: numpy's own allocation may clear all of it at once, or take huge pages for sparse use. Medium ones
    ask for huge pages, because committing a thousand small ones takes longer than many a run.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < _MAPPED:
        return np.zeros(shape, dtype)
    try:
        pages = _pages(size)
    except (OSError, ValueError, OverflowError, MemoryError):
        message = f"a memory of {size:,} bytes cannot be reserved on this computer"
        raise MachineError(Diagnostic("KC0504", message, hint="choose a smaller size by a machine parameter")) from None
    return np.frombuffer(pages, dtype).reshape(shape)


def _pages(size: int) -> mmap.mmap:
    if size > _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return mmap.mmap(-1, size)
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without them
        pages.madvise(mmap.MADV_HUGEPAGE)
    return pages


class _ReadMap(dict[int, Any]):
    __slots__ = ("memory",)

    def __missing__(self, address: int) -> Any:
        return self.memory.first_read(address)  # type: ignore[attr-defined]


class _WriteMap(dict[int, Any]):
    __slots__ = ("memory",)

    def __missing__(self, address: int) -> Any:
        return self.memory.first_write(address)  # type: ignore[attr-defined]


def _selected(key: Any, count: int) -> Sequence[int]:
    """Return the positions along the first axis that a numpy index selects."""
    first = (key[0] if key else ...) if isinstance(key, tuple) else key
    if first is None or first is ...:
        return range(count)
    if isinstance(first, slice):
        return range(count)[first]
    chosen = np.atleast_1d(np.asarray(first))
    chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.ravel()
    return [int(position) % count for position in chosen]


class RowMemory:
    """A memory of rows (or tiles). `R[address]` is the row to read at an element address, `W[address]` the row to write.

    `data` has shape (count, *shape), float32 for float formats of at most 32 bits, and is zero-filled lazily by the
    operating system: only rows that are touched take memory.
    """

    def __init__(self, decl: Rows, context: Context, shape: tuple[int, ...], count: int) -> None:
        self.name = decl.name
        self.dtype = decl.dtype
        self.shape = shape
        self.count = count
        self.elements = math.prod(shape)
        self.context = context
        self.data = lazy_zeros((count, *shape), storage(decl.dtype))
        self.tracked = context.tracked
        self.R = _ReadMap()
        self.R.memory = self  # type: ignore[attr-defined]
        self.W = _WriteMap()
        self.W.memory = self  # type: ignore[attr-defined]
        self._watchers: dict[int, list[Callable[[int], None]]] = {}
        self._patterned: set[int] = set()
        self._pattern: Any = None

    def index(self, address: int) -> int:
        """Return the row index of an element address.

        Raises:
            Trap: `misaligned` or `out_of_bounds`.
        """
        row, rest = divmod(address, self.elements)
        if rest:
            what = f"{self.name} address {address} is not a multiple of {self.elements}"
            raise Trap(
                "misaligned",
                what,
                f"rows start at multiples of {self.elements}; the row here starts at {address - rest}",
            )
        if not 0 <= row < self.count:
            limit = self.count * self.elements
            raise Trap("out_of_bounds", f"{self.name} address {address} is outside 0..{limit - 1}")
        return row

    def first_read(self, address: int) -> Any:
        """Slow path of `R[address]`."""
        row = self.index(address)
        view = self.data[row]
        if self.tracked:  # a row that was written is in R already
            self.context.report(self.name, address)
            self._fill(row)
            return view
        self.R[address] = view
        return view

    def first_write(self, address: int) -> Any:
        """Slow path of `W[address]`: also tells those who derived something from the row."""
        row = self.index(address)
        if self._watchers:
            for notify in self._watchers.pop(address, ()):
                notify(address)
        view = self.R.get(address)
        if view is None:
            view = self.data[row]
            if self.tracked:
                self._fill(row)  # a write of some lanes leaves the others undefined
            self.R[address] = view
        self.W[address] = view
        return view

    def watch(self, address: int, notify: Callable[[int], None]) -> None:
        """Call `notify(address)` before the row is written next."""
        entry = self._watchers.get(address)
        if entry is None:
            self._watchers[address] = [notify]
            self.W.pop(address, None)
        elif notify not in entry:
            entry.append(notify)

    def touched(self) -> list[int]:
        """Return the indices of rows that were read or written, ascending."""
        return sorted({a // self.elements for a in self.R} | self._patterned)

    def _fill(self, row: int) -> None:
        if row in self._patterned:
            return
        self._patterned.add(row)
        noise = self._noise()
        self.data[row] = noise[row % len(noise)]

    def _noise(self) -> Any:
        if self._pattern is None:
            rng = np.random.default_rng([self.context.seed, len(self.name), *self.name.encode()])
            rows = max(_NOISE_ROWS, _NOISE_ELEMENTS // self.elements)
            noise = (rng.standard_normal((rows, *self.shape)) * 100).astype(self.data.dtype)
            if (
                self.data.dtype.kind == "f"
            ):  # undefined memory may hold anything: 0 times it, or it minus itself, is not 0
                noise[rng.random(noise.shape) < _NOISE_NAN] = np.nan
            if self.dtype in ARRAY:
                ARRAY[self.dtype](noise, noise)
            self._pattern = noise
        return self._pattern

    def settle(self, key: Any) -> None:
        """Give rows that nobody has touched the noise they hold, before somebody outside looks at them."""
        if self.tracked:
            known = {address // self.elements for address in self.R} | self._patterned
            rows = np.array([row for row in _selected(key, self.count) if row not in known], np.int64)
            noise = self._noise()
            self.data[rows] = noise[rows % len(noise)]


class WordMemory:
    """A word-addressed memory: `cells` is a list of integers or floats."""

    def __init__(self, decl: Words, context: Context, count: int) -> None:
        self.name = decl.name
        self.bits = decl.bits
        self.dtype = decl.dtype
        self.count = count
        self.context = context
        zero: int | float = 0 if decl.bits is not None else 0.0
        self.cells: list[Any] = [zero] * count
        self.undefined: set[int] = set()
        if context.tracked:
            rng = np.random.default_rng([context.seed, len(self.name), *self.name.encode()])
            if decl.bits is not None:
                self.cells = [int(v) & ((1 << decl.bits) - 1) for v in rng.integers(0, 1 << 63, count)]
            else:
                rounder = SCALAR[decl.dtype or "f32"]
                self.cells = [rounder(v) for v in (rng.standard_normal(count) * 100).astype(np.float16).tolist()]
            self.undefined = set(range(count))

    def bad(self, address: int) -> Trap:
        """Return the trap for an address outside the memory."""
        return Trap("out_of_bounds", f"{self.name} index {address} is outside 0..{self.count - 1}")

    def read(self, address: int) -> Any:
        """Return a word, checked (used where the fast path is not)."""
        if not 0 <= address < self.count:
            raise self.bad(address)
        if address in self.undefined:
            self.context.report(self.name, address)
        return self.cells[address]

    def read_range(self, address: int, count: int) -> list[Any]:
        """Return `count` words from `address`.

        Raises:
            Trap: `out_of_bounds`.
        """
        if address < 0 or address + count > self.count:
            raise self.bad(address if not 0 <= address < self.count else self.count)
        if self.undefined:
            for a in range(address, address + count):
                if a in self.undefined:
                    self.context.report(self.name, a)
        return self.cells[address : address + count]

    def write(self, address: int, value: Any) -> None:
        """Write a word that is in range already, checked."""
        if not 0 <= address < self.count:
            raise self.bad(address)
        if self.undefined:
            self.undefined.discard(address)
        self.cells[address] = value


class ByteMemory:
    """A byte-addressed memory of `size` bytes from `base`; `data` is a lazily committed uint8 array."""

    def __init__(self, decl: Bytes, context: Context, base: int, size: int) -> None:
        self.name = decl.name
        self.base = base
        self.size = size
        self.align = decl.align
        self.context = context
        self.data = lazy_zeros((size,), np.uint8)
        self._bytes = memoryview(self.data)
        self.tracked = context.tracked
        self.defined = lazy_zeros((-(-size // BLOCK) if self.tracked else 0,), np.bool_)
        self._flags = memoryview(self.defined)
        self.dirty: set[int] = set()
        self._pattern: Any = None

    def offset(self, address: int, length: int) -> int:
        """Return the offset of an access.

        Raises:
            Trap: `out_of_bounds`.
        """
        offset = address - self.base
        if offset < 0 or offset + length > self.size:
            end = self.base + self.size
            raise Trap(
                "out_of_bounds",
                f"{self.name} address {address:#x}..{address + length - 1:#x} is outside {self.base:#x}..{end - 1:#x}",
            )
        return offset

    def known(self, offset: int, length: int) -> bool:
        """Return whether at least one byte is asked for, and all are defined; then reading them needs no report."""
        if not self.tracked:
            return True
        first, last, flags = offset // BLOCK, (offset + length - 1) // BLOCK, self._flags
        if not (length and flags[first] and flags[last]):
            return False
        return last - first < 2 or bool(self.defined[first + 1 : last].all())

    def span(self, address: int, length: int) -> Any:
        """Return a uint8 view of `length` bytes to read."""
        offset = self.offset(address, length)
        if self.tracked:
            self._check(offset, length)
        return self.data[offset : offset + length]

    def target(self, address: int, length: int) -> Any:
        """Return a uint8 view of `length` bytes to write; they count as defined."""
        offset = self.offset(address, length)
        if self.tracked:
            self._define(offset, length)
        self.mark(offset, length)
        return self.data[offset : offset + length]

    def mark(self, offset: int, length: int) -> None:
        """Note that bytes are written."""
        first, last = offset >> 12, offset + length - 1 >> 12
        self.dirty.add(first) if first == last else self.dirty.update(range(first, last + 1))

    def grid(self, address: int, rows: int, step: int, length: int) -> Any:
        """Return a read-only uint8 array (rows, length): row i holds the bytes at `address + i * step`."""
        last = address + (rows - 1) * step
        low, high = min(address, last), max(address, last)
        offset = self.offset(low, high - low + length) + (address - low)
        if self.tracked:
            for i in range(rows):
                self._check(offset + i * step, length)
        return np.ndarray((rows, length), np.uint8, self.data, offset, (step, 1))

    def load(self, address: int, length: int) -> int:
        """Return `length` bytes at `address` as an unsigned little-endian integer."""
        if length not in _ACCESSES or (self.align and address % length):
            raise self._refused(address, length)
        offset = self.offset(address, length)
        if self.tracked:
            self._check(offset, length)
        return int.from_bytes(self._bytes[offset : offset + length], "little")

    def store(self, address: int, length: int, value: int) -> None:
        """Write the low `length` bytes of `value` at `address`, little-endian."""
        if length not in _ACCESSES or (self.align and address % length):
            raise self._refused(address, length)
        offset = self.offset(address, length)
        if self.tracked:
            self._define(offset, length)
        self.mark(offset, length)
        self._bytes[offset : offset + length] = (value & ((1 << 8 * length) - 1)).to_bytes(length, "little")

    def _refused(self, address: int, length: int) -> Trap:
        if length not in _ACCESSES:
            return Trap("illegal_operands", f"{self.name} is accessed by 1, 2, 4 or 8 bytes, not {length}")
        return Trap("misaligned", f"{self.name} address {address:#x} is not a multiple of {length}")

    def preset(self, address: int, data: Any) -> None:
        """Put bytes into memory before the run (bounds are checked by the caller)."""
        offset = address - self.base
        if len(data):
            if self.tracked:
                self._define(offset, len(data))
            if not self.dirty and len(data) >= _SPARSE and isinstance(data, np.ndarray) and data.flags.c_contiguous:
                self._put_sparse(offset, data)
            else:
                self.data[offset : offset + len(data)] = data
            self.mark(offset, len(data))

    def _put_sparse(self, offset: int, data: Any) -> None:
        """Put bytes into memory that is still as it was made: pages of zeros are there already."""
        whole = len(data) // _PAGE
        pages = data[: whole * _PAGE].reshape(whole, _PAGE)
        used = np.flatnonzero(np.bitwise_or.reduce(pages.view(np.uint64), axis=1))
        self.data[offset : offset + whole * _PAGE].reshape(whole, _PAGE)[used] = pages[used]
        for start, stop in ((0, BLOCK), (whole * _PAGE - BLOCK, len(data))):  # noise may be at its ends
            self.data[offset + start : offset + stop] = data[start:stop]

    def _blocks(self, offset: int, length: int) -> range:
        return range(offset // BLOCK, (offset + length - 1) // BLOCK + 1) if length else range(0)

    def _check(self, offset: int, length: int) -> None:
        if not self.known(offset, length):
            for block in self._blocks(offset, length):
                if not self.defined[block]:
                    self.context.report(self.name, self.base + max(offset, block * BLOCK))
                    self._fill(block)

    def _define(self, offset: int, length: int) -> None:
        blocks = self._blocks(offset, length)
        if not blocks or self.known(offset, length):
            return
        end = offset + length
        for block in (blocks.start, blocks.stop - 1):  # bytes beside a partial write stay undefined noise
            whole = offset <= block * BLOCK and min((block + 1) * BLOCK, self.size) <= end
            if not whole and not self.defined[block]:
                self._fill(block)
        self.defined[blocks.start : blocks.stop] = True

    def _fill(self, block: int) -> None:
        part = self.data[block * BLOCK : (block + 1) * BLOCK]
        part[...] = self._noise()[block % 257][: len(part)]

    def _noise(self) -> Any:
        if self._pattern is None:
            rng = np.random.default_rng([self.context.seed, len(self.name), *self.name.encode()])
            self._pattern = rng.integers(0, 256, (257, BLOCK), np.uint8)
        return self._pattern

    def settle(self, key: Any) -> None:
        """Give bytes that nobody has defined the noise they hold, before somebody outside looks at them."""
        if self.tracked:
            chosen = _selected(key, self.size)
            if isinstance(chosen, range):
                low, high = sorted((chosen[0], chosen[-1])) if chosen else (0, -1)
                blocks = low // BLOCK + np.flatnonzero(~self.defined[low // BLOCK : high // BLOCK + 1])
            else:
                blocks = np.unique(np.array(chosen, np.int64) // BLOCK)
                blocks = blocks[~self.defined[blocks]]
            whole = blocks[blocks < self.size // BLOCK]
            self.data[: self.size // BLOCK * BLOCK].reshape(-1, BLOCK)[whole] = self._noise()[whole % 257]
            if len(blocks) > len(whole):
                self._fill(int(blocks[-1]))

    def dirty_ranges(self) -> Iterator[tuple[int, bytes]]:
        """Yield (address, bytes) of the 4 KiB pages that were written or preset, ascending."""
        for page in sorted(self.dirty):
            yield self.base + page * 4096, self.data[page * 4096 : (page + 1) * 4096].tobytes()


class Storage:
    """All storage of one run, by name.

    `slots[name]` is a list for register files and single registers (one element), a numpy array for arrays, and the memory
    object for memories and opaque state.
    """

    def __init__(self, isa: Isa, context: Context) -> None:
        self.isa = isa
        self.context = context
        self.slots: dict[str, Any] = {d.name: self._make(d) for d in isa.state if not isinstance(d, Space)}
        for decl in isa.state:
            if isinstance(decl, Space):
                self.slots[decl.name] = self._space(decl)
        self.slots = {decl.name: self.slots[decl.name] for decl in isa.state}

    def _space(self, decl: Space) -> Any:
        from kernelcraft_core.sim.space import AddressSpace

        return AddressSpace(decl, [self.slots[region.memory] for region in decl.regions])

    def _make(self, decl: State) -> Any:
        dim = self.isa.scope.dim
        match decl:
            case RegFile(bits=bits, count=count):
                return [0 if bits is not None else 0.0] * count
            case Scalar(reset=reset, dtype=dtype):
                return [reset if dtype is None else SCALAR[dtype](reset)]
            case Array(dtype=dtype, shape=shape):
                return lazy_zeros(tuple(dim(d) for d in shape), storage(dtype))
            case Words(count=count):
                return WordMemory(decl, self.context, dim(count))
            case Rows(shape=shape, count=count):
                return RowMemory(decl, self.context, tuple(dim(d) for d in shape), dim(count))
            case Bytes(base=base, size=size):
                return ByteMemory(decl, self.context, dim(base), dim(size))
            case Opaque(factory=factory):
                return factory(self.context)
        raise AssertionError(decl)

    def __getitem__(self, name: str) -> Any:
        return self.slots[name]

    def names(self) -> Iterable[str]:
        """Names of all state."""
        return self.slots
