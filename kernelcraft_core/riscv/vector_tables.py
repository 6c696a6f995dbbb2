"""RVV 1.0, integer and fixed point, as tables: syntax and encoding of every form. What they do is a target's to say.

A `VectorForm` is one way to write one operation; `vector_instrs` makes instructions of them with the meaning, the category and
the timing class that a function of the target gives each. Loops over the tables make the forms: an operation's row names the
forms it has, and everything else follows from the form.

Source: RISC-V "V" Vector Extension, version 1.0, chapters 6-16 and the table "Vector Instruction Listing".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attrs import frozen

from kernelcraft_core.isa import Imm, Instr, Placeholder, Reg
from kernelcraft_core.isa.model import Kind

_OP, _LOAD, _STORE = "1010111", "0000111", "0100111"
_MASKED = ", vm:vm=1"
_WIDTHS = {8: "000", 16: "101", 32: "110", 64: "111"}
LMULS = {"m1": 0, "m2": 1, "m4": 2, "m8": 3, "mf8": 5, "mf4": 6, "mf2": 7}
SEWS = {"e8": 0, "e16": 1, "e32": 2, "e64": 3}


@frozen
class VectorForm:
    """One way to write one operation.

    Attributes:
        operation: `vadd`, `vle`, `vsetvli`: what all its forms share. form: `vv`, `vx`, `vi`, `vs`, `mm`, `wv`, `unit` ...
        syntax, encoding: as in `Instr`. also: further spellings. example: a line that assembles.
        group: what kind it is: `integer`, `multiply`, `compare`, `mask`, `reduction`, `widening`, `narrowing`, `permute`,
            `move`, `config`, `load`, `store`.
        eew: element width in bits that the instruction itself names, else 0. fields: registers groups of a segment access.
    """

    operation: str
    form: str
    syntax: str
    encoding: str
    group: str
    also: tuple[str, ...] = ()
    eew: int = 0
    fields: int = 1
    example: str = ""

    @property
    def mnemonic(self) -> str:
        """The assembly name."""
        return self.syntax.split()[0]


# operation, funct6, forms (V, X, I signed, U unsigned immediate), group
_INTEGER = (
    ("vadd", "000000", "VXI", "integer"),
    ("vsub", "000010", "VX", "integer"),
    ("vrsub", "000011", "XI", "integer"),
    ("vminu", "000100", "VX", "integer"),
    ("vmin", "000101", "VX", "integer"),
    ("vmaxu", "000110", "VX", "integer"),
    ("vmax", "000111", "VX", "integer"),
    ("vand", "001001", "VXI", "integer"),
    ("vor", "001010", "VXI", "integer"),
    ("vxor", "001011", "VXI", "integer"),
    ("vrgather", "001100", "VXU", "permute"),
    ("vslideup", "001110", "XU", "permute"),
    ("vrgatherei16", "001110", "V", "permute"),
    ("vslidedown", "001111", "XU", "permute"),
    ("vmseq", "011000", "VXI", "compare"),
    ("vmsne", "011001", "VXI", "compare"),
    ("vmsltu", "011010", "VX", "compare"),
    ("vmslt", "011011", "VX", "compare"),
    ("vmsleu", "011100", "VXI", "compare"),
    ("vmsle", "011101", "VXI", "compare"),
    ("vmsgtu", "011110", "XI", "compare"),
    ("vmsgt", "011111", "XI", "compare"),
    ("vsaddu", "100000", "VXI", "integer"),
    ("vsadd", "100001", "VXI", "integer"),
    ("vssubu", "100010", "VX", "integer"),
    ("vssub", "100011", "VX", "integer"),
    ("vsll", "100101", "VXU", "integer"),
    ("vsmul", "100111", "VX", "multiply"),
    ("vsrl", "101000", "VXU", "integer"),
    ("vsra", "101001", "VXU", "integer"),
    ("vssrl", "101010", "VXU", "integer"),
    ("vssra", "101011", "VXU", "integer"),
)
_NARROWING = (("vnsrl", "101100"), ("vnsra", "101101"), ("vnclipu", "101110"), ("vnclip", "101111"))
_WIDE_SUMS = (("vwredsumu", "110000"), ("vwredsum", "110001"))
# operation, funct6, forms with carry in (C) and without (N) by operand kind
_CARRIES = (
    ("vadc", "010000", "VXI", ""),
    ("vmadc", "010001", "VXI", "VXI"),
    ("vsbc", "010010", "VX", ""),
    ("vmsbc", "010011", "VX", "VX"),
)
_REDUCTIONS = tuple(
    (f"vred{name}", f"{number:06b}")
    for number, name in enumerate(("sum", "and", "or", "xor", "minu", "min", "maxu", "max"))
)
_MULTIPLY = (  # the second major group: operation, funct6, forms, group
    ("vaaddu", "001000", "VX", "integer"),
    ("vaadd", "001001", "VX", "integer"),
    ("vasubu", "001010", "VX", "integer"),
    ("vasub", "001011", "VX", "integer"),
    ("vslide1up", "001110", "X", "permute"),
    ("vslide1down", "001111", "X", "permute"),
    ("vdivu", "100000", "VX", "divide"),
    ("vdiv", "100001", "VX", "divide"),
    ("vremu", "100010", "VX", "divide"),
    ("vrem", "100011", "VX", "divide"),
    ("vmulhu", "100100", "VX", "multiply"),
    ("vmul", "100101", "VX", "multiply"),
    ("vmulhsu", "100110", "VX", "multiply"),
    ("vmulh", "100111", "VX", "multiply"),
    ("vwaddu", "110000", "VX", "widening"),
    ("vwadd", "110001", "VX", "widening"),
    ("vwsubu", "110010", "VX", "widening"),
    ("vwsub", "110011", "VX", "widening"),
    ("vwmulu", "111000", "VX", "widening"),
    ("vwmulsu", "111010", "VX", "widening"),
    ("vwmul", "111011", "VX", "widening"),
)
_WIDE_SOURCE = (("vwaddu", "110100"), ("vwadd", "110101"), ("vwsubu", "110110"), ("vwsub", "110111"))
_ACCUMULATE = (
    ("vmadd", "101001", "VX", "multiply"),
    ("vnmsub", "101011", "VX", "multiply"),
    ("vmacc", "101101", "VX", "multiply"),
    ("vnmsac", "101111", "VX", "multiply"),
    ("vwmaccu", "111100", "VX", "widening"),
    ("vwmacc", "111101", "VX", "widening"),
    ("vwmaccus", "111110", "X", "widening"),
    ("vwmaccsu", "111111", "VX", "widening"),
)
_MASK_LOGIC = tuple(
    (name, f"{0b011000 + number:06b}")
    for number, name in enumerate(("vmandn", "vmand", "vmor", "vmxor", "vmorn", "vmnand", "vmnor", "vmxnor"))
)
_MASK_UNARY = (("vmsbf", "00001"), ("vmsof", "00010"), ("vmsif", "00011"), ("viota", "10000"))
_EXTENSIONS = (("vzext", 4, "00100"), ("vsext", 4, "00101"), ("vzext", 2, "00110"), ("vsext", 2, "00111"))
# operand of a form: text suffix, operand, encoding field, funct3 in the first and in the second major group
_FORMS = {
    "V": ("v", "vs1:v", "vs1", "000", "010"),
    "X": ("x", "rs1:x", "rs1", "100", "110"),
    "I": ("i", "imm:simm5", "imm", "011", ""),
    "U": ("i", "imm:vuimm5", "imm", "011", ""),
}
_EXAMPLES = {"V": "v3", "X": "a5", "I": "5", "U": "5"}


def vector_kinds(sews: Iterable[str] = ("e8", "e16", "e32"), lmuls: Iterable[str] = LMULS) -> tuple[Kind, ...]:
    """Return the operand kinds of vector instructions, with the element widths and multipliers a target accepts."""
    return (
        Reg("v", bits=5, prefix="v"),
        Reg("vm", bits=1, prefix="", names={"v0.t": 0}, partial=True),
        Reg("sew", bits=3, prefix="", names={name: SEWS[name] for name in sews}, partial=True),
        Reg("lmul", bits=3, prefix="", names={name: LMULS[name] for name in lmuls}, partial=True),
        Reg("vta", bits=1, prefix="", names={"tu": 0, "ta": 1}),
        Reg("vma", bits=1, prefix="", names={"mu": 0, "ma": 1}),
        Placeholder("carry", ("v0",)),
        Imm("simm5", bits=5, signed=True),
        Imm("vuimm5", bits=5),
        # immediates of comparisons that become one less
        Imm("above", bits=6, signed=True, min=-15, max=16),
        Imm("uabove", bits=5, min=1, max=16),
    )


def vector_forms() -> tuple[VectorForm, ...]:
    """Return every form of the configuration, arithmetic, mask, permutation, load and store instructions."""
    return (*_configuration(), *_arithmetic(), *_carries(), *_masks(), *_moves(), *_accesses())


def vector_instrs(
    meaning: Callable[[VectorForm], str], details: Callable[[VectorForm], dict[str, Any]]
) -> tuple[Instr, ...]:
    """Return the instructions of all forms.

    Args:
        meaning: the semantics of a form.
        details: further fields of its record: `category`, `unit`, `doc`, and `timing` or `latency`.
    """
    return tuple(
        Instr(
            form.syntax,
            encoding=form.encoding,
            semantics=meaning(form),
            also=form.also,
            name=form.mnemonic.replace(".", "_"),
            examples=(form.example,),
            **details(form),
        )
        for form in vector_forms()
    )


# --- arithmetic ----------------------------------------------------------------------------------------------------------


def _binary(operation: str, funct6: str, form: str, group: str, second: bool, *, mix: str = "v") -> VectorForm:
    """Return `operation.{mix}{form} vd, vs2, operand`; `second` is the major group with multiplications."""
    suffix, operand, field, first, other = _FORMS[form]
    name = f"{operation}.{mix}{suffix}"
    return VectorForm(
        operation,
        f"{mix}{suffix}",
        f"{name} vd:v, vs2:v, {operand}{_MASKED}",
        f"{funct6} vm vs2 {field} {other if second else first} vd {_OP}",
        group,
        example=f"{name} v8, v2, {_EXAMPLES[form]}",
    )


def _arithmetic() -> Iterator[VectorForm]:
    for table, second in ((_INTEGER, False), (_MULTIPLY, True)):
        for operation, funct6, forms, group in table:
            for form in forms:
                yield _binary(operation, funct6, form, group, second)
    for operation, funct6 in _NARROWING:
        for form in "VXU":
            yield _binary(operation, funct6, form, "narrowing", False, mix="w")
    for operation, funct6 in _WIDE_SOURCE:
        for form in "VX":
            yield _binary(operation, funct6, form, "widening", True, mix="w")
    for table_, funct3 in ((_WIDE_SUMS, "000"), (_REDUCTIONS, "010")):
        for operation, funct6 in table_:
            syntax = f"{operation}.vs vd:v, vs2:v, vs1:v{_MASKED}"
            encoding = f"{funct6} vm vs2 vs1 {funct3} vd {_OP}"
            yield VectorForm(operation, "vs", syntax, encoding, "reduction", example=f"{operation}.vs v8, v2, v3")
    for operation, funct6, forms, group in _ACCUMULATE:
        for form in forms:
            suffix, operand, field, _, funct3 = _FORMS[form]
            name = f"{operation}.v{suffix}"
            syntax = f"{name} vd:v, {operand}, vs2:v{_MASKED}"
            encoding = f"{funct6} vm vs2 {field} {funct3} vd {_OP}"
            yield VectorForm(
                operation, f"v{suffix}", syntax, encoding, group, example=f"{name} v8, {_EXAMPLES[form]}, v2"
            )
    for operation, factor, code in _EXTENSIONS:
        name = f"{operation}.vf{factor}"
        encoding = f"010010 vm vs2 {code} 010 vd {_OP}"
        yield VectorForm(
            operation, f"vf{factor}", f"{name} vd:v, vs2:v{_MASKED}", encoding, "widening", example=f"{name} v8, v2"
        )


def _carries() -> Iterator[VectorForm]:
    """Yield sums and differences with a carry, and `vmerge`, which is written like them."""
    for operation, funct6, with_carry, without in (*_CARRIES, ("vmerge", "010111", "VXI", "")):
        for forms, vm, letter, last in ((with_carry, "0", "m", ", _:carry"), (without, "1", "", "")):
            for form in forms:
                suffix, operand, field, funct3, _ = _FORMS[form]
                name = f"{operation}.v{suffix}{letter}"
                encoding = f"{funct6} {vm} vs2 {field} {funct3} vd {_OP}"
                example = f"{name} v8, v2, {_EXAMPLES[form]}{', v0' if letter else ''}"
                yield VectorForm(
                    operation,
                    f"v{suffix}{letter}",
                    f"{name} vd:v, vs2:v, {operand}{last}",
                    encoding,
                    "move" if operation == "vmerge" else "integer",
                    example=example,
                )


def _masks() -> Iterator[VectorForm]:
    for operation, funct6 in _MASK_LOGIC:
        syntax = f"{operation}.mm vd:v, vs2:v, vs1:v"
        encoding = f"{funct6} 1 vs2 vs1 010 vd {_OP}"
        yield VectorForm(operation, "mm", syntax, encoding, "mask", example=f"{operation}.mm v8, v2, v3")
    for operation, code in _MASK_UNARY:
        syntax, encoding = f"{operation}.m vd:v, vs2:v{_MASKED}", f"010100 vm vs2 {code} 010 vd {_OP}"
        yield VectorForm(operation, "m", syntax, encoding, "mask", example=f"{operation}.m v8, v2")
    for operation, code in (("vcpop", "10000"), ("vfirst", "10001")):
        syntax, encoding = f"{operation}.m rd:x, vs2:v{_MASKED}", f"010000 vm vs2 {code} 010 rd {_OP}"
        yield VectorForm(operation, "m", syntax, encoding, "mask", example=f"{operation}.m a0, v2")
    encoding = f"010100 vm 00000 10001 010 vd {_OP}"
    yield VectorForm("vid", "v", f"vid.v vd:v{_MASKED}", encoding, "mask", example="vid.v v8")


def _moves() -> Iterator[VectorForm]:
    for form in "VXI":
        suffix, operand, field, funct3, _ = _FORMS[form]
        name = f"vmv.v.{suffix}"
        encoding = f"010111 1 00000 {field} {funct3} vd {_OP}"
        yield VectorForm(
            "vmv.v", suffix, f"{name} vd:v, {operand}", encoding, "move", example=f"{name} v8, {_EXAMPLES[form]}"
        )
    for count in (1, 2, 4, 8):
        encoding = f"100111 1 vs2 {count - 1:05b} 011 vd {_OP}"
        name = f"vmv{count}r.v"
        yield VectorForm("vmvr", "v", f"{name} vd:v, vs2:v", encoding, "move", fields=count, example=f"{name} v8, v16")
    encoding = f"010000 1 vs2 00000 010 rd {_OP}"
    yield VectorForm("vmv.x", "s", "vmv.x.s rd:x, vs2:v", encoding, "move", example="vmv.x.s a0, v2")
    encoding = f"010000 1 00000 rs1 110 vd {_OP}"
    yield VectorForm("vmv.s", "x", "vmv.s.x vd:v, rs1:x", encoding, "move", example="vmv.s.x v8, a0")
    encoding = f"010111 1 vs2 vs1 010 vd {_OP}"
    syntax = "vcompress.vm vd:v, vs2:v, vs1:v"
    yield VectorForm("vcompress", "vm", syntax, encoding, "permute", example="vcompress.vm v8, v2, v3")


# --- configuration -------------------------------------------------------------------------------------------------------


def _configuration() -> Iterator[VectorForm]:
    policy = ", ta:vta=0, ma:vma=0"
    for name, operand, head, field in (
        ("vsetvli", "rs1:x", "0 000", "rs1"),
        ("vsetivli", "avl:vuimm5", "11 00", "avl"),
    ):
        written = "a1" if field == "rs1" else "17"
        yield VectorForm(
            name,
            "",
            f"{name} rd:x, {operand}, sew:sew, lmul:lmul=0{policy}",
            f"{head} ma ta sew lmul {field} 111 rd {_OP}",
            "config",
            also=(f"{name} rd:x, {operand}, sew:sew{policy}",),
            example=f"{name} t0, {written}, e8, m1, ta, ma",
        )
    encoding = f"1000000 rs2 rs1 111 rd {_OP}"
    yield VectorForm("vsetvl", "", "vsetvl rd:x, rs1:x, rs2:x", encoding, "config", example="vsetvl t0, a1, a2")


# --- loads and stores ----------------------------------------------------------------------------------------------------


def _accesses() -> Iterator[VectorForm]:
    for width in (8, 16, 32):
        for fields in range(1, 9):
            yield from _of_width(width, fields)
    for count in (1, 2, 4, 8):
        for width in (8, 16, 32):
            yield _access(f"vl{count}re{width}.v", "whole", "vlr", "00", "01000", width, count, masked=False)
        yield _access(f"vs{count}r.v", "whole", "vsr", "00", "01000", 8, count, masked=False)
    for name, alias, operation in (("vlm.v", "vle1.v", "vlm"), ("vsm.v", "vse1.v", "vsm")):
        yield _access(name, "mask", operation, "00", "01011", 8, 1, masked=False, alias=alias)


def _of_width(width: int, fields: int) -> Iterator[VectorForm]:
    """Yield the accesses of one element (or index) width and number of fields."""
    segment = f"seg{fields}" if fields > 1 else ""
    for letter in "ls":
        end = f"{segment}e{width}"
        yield _access(f"v{letter}{end}.v", "unit", f"v{letter}e", "00", "00000", width, fields)
        yield _access(f"v{letter}s{end}.v", "strided", f"v{letter}se", "10", "rs2", width, fields)
        for order, mop in (("ux", "01"), ("ox", "11")):
            name = f"v{letter}{order}{segment}ei{width}.v"
            yield _access(name, "indexed", f"v{letter}{order}ei", mop, "vs2", width, fields)
    yield _access(f"vl{segment}e{width}ff.v", "first", "vleff", "00", "10000", width, fields)


def _access(
    name: str,
    form: str,
    operation: str,
    mop: str,
    second: str,
    width: int,
    fields: int,
    *,
    masked: bool = True,
    alias: str = "",
) -> VectorForm:
    load = operation.startswith("vl")
    data = "vd" if load else "vs3"
    more = {"rs2": ", rs2:x", "vs2": ", vs2:v"}.get(second, "")
    operands = f"{data}:v, (rs1:x){more}{_MASKED if masked else ''}"
    size = _WIDTHS[width]
    return VectorForm(
        operation,
        form,
        f"{name} {operands}",
        f"{fields - 1:03b} 0 {mop} {'vm' if masked else '1'} {second} rs1 {size} {data} {_LOAD if load else _STORE}",
        "load" if load else "store",
        also=(f"{alias} {operands}",) if alias else (),
        eew=width,
        fields=fields,
        example=f"{name} v8, (a0){', a6' if second == 'rs2' else ', v28' if second == 'vs2' else ''}",
    )
