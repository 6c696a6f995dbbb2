"""State presets: what a caller may put into registers and memories before a run, checked; and views of the final state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, MachineError, did_you_mean, printable
from kernelcraft_core.isa import Array, Bytes, Opaque, Program, RegFile, Rows, Scalar, Space, Words
from kernelcraft_core.sim.rounding import ARRAY, NUMPY, SCALAR
from kernelcraft_core.sim.rounding import storage as storage_type
from kernelcraft_core.sim.state import ByteMemory, RowMemory, Storage, WordMemory

FLOATS = (np.float16, np.float32, np.float64)


def _fail(code: str, message: str, hint: str | None = None) -> MachineError:
    return MachineError(Diagnostic(code, message, hint=hint))


def apply_state(storage: Storage, state: Mapping[str, Any]) -> int | None:
    """Put `state` into `storage` and return the preset program counter, if there is one.

    Register files, word and row memories take a sequence from index 0 or `{index: value}`; byte memories take bytes (or a
    uint8 array) from their first address or `{address: bytes}`; single registers a number; arrays their natural shape or
    `{index: row}`.

    Raises:
        MachineError: KC0510 unknown name, KC0511 wrong shape or type, KC0512 a value out of range, KC0513 more data than
            the memory holds.
    """
    isa = storage.isa
    pc: int | None = None
    if not isinstance(state, Mapping):
        raise _fail("KC0511", f"presets are {{name: value}}, not {type(state).__name__}")
    for name, value in state.items():
        if name == "pc":
            pc = _integer(value, 63, "pc")
            continue
        if name not in storage.slots:
            known = [*storage.slots, "pc"]
            raise _fail(
                "KC0510",
                f"{isa.name} has no state {name!r}",
                did_you_mean(str(name), known) or f"state: {', '.join(known)}",
            )
        decl, slot = isa.state_named(name), storage[name]
        match decl:
            case RegFile(bits=bits, dtype=dtype, count=count, zero=zero):
                for index, cell in _cells(name, value, count):
                    number = _cell(cell, bits, dtype, f"{name}[{index}]")
                    if index == zero and number:
                        raise _fail("KC0512", f"{name}[{index}] always reads as zero; {number} cannot be preset")
                    slot[index] = number
            case Scalar(bits=bits, dtype=dtype):
                slot[0] = _cell(value, bits, dtype, name)
            case Array(dtype=dtype) if isinstance(value, Mapping):
                for index, row in _cells(name, value, len(slot)):
                    slot[index] = _array(row, slot.shape[1:], dtype, f"{name}[{index}]")
            case Array(dtype=dtype):
                slot[...] = _array(value, slot.shape, dtype, name)
            case Words(bits=None, dtype=str(dtype)) if not isinstance(value, Mapping):
                _float_words(slot, value, dtype)
            case Words(bits=bits, dtype=dtype):
                for index, cell in _cells(name, value, slot.count):
                    slot.write(index, _cell(cell, bits, dtype, f"{name}[{index}]"))
            case Rows():
                _rows(slot, value)
            case Bytes():
                _bytes(slot, value)
            case Space(regions=regions):
                names = ", ".join(region.memory for region in regions)
                raise _fail("KC0511", f"{name!r} cannot be preset", f"preset its memories: {names}")
            case Opaque():
                raise _fail("KC0511", f"{name!r} cannot be preset")
    return pc


def load_program(storage: Storage, program: Program) -> None:
    """Put the sections of a program into the memory that the ISA says programs are loaded into.

    Raises:
        MachineError: KC0514 a section does not lie in a memory, or there are data and no memory to hold them.
    """
    name = storage.isa.memory
    if not name:
        if program.data:
            raise _fail("KC0514", f"{storage.isa.name} has no memory that the section {program.data[0].name} goes into")
        return
    memory = storage[name]
    for section in program.sections:
        if not section.data:
            continue
        if isinstance(memory, ByteMemory):
            _bytes(memory, {section.base: section.data})
        else:
            memory.put(section)


def _cells(name: str, value: Any, count: int) -> Iterator[tuple[int, Any]]:
    """Yield (index, value) pairs of a sequence or a sparse mapping, indices checked."""
    if isinstance(value, Mapping):
        for index, cell in value.items():
            if isinstance(index, bool) or not isinstance(index, int | np.integer):
                raise _fail("KC0511", f"{name}: index {_shown(index)} is not an integer")
            if not 0 <= index < count:
                raise _fail("KC0512", f"{name}: index {_shown(index)} is outside 0..{count - 1}")
            yield int(index), cell
        return
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray):
        raise _fail("KC0511", f"{name} takes a sequence or {{index: value}}, not {type(value).__name__}")
    if isinstance(value, np.ndarray) and value.ndim != 1:
        raise _fail("KC0511", f"{name} takes one value per index; this has shape {value.shape}")
    if len(value) > count:
        raise _fail("KC0513", f"{name} has {count} places; {len(value)} values are too many")
    yield from enumerate(value)


def _is_single(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 0


def _float_words(memory: WordMemory, value: Any, dtype: str) -> None:
    """Preset float words from index 0 in one go."""
    name = memory.name
    if isinstance(value, str | bytes) or not isinstance(value, Sequence | np.ndarray) or _is_single(value):
        raise _fail("KC0511", f"{name} takes a sequence or {{index: value}}, not {type(value).__name__}")
    if len(value) > memory.count:
        raise _fail("KC0513", f"{name} has {memory.count} places; {len(value)} values are too many")
    held = _array(value, (len(value),), dtype, name)
    memory.cells[: len(held)] = held.tolist()
    memory.undefined.difference_update(range(len(held)))


def _integer(value: Any, bits: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise _fail("KC0511", f"{what} needs an integer, not {_shown(value)}")
    if not 0 <= int(value) < 1 << bits:
        raise _fail("KC0512", f"{what} = {_shown(value)} does not fit {bits} bits (0..{(1 << bits) - 1})")
    return int(value)


def _cell(value: Any, bits: int | None, dtype: str | None, what: str) -> int | float:
    if bits is not None:
        return _integer(value, bits, what)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.number)
        or isinstance(value, np.complexfloating)
    ):
        raise _fail("KC0511", f"{what} needs a number, not {_shown(value)}")
    assert dtype is not None
    try:
        number = float(value)
    except OverflowError:
        raise _fail("KC0512", f"{what}: the integer is too large for a float") from None
    return SCALAR[dtype](number) if number == number else float("nan")


def _array(value: Any, shape: tuple[int, ...], dtype: str, what: str) -> Any:
    """Return `value` as an array of `shape` in storage format, rounded to `dtype`."""
    try:
        given = np.asarray(value)
    except ValueError:
        raise _fail("KC0511", f"{what} needs an array of shape {shape}") from None
    if given.dtype.kind not in "iufb" or given.dtype.kind == "b":
        raise _fail("KC0511", f"{what} needs numbers, not {given.dtype}")
    if given.shape != shape:
        raise _fail("KC0511", f"{what} needs shape {shape}, not {given.shape}")
    if NUMPY[dtype] not in FLOATS:
        return _integers(given, np.dtype(NUMPY[dtype]), what)
    with np.errstate(all="ignore"):
        if dtype == "f16":
            given = given.astype(np.float16)  # rounded once, from whatever it is
        held = np.array(given, storage_type(dtype), order="C")
        held[np.isnan(held)] = np.nan
        if dtype == "bf16":
            ARRAY[dtype](held, held)
    return held


def _integers(given: Any, dtype: Any, what: str) -> Any:
    if given.dtype.kind not in "iu" and given.size:
        raise _fail("KC0511", f"{what} needs integers, not {given.dtype}")
    info = np.iinfo(dtype)
    if given.size and not (info.min <= int(given.min()) and int(given.max()) <= info.max):
        raise _fail("KC0512", f"{what}: values {given.min()}..{given.max()} do not fit {info.min}..{info.max}")
    return given.astype(dtype)


def _shown(value: object) -> str:
    """Return a value for a message: short, whatever it is."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 256:
        return f"{'-' if value < 0 else ''}(an integer of {value.bit_length()} bits)"
    text = repr(value) if not isinstance(value, np.generic) else str(value)
    return text if len(text) <= 120 else text[:117] + "..."


