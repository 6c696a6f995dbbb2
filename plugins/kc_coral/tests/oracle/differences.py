"""What the Coral NPU does otherwise than the standard that Spike follows, and how the comparison copes: no wider than it must.

Source of every row: the public RTL (google-coral/coralnpu, RvvCoreMiniAxi, early 2026), behaviour measured on the generated
Verilog; what the standard says is from RVV 1.0 and the privileged architecture, volume II.
"""

from __future__ import annotations

import re

from attrs import frozen

AROUND, REPLACED, MAPPED, EXCLUDED = "generated around", "instruction replaced", "mapped", "not compared"


@frozen
class Difference:
    """One difference.

    Attributes:
        name: short. hardware, standard: what each does.
        how: `generated around`: programs hold code after (or no code before) which both must agree again;
            `instruction replaced`: the target refuses the use, and a no-operation stands in its place on both sides;
            `mapped`: the comparison translates one into the other; `not compared`: part of the final state is left out.
        what: the code, the translation, or the part. pattern: of the target's message, where it refuses a use.
        instructions: pattern of the names of the instructions that it holds for.
    """

    name: str
    hardware: str
    standard: str
    how: str
    what: str
    pattern: str = ""
    instructions: str = ""


PARTIAL = "fault in a vector access"
"""The difference that leaves part of the state open when a program ends with it."""

DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "mask tail",
        "mask logic writes all 128 bits, compares and vmadc/vmsbc the rest of the last register they work on",
        "RVV 1.0 3.4.3: tail bits of a mask are agnostic, Spike keeps them",
        AROUND,
        "bits at and above vl are cleared behind each instruction that makes a mask",
    ),
    Difference(
        "vmv.x.s",
        "zero-extends the element",
        "RVV 1.0 16.1: sign-extends",
        AROUND,
        "two shifts behind it clear the bits above the element",
    ),
    Difference(
        "vl of 128",
        "the CSR has seven bits: a read gives 0 (vset* itself returns 128)",
        "RVV 1.0 3.5: a read gives vl",
        AROUND,
        "andi with 127 behind each read",
    ),
    Difference(
        "read-only CSRs",
        "writes to vl, vtype and vlenb are ignored",
        "Zicsr: they are illegal instructions",
        AROUND,
        "these are only read",
    ),
    Difference(
        "other CSRs",
        "programs run in machine mode; mstatus, mtvec, mepc ... hold any value; there is no vcsr",
        "their fields are WARL, and the programs run in user mode on Spike, which has no access; there is vcsr",
        AROUND,
        "programs use vxsat, vxrm, vl, vtype and vlenb only",
    ),
    Difference(
        "reduced source group",
        "vslidedown and vrgather read 0 for elements behind the registers that vl needs",
        "RVV 1.0 16.3 and 16.4: up to VLMAX there are elements",
        REPLACED,
        "",
        r"element \d+ of vs2 is read: ",
    ),
    Difference(
        "reduced field group",
        "fields of a segment access lie as many registers apart as vl needs",
        "RVV 1.0 7.8: EMUL registers",
        REPLACED,
        "",
        r"vl = \d+ needs \d+ of the \d+ registers of a field",
    ),
    Difference(
        "overlapping segments",
        "a segment store writes field by field",
        "RVV 1.0 7.8: no order; Spike goes segment by segment",
        REPLACED,
        "",
        r"segments of \d+ bytes overlap in memory",
    ),
    Difference(
        "vl of 0",
        "hangs on most vector instructions",
        "RVV 1.0 3.5: they do nothing",
        REPLACED,
        "",
        r"vl is 0: ",
    ),
    Difference(
        "whole registers with vill",
        "every vector instruction but vset* is illegal while vtype is not set",
        "RVV 1.0 7.9: loads and stores of whole registers do not look at vtype",
        REPLACED,
        "",
        r"illegal instruction \(cause 2\): vtype is not set",
        r"v[ls][1248]r",
    ),
    Difference(
        PARTIAL,
        "the target stops before the first element; a run is over at its first trap, and its state is not specified",
        "RVV 1.0 7: elements before the faulting one are loaded or stored",
        EXCLUDED,
        "the registers that the load writes, or memory if it is a store; all else is",
    ),
    Difference(
        "kinds of faults",
        "access faults (causes 1, 5, 7), and ecall from machine mode (11)",
        "Spike maps the memories with page tables: page faults (12, 13, 15), and ecall from user mode (8)",
        MAPPED,
        "cause by cause",
    ),
    Difference(
        "refused uses",
        "reserved uses of vector instructions hang or do nothing; the target stops with `illegal_operands`",
        "illegal instruction (cause 2)",
        MAPPED,
        "both must stop at the same instruction",
    ),
)
"""All of them."""

CAUSES = {12: 1, 13: 5, 15: 7, 8: 11}
"""Cause of a trap on Spike -> cause on the Coral NPU, where they differ."""


def replaced(message: str, instruction: str) -> str | None:
    """Return the name of the listed difference for which the target refused a use, None if the standard refuses it too."""
    for row in DIFFERENCES:
        if row.pattern and re.match(row.pattern, message) and re.match(row.instructions, instruction):
            return row.name
    return None
