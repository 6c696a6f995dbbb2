"""Vector instructions: for each form of the RVV tables its meaning, unit and documentation.

Source: RVV 1.0; google-coral/coralnpu (RvvCoreMiniAxi, early 2026) for units and for what differs from the standard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc_coral.isa.vector_docs import document
from kc_coral.primitives import arithmetic, fixed, masks, permute, widening
from kc_coral.primitives.bank import SCALAR
from kernelcraft_core import riscv
from kernelcraft_core.riscv import VectorForm


def _numbers(rows: Any) -> dict[str, int]:
    return {row if isinstance(row, str) else getattr(row, "name", None) or row[0]: n for n, row in enumerate(rows)}


_BINARY, _ACCUMULATE = _numbers(arithmetic.BINARY), _numbers(arithmetic.ACCUMULATE)
_FIXED, _CLIPS = _numbers(fixed.FIXED), _numbers(fixed.CLIPS)
_WIDENING, _WIDE_ACCUMULATE = _numbers(widening.WIDENING), _numbers(widening.WIDE_ACCUMULATE)
_NARROWING = _numbers(widening.NARROWING)
_COMPARES, _LOGIC, _SCANS = _numbers(masks.COMPARES), _numbers(masks.LOGIC), _numbers(masks.SCANS)
_REDUCTIONS, _SLIDES = _numbers(permute.REDUCTIONS), _numbers(permute.SLIDES)
_CARRIES = {"vadc": (0, 0), "vmadc": (0, 1), "vsbc": (1, 0), "vmsbc": (1, 1)}


def _operand(form: VectorForm) -> tuple[str, str]:
    """Return (value, source) of a form's second operand."""
    letter = form.form.rstrip("m")[-1]
    return {"v": ("0", "vs1"), "x": ("x[rs1]", str(SCALAR)), "i": ("imm", str(SCALAR)), "s": ("0", "vs1")}[letter]


def _elementwise(form: VectorForm) -> str | None:
    """Return the meaning of an operation on elements, or None."""
    name = form.operation + (".w" if form.group == "widening" and form.form[0] == "w" else "")
    tables = (
        ("vbinary", _BINARY, "vtype, vl, vm"),
        ("vaccumulate", _ACCUMULATE, "vtype, vl, vm"),
        ("vwiden", _WIDENING, "vtype, vl, vm"),
        ("vaccumulate_wide", _WIDE_ACCUMULATE, "vtype, vl, vm"),
        ("vnarrow", _NARROWING, "vtype, vl, vm"),
        ("vcompare", _COMPARES, "vtype, vl, vm"),
        ("vfixed", _FIXED, "vtype, vl, vxrm, vm"),
        ("vclip", _CLIPS, "vtype, vl, vxrm, vm"),
    )
    for primitive, numbers, configuration in tables:
        if name in numbers:
            value, source = _operand(form)
            state = "v, vxsat" if "vxrm" in configuration else "v"
            return f"{primitive}({state}, {value}, {numbers[name]}, {configuration}, vd, vs2, {source})"
    return None


def _config(form: VectorForm) -> str:
    if form.operation == "vsetivli":
        avl = "avl"
    else:
        avl = "(x[rs1] if rs1 else 0xffffffff if rd else vl)"
    kind = "x[rs2]" if form.operation == "vsetvl" else "(ma << 7 | ta << 6 | sew << 3 | lmul)"
    return (
        f"most = vlmax({kind}); length = min({avl}, most)\n"
        f"vtype = {kind} if most else 0x80000000; vl = length; x[rd] = length"
    )


def _carry(form: VectorForm) -> str:
    subtracts, gives = _CARRIES[form.operation]
    value, source = _operand(form)
    vm = 0 if form.form.endswith("m") else 1
    return f"vcarry(v, {value}, {subtracts}, {gives}, vtype, vl, {vm}, vd, vs2, {source})"


def _slide(form: VectorForm) -> str:
    value, _ = _operand(form)
    return f"vslide(v, {value}, {_SLIDES[form.operation]}, vtype, vl, vm, vd, vs2)"


def _gather(form: VectorForm) -> str:
    value, source = _operand(form)
    wide = int(form.operation == "vrgatherei16")
    return f"vgather(v, {value}, {wide}, vtype, vl, vm, vd, vs2, {source})"


def _move(form: VectorForm) -> str:
    value, source = _operand(form)
    return f"vmove(v, {value}, vtype, vl, vd, {source})"


