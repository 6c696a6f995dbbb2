"""Describing instruction sets: records, encodings, semantics, composition."""

from kernelcraft_core.isa.isa import Decoded, Definition, Isa
from kernelcraft_core.isa.model import (
    Array,
    Bytes,
    Extension,
    Imm,
    Instr,
    Opaque,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Rows,
    Scalar,
    Words,
)
from kernelcraft_core.isa.primitives import Primitive, pure
from kernelcraft_core.isa.program import Item, Program, Section

__all__ = [
    "Array",
    "Bytes",
    "Decoded",
    "Definition",
    "Extension",
    "Imm",
    "Instr",
    "Isa",
    "Item",
    "Opaque",
    "Placeholder",
    "Primitive",
    "Program",
    "Pseudo",
    "Reg",
    "RegFile",
    "Rows",
    "Scalar",
    "Section",
    "Words",
    "pure",
]
