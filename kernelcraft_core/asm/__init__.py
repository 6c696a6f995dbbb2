"""Assembling and disassembling for any ISA that is described with `kernelcraft_core.isa`.

Codes of what can be wrong; they never change meaning. A target's own checks continue the table from KC0260.

| code | meaning |
| --- | --- |
| KC0201 | unknown mnemonic |
| KC0202 | wrong number of operands, or an operand is missing |
| KC0203 | an immediate does not fit: too large, too small, negative where there are no negative ones |
| KC0204 | wrong class of operand: a number for a register, a register for a number, a register of another kind |
| KC0205 | register index out of range |
| KC0206 | a word that is neither a register nor a number; use of a symbol where there are none |
| KC0207 | an immediate is not a multiple of what it must be |
| KC0208 | only a fixed spelling may stand here |
| KC0209 | punctuation is missing or something unexpected stands in the line |
| KC0210 | a character that may only stand in comments; NUL |
| KC0211 | the file is not UTF-8 |
| KC0212 | a line is too long |
| KC0213 | malformed number |
| KC0214 | the mnemonic exists, but not in this ISA (another profile, an extension) |
| KC0220 | a symbol is not defined |
| KC0221 | a symbol is defined twice |
| KC0222 | a name that cannot be a symbol: a register, `.` |
| KC0223 | constants depend on one another |
| KC0224 | an expression is wrong: not complete, division by zero, shift amount, too large, no address |
| KC0225 | a value must be known here but is defined further down |
| KC0226 | labels, constants or directives in a dialect without them |
| KC0227 | the target of a relative operand cannot be reached |
| KC0228 | a relocation operator names a label without its counterpart |
| KC0229 | a block comment is not closed |
| KC0230 | unknown directive |
| KC0231 | a directive or constant is written wrongly |
| KC0232 | the program gets too large |
| KC0233 | `.org` goes back |
| KC0234 | a datum does not fit its size |
| KC0235 | there is no place for a section |
| KC0236 | an instruction stands at an address where none can be |
| KC0240 | a pseudo-instruction of the ISA is wrong (when the assembler is built) |
| KC0241 | no variant of a pseudo-instruction is meant for these operands |
| KC0242 | what a pseudo-instruction stands for cannot be assembled |
| KC0243 | a statement has another length than was left for it |
| KC0244 | words are not a whole number of addresses long (when the assembler is built) |
| KC0250 | disassembly: no instruction |
| KC0251 | disassembly: reserved encoding |
| KC0252 | disassembly: the bytes end within a word |
| KC0253 | disassembly: the instruction has no text of its own |
| KC0290 | remark: how many more warnings there are |
"""

from kernelcraft_core.asm.dialect import C_PRECEDENCE, GNU_PRECEDENCE, Area, Dialect, gnu
from kernelcraft_core.asm.disassembler import Disassembler
from kernelcraft_core.asm.engine import Assembler, Check
from kernelcraft_core.asm.findings import bounded
from kernelcraft_core.asm.grammar import grammar_text

__all__ = [
    "C_PRECEDENCE",
    "GNU_PRECEDENCE",
    "Area",
    "Assembler",
    "Check",
    "Dialect",
    "Disassembler",
    "bounded",
    "gnu",
    "grammar_text",
]