def _rows(memory: RowMemory, value: Any) -> None:
    name = memory.name
    if isinstance(value, Mapping):
        for index, row in _cells(name, value, memory.count):
            memory.W[index * memory.elements][...] = _array(row, memory.shape, memory.dtype, f"{name}[{index}]")
        return
    try:
        given = np.asarray(value)
    except ValueError:
        raise _fail("KC0511", f"{name} needs rows of shape {memory.shape}") from None
    if given.ndim == 1 and not given.size:
        return
    if given.ndim != len(memory.shape) + 1 or given.shape[1:] != memory.shape:
        raise _fail("KC0511", f"{name} needs shape (rows, {', '.join(map(str, memory.shape))}), not {given.shape}")
    if len(given) > memory.count:
        raise _fail("KC0513", f"{name} has {memory.count} rows; {len(given)} are too many")
    held = _array(given, given.shape, memory.dtype, name)
    for index, row in enumerate(held):
        memory.W[index * memory.elements][...] = row


def _bytes(memory: ByteMemory, value: Any) -> None:
    parts = value.items() if isinstance(value, Mapping) else [(memory.base, value)]
    for address, data in parts:
        if isinstance(address, bool) or not isinstance(address, int | np.integer):
            raise _fail("KC0511", f"{memory.name}: address {_shown(address)} is not an integer")
        address, raw = int(address), _raw(data, memory.name)
        end = memory.base + memory.size
        if not memory.base <= address <= end or address + len(raw) > end:
            span = f"{memory.base:#x}..{end - 1:#x} ({memory.size} bytes)"
            message = f"{memory.name}: {len(raw)} bytes at {printable(hex(address))} do not fit {span}"
            raise _fail("KC0513", message)
        memory.preset(address, raw)


