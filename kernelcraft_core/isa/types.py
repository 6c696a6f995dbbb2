"""Types of the semantics language: what names mean, what primitives give, how large integers can get."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from attrs import frozen

from kernelcraft_core.diagnostics import Diagnostic, IsaError, did_you_mean
from kernelcraft_core.isa import ir
from kernelcraft_core.isa.ir import ArrayType, Float, Int
from kernelcraft_core.isa.model import Kind, Placeholder, Reg, State
from kernelcraft_core.isa.primitives import Primitive

FLOATS = ("f16", "bf16", "f32", "f64")
_RESULT = re.compile(r"(int)(?:<(-?\w+),(-?\w+)>)?$|(f16|bf16|f32|f64|u8|i8|u16|i16|u32|i32|u64|i64)(?:\[([\w,]+)\])?$")


@frozen
class Scope:
    """What names mean in the texts of one ISA."""

    state: Mapping[str, State]
    params: Mapping[str, int]
    primitives: Mapping[str, Primitive]
    pc_bits: int = 32

    def dim(self, value: int | str) -> int:
        """Return a size given as a number or a parameter name."""
        if isinstance(value, int):
            return value
        if value not in self.params:
            raise IsaError(
                Diagnostic("KC0105", f"size {value!r} is not a parameter", hint=did_you_mean(value, self.params))
            )
        return self.params[value]


def result_type(text: str, scope: Scope) -> ir.Type:
    """Return the type a primitive's `result` entry names: `int`, `int<0,63>`, `f32`, `bf16[VLEN]`, `f32[4,4]`."""
    m = _RESULT.match(text)
    if not m:
        raise IsaError(Diagnostic("KC0106", f"primitive result {text!r} is not a type"))

    def number(part: str) -> int:
        return int(part) if part.lstrip("-").isdigit() else scope.dim(part)

    if m[1]:
        return Int(number(m[2]), number(m[3])) if m[2] else Int()
    if m[5]:
        return ArrayType(m[4], tuple(number(d) for d in m[5].split(",")))
    return Float(m[4])


def single(value: float) -> float:
    """Return a constant as every float of the language is held: exact in binary32."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf")


def is_exact(value: float, dtype: str) -> bool:
    """Return whether a number is exact in `f16` or `f32`."""
    code = "<e" if dtype == "f16" else "<f"
    try:
        return bool(struct.unpack(code, struct.pack(code, value))[0] == value)
    except (OverflowError, struct.error):
        return False


def cell_type(bits: int | None, dtype: str | None) -> ir.Type:
    """Return the type of a cell of `bits` bits, or of float format `dtype`."""
    return Int(0, (1 << bits) - 1) if bits is not None else Float(dtype or "f32")


def operand_type(kind: Kind) -> Int:
    """Return the range of values an operand of this kind can have when its instruction runs."""
    if isinstance(kind, Reg):
        return Int(0, kind.size - 1)
    if isinstance(kind, Placeholder):
        return Int(0, 0)
    if kind.lenient:  # the decoder lets every value of the field through
        return Int(-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1) if kind.signed else Int(0, (1 << kind.bits) - 1)
    return Int(kind.low, kind.high)


def int_range(op: str, a: Int, b: Int) -> Int:
    """Return bounds of `a op b`; None where nothing is known."""
    if op == "&" and ((a.lo is not None and a.lo >= 0) or (b.lo is not None and b.lo >= 0)):
        tops = [k.hi for k in (a, b) if k.lo is not None and k.lo >= 0 and k.hi is not None]
        return Int(0, min(tops) if tops else None)
    if op == "%" and b.lo is not None and b.hi is not None:
        return Int(0 if b.lo >= 0 else min(b.lo + 1, 0), max(b.hi - 1, 0))
    if None in (a.lo, a.hi, b.lo, b.hi):
        return Int()
    alo, ahi, blo, bhi = (int(x) for x in (a.lo, a.hi, b.lo, b.hi) if x is not None)
    if op == "+":
        return Int(alo + blo, ahi + bhi)
    if op == "-":
        return Int(alo - bhi, ahi - blo)
    if op in ("*", "<<"):
        right = (blo, bhi) if op == "*" else (1 << blo, 1 << bhi)
        corners = [x * y for x in (alo, ahi) for y in right]
        return Int(min(corners), max(corners))
    if op == ">>":
        corners = [x >> y for x in (alo, ahi) for y in (blo, bhi)]
        return Int(min(corners), max(corners))
    if op == "//" and blo > 0:
        corners = [x // y for x in (alo, ahi) for y in (blo, bhi)]
        return Int(min(corners), max(corners))
    if op == "//":  # by something that may be negative; by zero it traps
        top = max(abs(alo), abs(ahi))
        return Int(-top, top)
    top = 1 << max(x.bit_length() for x in (alo, ahi, blo, bhi))
    return Int(0 if alo >= 0 and blo >= 0 else -top, top - 1)  # & | ^
