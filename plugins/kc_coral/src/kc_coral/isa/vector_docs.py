"""A sentence or two about each vector form, for the generated reference."""

from __future__ import annotations

import re

from kernelcraft_core.riscv import VectorForm

_RESULTS = {  # operation -> what vd[i] becomes; a stands for vs2[i], b for the second operand
    "vadd": "a + b",
    "vsub": "a - b",
    "vrsub": "b - a",
    "vminu": "the smaller of a and b, unsigned",
    "vmin": "the smaller of a and b, signed",
    "vmaxu": "the larger of a and b, unsigned",
    "vmax": "the larger of a and b, signed",
    "vand": "a & b",
    "vor": "a | b",
    "vxor": "a ^ b",
    "vsll": "a << b (the low bits of b count)",
    "vsrl": "a >> b, zeros coming in (the low bits of b count)",
    "vsra": "a >> b, the sign coming in (the low bits of b count)",
    "vmul": "the low half of a * b",
    "vmulh": "the high half of a * b, both signed",
    "vmulhu": "the high half of a * b, both unsigned",
    "vmulhsu": "the high half of a * b, a signed, b unsigned",
    "vdiv": "a / b, signed, towards zero; -1 if b is 0",
    "vdivu": "a / b, unsigned; all ones if b is 0",
    "vrem": "the remainder of a / b, signed, with the sign of a; a if b is 0",
    "vremu": "the remainder of a / b, unsigned; a if b is 0",
    "vsaddu": "a + b, unsigned, saturated",
    "vsadd": "a + b, signed, saturated",
    "vssubu": "a - b, unsigned, saturated",
    "vssub": "a - b, signed, saturated",
    "vaaddu": "(a + b) / 2, unsigned, rounded as vxrm says",
    "vaadd": "(a + b) / 2, signed, rounded as vxrm says",
    "vasubu": "(a - b) / 2, unsigned, rounded as vxrm says",
    "vasub": "(a - b) / 2, signed, rounded as vxrm says",
    "vssrl": "a >> b, unsigned, rounded as vxrm says",
    "vssra": "a >> b, signed, rounded as vxrm says",
    "vsmul": "a * b >> SEW - 1, signed, rounded as vxrm says and saturated",
    "vmacc": "vd[i] + a * b",
    "vnmsac": "vd[i] - a * b",
    "vmadd": "vd[i] * b + a",
    "vnmsub": "a - vd[i] * b",
    "vwaddu": "a + b, unsigned, of twice the width",
    "vwadd": "a + b, signed, of twice the width",
    "vwsubu": "a - b, unsigned, of twice the width",
    "vwsub": "a - b, signed, of twice the width",
    "vwmulu": "a * b, unsigned, of twice the width",
    "vwmulsu": "a * b of twice the width, a signed, b unsigned",
    "vwmul": "a * b, signed, of twice the width",
    "vwmaccu": "vd[i] + a * b of twice the width, unsigned",
    "vwmacc": "vd[i] + a * b of twice the width, signed",
    "vwmaccus": "vd[i] + a * b of twice the width, a signed, b unsigned",
    "vwmaccsu": "vd[i] + a * b of twice the width, a unsigned, b signed",
    "vnsrl": "a >> b, a of twice the width, zeros coming in",
    "vnsra": "a >> b, a of twice the width, the sign coming in",
    "vnclipu": "a >> b, a of twice the width, unsigned, rounded as vxrm says and saturated",
    "vnclip": "a >> b, a of twice the width, signed, rounded as vxrm says and saturated",
    "vadc": "a + b + the bit of v0",
    "vsbc": "a - b - the bit of v0",
    "vmerge": "b where the bit of v0 is set, a elsewhere",
    "vmv.v": "b",
    "vid": "i",
    "viota": "how many bits of vs2 are set below i",
    "vslideup": "vs2[i - b] for i >= b; the elements below stay",
    "vslidedown": "vs2[i + b], 0 from VLMAX on",
    "vslide1up": "vs2[i - 1], and b in element 0",
    "vslide1down": "vs2[i + 1], and b in the last element",
    "vrgather": "vs2[b], 0 from VLMAX on",
    "vrgatherei16": "vs2[b], b of 16 bits, 0 from VLMAX on",
}
_BITS = {  # operation -> when bit i of vd is set
    "vmseq": "a = b",
    "vmsne": "a and b differ",
    "vmsltu": "a < b, unsigned",
    "vmslt": "a < b, signed",
    "vmsleu": "a <= b, unsigned",
    "vmsle": "a <= b, signed",
    "vmsgtu": "a > b, unsigned",
    "vmsgt": "a > b, signed",
    "vmadc": "a + b carries",
    "vmsbc": "a - b borrows",
    "vmsbf": "no bit of vs2 up to and with i is set",
    "vmsif": "no bit of vs2 below i is set",
    "vmsof": "bit i is the first of vs2 that is set",
    "vmandn": "it is set in vs2 and not in vs1",
    "vmand": "it is set in vs2 and vs1",
    "vmor": "it is set in vs2 or vs1",
    "vmxor": "it is set in one of vs2 and vs1",
    "vmorn": "it is set in vs2 or not in vs1",
    "vmnand": "it is not set in both vs2 and vs1",
    "vmnor": "it is set neither in vs2 nor in vs1",
    "vmxnor": "it is the same in vs2 and vs1",
}
_REDUCED = {
    "sum": "the sum",
    "and": "the bitwise and",
    "or": "the bitwise or",
    "xor": "the bitwise exclusive or",
    "minu": "the smallest, unsigned,",
    "min": "the smallest, signed,",
    "maxu": "the largest, unsigned,",
    "max": "the largest, signed,",
    "sumu": "the sum",
}
_OTHERS = {
    "vcpop": "Writes to rd how many active bits of vs2 are set.",
    "vfirst": "Writes to rd the number of the first active bit of vs2 that is set, -1 if none is.",
    "vmv.x": "Writes element 0 of vs2 to rd, zero-extended (the standard sign-extends). Works with vl = 0.",
    "vmv.s": "Writes rs1 to element 0 of vd.",
    "vcompress": "Writes the elements of vs2 whose bit in vs1 is set to vd, side by side.",
}
_ASKED = {
    "vsetvli": "rs1 (VLMAX if that is x0; the old vl if rd is x0 too)",
    "vsetivli": "avl",
    "vsetvl": "rs1 (as in vsetvli)",
}
_WHERE = {
    "unit": "one behind the other from rs1 on",
    "first": "one behind the other from rs1 on; a plain load: every fault stops the run, and vl stays",
    "strided": "from rs1 on, rs2 bytes apart",
}