def _merge(form: VectorForm) -> str:
    value, source = _operand(form)
    return f"vmerge(v, {value}, vtype, vl, vd, vs2, {source})"


def _extend(form: VectorForm) -> str:
    return f"vextend(v, 0, {int(form.operation == 'vsext')}, {form.form[2:]}, vtype, vl, vm, vd, vs2)"


_MEANINGS: dict[str, Callable[[VectorForm], str]] = {
    **dict.fromkeys(("vsetvli", "vsetivli", "vsetvl"), _config),
    **dict.fromkeys(_CARRIES, _carry),
    **dict.fromkeys(_SLIDES, _slide),
    **dict.fromkeys(("vrgather", "vrgatherei16"), _gather),
    **dict.fromkeys(("vzext", "vsext"), _extend),
    **dict.fromkeys(_REDUCTIONS, lambda f: f"vreduce(v, 0, {_REDUCTIONS[f.operation]}, vtype, vl, vm, vd, vs2, vs1)"),
    **dict.fromkeys(_LOGIC, lambda f: f"vlogic(v, 0, {_LOGIC[f.operation]}, vtype, vl, vd, vs2, vs1)"),
    **dict.fromkeys(_SCANS, lambda f: f"vscan(v, 0, {_SCANS[f.operation]}, vtype, vl, vm, vd, vs2)"),
    "vcpop": lambda f: "x[rd] = vcount(v, 0, 0, vtype, vl, vm, vs2)",
    "vfirst": lambda f: "x[rd] = vcount(v, 0, 1, vtype, vl, vm, vs2)",
    "viota": lambda f: "viota(v, 0, vtype, vl, vm, vd, vs2)",
    "vid": lambda f: "videntity(v, 0, vtype, vl, vm, vd)",
    "vcompress": lambda f: "vcompress(v, 0, vtype, vl, vd, vs2, vs1)",
    "vmv.v": _move,
    "vmerge": _merge,
    "vmvr": lambda f: f"vmove_registers(v, 0, {f.fields}, vtype, vl, vd, vs2)",
    "vmv.x": lambda f: "x[rd] = vfirst_element(v, 0, vtype, vl, vs2)",
    "vmv.s": lambda f: "vset_first(v, x[rs1], vtype, vl, vd)",
}


def _access(form: VectorForm) -> str:
    """Return the meaning of a load or store."""
    verb, register = ("load", "vd") if form.group == "load" else ("store", "vs3")
    if form.form in ("whole", "mask"):
        count = form.fields if form.form == "whole" else 0
        return f"{verb}_whole(v, mem, x[rs1], 0, {count}, vtype, vl, {register})"
    mode = {"first": "unit"}.get(form.form, form.form)
    stride = "x[rs2]" if mode == "strided" else "0"
    index = ", vs2" if mode == "indexed" else ""
    return f"{verb}_{mode}(v, mem, x[rs1], {stride}, {form.eew}, {form.fields}, vtype, vl, vm, {register}{index})"


def meaning(form: VectorForm) -> str:
    """Return the semantics of a form."""
    if form.group in ("load", "store"):
        return _access(form)
    found = _MEANINGS.get(form.operation)
    if found is not None:
        return found(form)
    text = _elementwise(form)
    assert text is not None, form.mnemonic
    return text


_MULTIPLIER = ("vmul", "vsmul", "vmacc", "vnmsac", "vmadd", "vnmsub", "vwmul", "vwmacc")


def unit(form: VectorForm) -> str:
    """Return the unit that works on a form: ALU, multiplier, divider, PRC (permute, reduce, compare), memory port."""
    if form.group in ("load", "store"):
        return "memory"
    if form.group == "config":
        return "config"
    if form.group == "divide":
        return "vdiv"
    if form.operation.startswith(_MULTIPLIER):
        return "vmul"
    if form.group in ("compare", "reduction", "permute") or form.operation in ("vmadc", "vmsbc"):
        return "vprc"
    return "valu"


def details(form: VectorForm) -> dict[str, Any]:
    """Return the fields of a form's record besides syntax, encoding and meaning."""
    category = form.group if form.group in ("load", "store", "config") else "vector"
    return {"category": category, "unit": unit(form), "doc": document(form)}


VECTOR = riscv.vector_instrs(meaning, details)
"""All vector instructions."""
