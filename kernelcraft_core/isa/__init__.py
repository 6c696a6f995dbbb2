"""Describing instruction sets: records, encodings, semantics, composition.

Codes of what can be wrong; they never change meaning.

| code | meaning |
| --- | --- |
| KC0101 | a syntax text cannot be read, or is too long |
| KC0102 | the syntax names an operand kind that is not declared |
| KC0103 | an operand: named twice, a name with another meaning, a default that does not fit, another form without it |
| KC0104 | a name is declared twice, is not a name, or has a meaning already |
| KC0105 | a size is neither a number nor a parameter |
| KC0106 | a primitive declares a result that is not a type |
| KC0107 | an instruction's category or delay is not possible |
| KC0108 | an operand kind or state is declared with widths or sizes that are not possible |
| KC0109 | there is no such instruction |
| KC0110 | an encoding token cannot be read |
| KC0111 | an encoding names something that is not an operand |
| KC0112 | bits of an operand are encoded twice or not at all |
| KC0113 | an encoded word is empty, too long, or not a whole number of bytes |
| KC0114 | two encodings overlap |
| KC0120 | a semantics or cost text is too long, too large or nested too deeply |
| KC0121 | a semantics or cost text is not the language's syntax |
| KC0122 | a form that is not part of the semantics language |
| KC0123 | naming a value: the name has a meaning, or there is not one value for each name |
| KC0124 | a name in a text is not known |
| KC0125 | state is used in a way it cannot be |
| KC0126 | types or shapes do not fit |
| KC0127 | a call is wrong: arguments, a value that is not used, `trap` without a trap kind |
| KC0128 | a register index may leave the register file |
| KC0129 | a shift amount may leave 0..128 |
| KC0130 | a cost is not a whole number, or may be negative |
| KC0131 | an integer may grow beyond 4096 bits |
| KC0140 | an extension is for another ISA, is applied already, or requires one that is not applied |
| KC0141 | an extension adds a name that exists already |
| KC0142 | an extension replaces an instruction that does not exist, or replaces one twice |
| KC0143 | an extension is not known, or its file cannot be read |
| KC0144 | an extension file is not TOML |
| KC0145 | an extension file states no schema, or one that this version does not read |
| KC0146 | an extension file has an unknown key |
| KC0147 | a key is missing in an extension file |
| KC0148 | a value in an extension file has the wrong type or is not possible |
| KC0149 | not the name of an extension |
| KC0150 | something only a plug-in can bring stands in an extension file |
| KC0151 | an example of an extension does not assemble to its instruction |
| KC0152 | something about an extension a reviewer should look at (a warning) |
| KC0153 | no extension of that name is known |
| KC0154 | two different extensions have the same name |
"""

from kernelcraft_core.isa.definition import Decoded, Definition
from kernelcraft_core.isa.isa import Isa
from kernelcraft_core.isa.model import (
    Array,
    Bytes,
    Extension,
    Fault,
    Imm,
    Instr,
    Opaque,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Region,
    Relocation,
    Rows,
    Scalar,
    Space,
    Words,
)
from kernelcraft_core.isa.primitives import Primitive, pure
from kernelcraft_core.isa.program import Item, Program, Section
from kernelcraft_core.isa.traps import Trap

__all__ = [
    "Array",
    "Bytes",
    "Decoded",
    "Definition",
    "Extension",
    "Fault",
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
    "Region",
    "Relocation",
    "Rows",
    "Scalar",
    "Section",
    "Space",
    "Trap",
    "Words",
    "pure",
]