def document(form: VectorForm) -> str:
    """Return what a form does."""
    name = form.operation
    if form.group in ("load", "store"):
        return _access(form)
    if form.group == "config":
        source = " from rs2" if name == "vsetvl" else ""
        return f"Sets vtype{source}, and vl and rd to the smaller of {_ASKED[name]} and VLMAX."
    if name in _OTHERS:
        return _OTHERS[name]
    if name == "vmvr":
        return f"Copies {form.fields} whole register{'s' * (form.fields > 1)}. Works with vl = 0."
    if form.group == "reduction":
        wide = name.startswith("vw")
        width = f", {'un' * name.endswith('u')}signed, in twice the width" if wide else ""
        return f"Writes {_REDUCED[name.split('red')[1]]} of vs1[0] and the active elements of vs2 to vd[0]{width}."
    if name in ("vzext", "vsext"):
        return f"vd[i] = vs2[i], {'sign' if name == 'vsext' else 'zero'}-extended from SEW / {form.form[2:]}."
    if name in _BITS:
        condition = _filled(_BITS[name], form)
        if form.form.endswith("m") and name in ("vmadc", "vmsbc"):
            sign, verb = ("+", "carries") if name == "vmadc" else ("-", "borrows")
            condition = condition.replace(verb, f"{sign} the bit of v0 {verb}")
        return f"Sets bit i of vd if {condition}, clears it otherwise."
    result = _RESULTS[name]
    if form.group == "widening" and form.form[0] == "w":
        result = result.replace("a ", "a (of twice the width) ", 1)
    return f"vd[i] = {_filled(result, form)}."


def _filled(text: str, form: VectorForm) -> str:
    """Return a text with the form's operands in place of a and b."""
    second = {"x": "rs1", "i": "imm"}.get(form.form.rstrip("m")[-1:], "vs1[i]")
    return re.sub(r"\b[ab]\b", lambda match: "vs2[i]" if match[0] == "a" else second, text)


def _access(form: VectorForm) -> str:
    verb = "Loads" if form.group == "load" else "Stores"
    if form.form == "whole":
        return f"{verb} {form.fields} whole register{'s' * (form.fields > 1)} at rs1, whatever vl is."
    if form.form == "mask":
        return f"{verb} the bytes of a mask of vl bits at rs1."
    what = f"segments of {form.fields} elements" if form.fields > 1 else "elements"
    if form.form == "indexed":
        return f"{verb} {what} of SEW bits at rs1 + the offsets of {form.eew} bits in vs2."
    return f"{verb} {what} of {form.eew} bits, {_WHERE[form.form]}."
