"""State on the command line: `--load MEM=FILE[@ADDR]`, `--preset name[index]=value`, `--show name[a:b]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, MachineError, Span, did_you_mean, printable
from kernelcraft_core.isa import Reg

if TYPE_CHECKING:
    from kernelcraft_core.isa import Isa
    from kernelcraft_core.isa.model import State

MAX_SHOWN = 1 << 16
"""Most elements of one `--show` part."""
_NUMBER = r"0[xX][0-9A-Fa-f]+|[0-9]+"
_SHOW = re.compile(rf"\s*(\w+)(?:\[({_NUMBER})?(?:(:)({_NUMBER})?)?\])?\s*", re.ASCII)
_PRESET = re.compile(rf"(\w+)(?:\[({_NUMBER})\])?", re.ASCII)
_HEX_SKIP = re.compile(rb"0[xX]|[\s_,]|(?:#|;|//)[^\n]*")


def _fail(code: str, message: str, hint: str | None = None, file: str | None = None) -> MachineError:
    return MachineError(Diagnostic(code, message, Span(file, 1) if file else None, hint))


def _state(isa: Isa, name: str) -> State:
    if name not in isa.scope.state:
        known = list(isa.scope.state)
        spelled = [
            f"{k.file or k.prefix}[{k.names[name]}]" for k in isa.kinds if isinstance(k, Reg) and name in k.names
        ]
        hint = f"did you mean {spelled[0]}?" if spelled else did_you_mean(name, known) or f"state: {', '.join(known)}"
        raise _fail("KC0510", f"{isa.name} has no state {printable(name)!r}", hint)
    return isa.state_named(name)


# --- presets ----------------------------------------------------------------------------------------------------------


def presets(isa: Isa, texts: Sequence[str], loads: Sequence[str]) -> dict[str, Any]:
    """Return the state mapping for `Target.simulate`; later options win where they overlap.

    Raises:
        MachineError: KC0510 unknown state, KC0513 a file larger than its memory, KC0520 a file cannot be read,
            KC0521 a file is not in its format, KC0522 an option is not of its form.
    """
    state: dict[str, Any] = {}
    for text in loads:
        _merge(isa, state, *_load(isa, text))
    for text in texts:
        _merge(isa, state, *_preset(isa, text))
    return state


def _merge(isa: Isa, state: dict[str, Any], name: str, index: int | None, value: Any) -> None:
    """Put `value` at `index` of `name`, over what earlier options put there; with no index, at the start."""
    from kernelcraft_core.isa import Array, Bytes, Scalar

    decl = isa.scope.state.get(name)
    if decl is None or isinstance(decl, Scalar | Array) or (index is None and name not in state):
        state[name] = value
        return
    first = isa.scope.dim(decl.base) if isinstance(decl, Bytes) else 0
    index = first if index is None else index
    entry = state.get(name, {})
    if isinstance(decl, Bytes):
        state[name] = _overlay(entry if isinstance(entry, dict) else {first: entry}, index, value)
    else:
        entry = entry if isinstance(entry, dict) else dict(enumerate(entry))
        state[name] = entry | dict(enumerate(value, index))


def _overlay(parts: dict[int, Any], address: int, data: Any) -> dict[int, Any]:
    """Return disjoint pieces of memory, address -> bytes, with `data` over what was there."""
    out: dict[int, Any] = {address: data}
    end = address + len(data)
    for start, old in parts.items():
        if start + len(old) <= address or start >= end:
            out[start] = old
            continue
        view = memoryview(old)
        if start < address:
            out[start] = view[: address - start]
        if start + len(old) > end:
            out[end] = view[end - start :]
    return out


def _preset(isa: Isa, text: str) -> tuple[str, int | None, Any]:
    """Return (name, index, value) of `name[index]=value`, `name=value` or `name[index]=value,value,...`."""
    from kernelcraft_core.isa import Array, Bytes, Rows, Scalar

    place, equals, given = text.partition("=")
    m = _PRESET.fullmatch(place.strip())
    if not equals or m is None:
        raise _fail(
            "KC0522", f"--preset {printable(text)!r} is not of the form name[index]=value", "--preset 'gp[3]=0x40'"
        )
    name, index = m[1], int(m[2], 0) if m[2] else None
    if name == "pc":
        return name, None, _number(given, text)
    decl = _state(isa, name)
    values = [_number(part, text) for part in given.split(",")]
    if isinstance(decl, Scalar) and len(values) == 1:
        if index is not None:
            raise _fail("KC0522", f"{name} is one register: --preset {name}=value")
        return name, None, values[0]
    if isinstance(decl, Bytes):
        if not all(isinstance(v, int) and 0 <= v < 256 for v in values):
            raise _fail("KC0522", f"--preset {printable(text)!r}: {name} takes bytes (0..255)")
        return name, isa.scope.dim(decl.base) if index is None else index, bytes(int(v) for v in values)
    if isinstance(decl, Array):
        import numpy as np

        shape = tuple(isa.scope.dim(d) for d in decl.shape)
        flat = np.array(values, np.float64)
        return name, None, flat.reshape(shape) if flat.size == np.prod(shape) else flat
    if isinstance(decl, Rows):
        return name, index or 0, _rows(isa, decl, values, text)
    return name, index or 0, values


def _rows(isa: Isa, decl: Any, values: list[int | float], text: str) -> Any:
    """Return the rows that a flat list of values fills."""
    import numpy as np

    shape = tuple(isa.scope.dim(d) for d in decl.shape)
    size = int(np.prod(shape))
    if len(values) % size:
        raise _fail(
            "KC0522",
            f"--preset {printable(text)!r}: {len(values)} values do not fill rows of {size}",
            "load a .npy file",
        )
    return np.array(values, np.float64).reshape(-1, *shape)


def _number(text: str, where: str) -> int | float:
    text = text.strip()
    if len(text) <= 400:
        try:
            return int(text, 0)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            pass
    raise _fail("KC0522", f"--preset {printable(where)!r}: {printable(text)!r} is not a number")


# --- files ------------------------------------------------------------------------------------------------------------


def _load(isa: Isa, text: str) -> tuple[str, int | None, Any]:
    """Return (name, address or None, data) of `MEM=FILE[@ADDR]`."""
    from kernelcraft_core.isa import Bytes

    name, equals, place = text.partition("=")
    name = name.strip()
    file, at, address = place.rpartition("@")
    if not at or not re.fullmatch(_NUMBER, address.strip()):
        file, address = place, ""
    if not equals or not name or not file:
        raise _fail(
            "KC0522", f"--load {printable(text)!r} is not of the form MEM=FILE[@ADDR]", "--load hbm=weights.bin@0x4000"
        )
    decl = _state(isa, name)
    index = int(address, 0) if address else None
    limit = _capacity(isa, decl)
    path = Path(file)
    try:
        if not path.is_file():
            raise _fail("KC0520", "this is not a file" if path.exists() else "there is no such file", file=file)
        size = path.stat().st_size
        with path.open("rb") as stream:
            head = stream.read(6)
    except (OSError, ValueError) as error:
        raise _fail(
            "KC0520", f"the file cannot be read: {getattr(error, 'strerror', None) or error}", file=file
        ) from None
    numpy_file = head == b"\x93NUMPY"
    if path.suffix.lower() == ".npy" and not numpy_file:
        raise _fail("KC0521", "this is not a .npy file", "numpy.save(path, array) writes one", file)
    # a hexadecimal text takes two digits and some blanks per byte, an array may hold wider numbers than the memory
    if size > (limit * 16 + 4096 if numpy_file or path.suffix.lower() in (".hex", ".txt", ".mem") else limit):
        raise _fail("KC0513", f"a file of {size} bytes is larger than {name} ({limit} bytes)", file=file)
    if numpy_file:
        return name, index, _from_array(_read_npy(path, file), decl)
    data = _read_bytes(path, file)
    if path.suffix.lower() in (".hex", ".txt", ".mem"):
        data = _from_hex(data, file)
    if len(data) > limit:
        raise _fail("KC0513", f"{len(data)} bytes are more than {name} holds ({limit} bytes)", file=file)
    return name, index, data if isinstance(decl, Bytes) else _from_bytes(isa, decl, data, file)


def _read_bytes(path: Path, file: str) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, MemoryError) as error:
        raise _fail("KC0520", f"the file cannot be read: {error}", file=file) from None


def _read_npy(path: Path, file: str) -> Any:
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except (
        ValueError,
        OSError,
        EOFError,
        TypeError,
        SyntaxError,
        KeyError,
        MemoryError,
        OverflowError,
        RecursionError,
    ) as error:
        raise _fail("KC0521", f"this .npy file cannot be read: {printable(str(error), 200)}", file=file) from None


def _from_array(array: Any, decl: State) -> Any:
    """Return an array as the memory takes it: its bytes, little-endian, for a byte memory."""
    from kernelcraft_core.isa import Bytes

    if not isinstance(decl, Bytes):
        return array
    if array.dtype.hasobject or array.dtype.kind not in "iufb":
        raise _fail("KC0521", f"an array of {array.dtype} has no bytes to put into {decl.name}")
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def _from_hex(data: bytes, file: str) -> bytes:
    """Return the bytes of a text of hexadecimal digits, in the order in which they are written."""
    digits = _HEX_SKIP.sub(b"", data)
    try:
        return bytes.fromhex(digits.decode("ascii"))
    except (ValueError, UnicodeDecodeError):
        raise _fail(
            "KC0521", "this is not a text of hexadecimal bytes", "two digits per byte: 00 3f 80", file
        ) from None


def element_bytes(decl: State) -> int:
    """Return how many bytes one element of a memory or register file takes in a raw file."""
    dtype = getattr(decl, "dtype", None)
    if dtype is not None:
        return {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}.get(dtype) or int(dtype[1:]) // 8
    bits = getattr(decl, "bits", None) or 8
    return next(size for size in (1, 2, 4, 8) if bits <= 8 * size)


def _capacity(isa: Isa, decl: State) -> int:
    """Return how many bytes of a raw file the state holds."""
    from kernelcraft_core.isa import Bytes, Opaque

    if isinstance(decl, Opaque):
        raise _fail("KC0511", f"{decl.name!r} cannot be loaded")
    if isinstance(decl, Bytes):
        return isa.scope.dim(decl.size)
    count = isa.scope.dim(getattr(decl, "count", 1))
    for size in getattr(decl, "shape", ()):
        count *= isa.scope.dim(size)
    return count * element_bytes(decl)


def _from_bytes(isa: Isa, decl: Any, data: bytes, file: str) -> Any:
    """Return raw little-endian elements as numbers, shaped as the memory takes them."""
    import numpy as np

    size = element_bytes(decl)
    if len(data) % size:
        raise _fail("KC0521", f"{len(data)} bytes are not a whole number of elements of {size} bytes", file=file)
    dtype = getattr(decl, "dtype", None)
    if dtype == "bf16":
        values = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    else:
        letter = "f" if dtype and "f" in dtype else "i" if dtype and dtype[0] == "i" else "u"
        values = np.frombuffer(data, f"<{letter}{size}")
    shape = tuple(isa.scope.dim(d) for d in getattr(decl, "shape", ()))
    if not shape:
        return values[0] if not hasattr(decl, "count") and len(values) == 1 else values
    row = int(np.prod(shape))
    if len(values) % row:
        raise _fail("KC0521", f"{len(values)} elements are not a whole number of rows of {row}", file=file)
    return values.reshape(-1, *shape) if hasattr(decl, "count") else values.reshape(shape)


# --- showing ----------------------------------------------------------------------------------------------------------


@frozen
class Shown:
    """One part of `--show`: a state and the range of it, in indices (bytes: addresses); `stop` None is the end."""

    text: str
    name: str
    start: int | None
    stop: int | None
    whole: bool
    single: bool = False


def parse_show(isa: Isa, text: str) -> list[Shown]:
    """Return the parts of `gp,f,vram[0:4],hbm[0x40:0x80]`.

    Raises:
        MachineError: KC0510 unknown state, KC0522 not of the form.
    """
    out = []
    for part in text.split(","):
        m = _SHOW.fullmatch(part)
        if m is None:
            raise _fail("KC0522", f"--show {printable(part)!r} is not of the form name, name[index] or name[from:to]")
        name, first, colon, last = m.groups()
        if name != "pc":
            _state(isa, name)
        start = int(first, 0) if first else None
        stop = int(last, 0) if last else None
        if "[" in part and not colon:
            if start is None:
                raise _fail("KC0522", f"--show {printable(part)!r} has no index")
            stop = start + 1
        out.append(Shown(part.strip(), name, start, stop, "[" not in part, "[" in part and not colon))
    return out


def values(isa: Isa, state: Any, shown: Shown) -> Any:
    """Return the final values of one part: a number, a list, or (byte memories) hexadecimal text.

    Raises:
        MachineError: KC0523 the range is not inside, or too large to show.
    """
    from kernelcraft_core.isa import Bytes

    if shown.name not in state:
        raise _fail("KC0523", f"{shown.name} cannot be shown")
    value = state[shown.name]
    shape = getattr(value, "shape", ())
    if not shape:
        if not shown.whole:
            raise _fail("KC0523", f"{shown.name} is one register: --show {shown.name}")
        return value
    decl = isa.state_named(shown.name)
    base = isa.scope.dim(decl.base) if isinstance(decl, Bytes) else 0
    start = base if shown.start is None else shown.start
    stop = base + shape[0] if shown.stop is None else shown.stop
    if not base <= start <= stop <= base + shape[0]:
        raise _fail("KC0523", f"{shown.text} is not inside {shown.name} ({base}..{base + shape[0]})")
    each = 1
    for size in shape[1:]:
        each *= size
    if (stop - start) * each > MAX_SHOWN:
        hint = f"--show '{shown.name}[{start}:{start + max(1, min(4, MAX_SHOWN // each))}]'"
        raise _fail("KC0523", f"{shown.text} has {(stop - start) * each} elements; at most {MAX_SHOWN} are shown", hint)
    part = value[start - base : stop - base]
    if isinstance(decl, Bytes):
        return part.tobytes().hex()
    return part.tolist()[0] if shown.single else part.tolist()