def _raw(data: Any, name: str) -> Any:
    if isinstance(data, bytes | bytearray | memoryview):
        if isinstance(data, memoryview) and not data.contiguous:
            data = data.tobytes()
        return np.frombuffer(data, np.uint8)
    if isinstance(data, np.ndarray):
        if data.dtype == np.uint8 and data.ndim == 1:
            return data
        raise _fail("KC0511", f"{name} takes a one-dimensional uint8 array, not {data.dtype} of shape {data.shape}")
    raise _fail("KC0511", f"{name} takes bytes, a uint8 array or {{address: bytes}}, not {type(data).__name__}")


# --- views ---------------------------------------------------------------------------------------------------------------


@frozen(eq=False)
class MemoryView:
    """A read-only view of a large memory after a run: `view[3]`, `view[:56]`, `view[a:b, c]` give numpy arrays.

    Only what is asked for is read; `np.asarray(view)` gives the whole array without copying it.
    """

    memory: RowMemory | ByteMemory

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape: (rows, *row shape), or (bytes,)."""
        return tuple(self.memory.data.shape)

    @property
    def dtype(self) -> Any:
        """Numpy dtype of the values."""
        return self.memory.data.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __len__(self) -> int:
        return len(self.memory.data)

    def __getitem__(self, key: Any) -> Any:
        self.memory.settle(key)
        part = self.memory.data[key]
        if isinstance(part, np.ndarray):
            part = part.view()
            part.flags.writeable = False
        return part

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if dtype is not None and np.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"values of {self.dtype} cannot be seen as {np.dtype(dtype)} without a copy")
            return self[:].astype(dtype)
        return self[:].copy() if copy else self[:]

    @property
    def touched(self) -> list[int]:
        """Indices of rows that the run (or a preset) read or wrote; for byte memories addresses of written 4 KiB pages."""
        if isinstance(self.memory, RowMemory):
            return self.memory.touched()
        return sorted(self.memory.base + page * 4096 for page in self.memory.dirty)

    def at(self, address: int, length: int) -> Any:
        """Return `length` elements from an address in the memory's own unit (bytes, or elements of a row memory).

        What lies past the end is left out.

        Raises:
            IndexError: the address is outside the memory.
        """
        base, elements = (self.memory.base, 1) if isinstance(self.memory, ByteMemory) else (0, self.memory.elements)
        end = base + len(self) * elements
        if not base <= address < end or length < 0:
            raise IndexError(
                f"{length} elements at {address:#x} are outside {self.memory.name} ({base:#x}..{end - 1:#x})"
            )
        if isinstance(self.memory, ByteMemory):
            start = address - base
            return self[start : start + length]
        self.memory.settle(slice(address // elements, -(-(address + length) // elements)))
        flat = self.memory.data.reshape(-1)[address : address + length].view()
        flat.flags.writeable = False
        return flat


class StateView(Mapping[str, Any]):
    """Final state by name, made when asked for: arrays in natural shape and dtype, large memories as `MemoryView`."""

    def __init__(self, storage: Storage, pc: int) -> None:
        self._storage = storage
        self._pc = pc
        names = [d.name for d in storage.isa.state if not isinstance(d, Opaque | Space)]
        self._names = [*names, "pc"]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Any:
        if name == "pc":
            return self._pc
        if name not in self._names:
            raise KeyError(name)
        decl, slot = self._storage.isa.state_named(name), self._storage[name]
        match decl:
            case RegFile(bits=bits, dtype=dtype):
                return np.array(slot, _natural(bits, dtype))
            case Scalar():
                return slot[0]
            case Array():
                return slot.copy()
            case Words(bits=bits, dtype=dtype):
                assert isinstance(slot, WordMemory)
                return np.array(slot.cells, _natural(bits, dtype))
        return MemoryView(slot)


def _natural(bits: int | None, dtype: str | None) -> type[np.generic]:
    if bits is not None:
        return np.uint8 if bits <= 8 else np.uint16 if bits <= 16 else np.uint32 if bits <= 32 else np.uint64
    assert dtype is not None
    return NUMPY[dtype]
