"""Kernels that must score nothing on Coral, each with the status it earns and what the finding says.

A cheat is a text, or a small change to a compiled kernel that is right. Each is scored as a kernel would be, on inputs that
nobody knows, so it must fail under any salt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from attrs import evolve

from kernelcraft_core.evaluation import DEVELOPMENT, Evaluation, Evaluator, new_salt, plan
from kernelcraft_core.plugins import registry
from kernelcraft_core.sim import Limits
from kernelcraft_core.tasks.catalogue import Catalogue

SOON = Limits(instructions=100_000, cycles=200_000, wall_time=60.0)
"""Limits that endless loops meet soon."""


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator(Catalogue(registry()))


def score(evaluator: Evaluator, cell: str, text: str | bytes, salt: str | None = None) -> Evaluation:
    """Return the score of a kernel on a cell such as `relu/C1`, by default on inputs that nobody knows."""
    task, config = cell.split("/")
    workload = evolve(evaluator.catalogue.workload("coral", task, config), limits=SOON)
    return evaluator.evaluate(workload, text, salt=salt or new_salt(), filename="k.s")


def compiled(evaluator: Evaluator, cell: str) -> str:
    """Return the text of the compiled kernel, which is right."""
    catalogue = evaluator.catalogue
    return catalogue.kernel(catalogue.workload("coral", *cell.split("/")), "compiler").source()


def relu(
    *,
    start: str = "nop",
    count: str = "N",
    load: str = "vle8.v v8, (a0)",
    work: str = "vmax.vx v8, v8, zero",
    end: str = "ret",
) -> str:
    """Return a kernel for relu: right as it is, wrong with a piece exchanged."""
    return f"""
    .text
kernel:
    {start}
    mv a7, a1
    li a6, {count}
1:  vsetvli t0, a6, e8, m8, ta, ma
    {load}
    {work}
    vse8.v v8, (a1)
    add a0, a0, t0
    add a1, a1, t0
    sub a6, a6, t0
    bnez a6, 1b
    {end}
"""


def test_relu_that_these_tests_change_is_right(evaluator: Evaluator) -> None:
    assert score(evaluator, "relu/C1", relu()).passed


# ------------------------------------------------------------------------------------------------------- wrong results

WRONG: Mapping[str, str] = {
    # what it tries -> a kernel for relu
    "nothing at all": "kernel: ret",
    "the end before the result is written": relu(start="mpause"),
    "the end as a word, half way": relu(count="N / 2", end=".word 0x08000073"),
    "a copy of the input": relu(work="nop"),
    "zeros": relu(work="vxor.vv v8, v8, v8"),
    "a constant": relu(work="vmv.v.i v8, 3"),
    "what lies where the result belongs": relu(load="vle8.v v8, (a1)"),
    "what an earlier run may have left in DTCM": relu(start="li a0, 0x10000"),
    "that DTCM holds 0": relu(work="li t1, 0x14000\n vle8.v v16, (t1)\n vor.vv v8, v8, v16\n vmax.vx v8, v8, zero"),
    "memory behind the input": relu(start="addi a0, a0, N"),
    "memory behind the result": relu(start="addi a0, a1, N"),
    "all but the last tile": relu(count="N - 128"),
    "all but the last element": relu(count="N - 1"),
    "every second element": relu(load="li t1, 2\n vlse8.v v8, (a0), t1"),
    "a maximum 1 too high": relu(work="li t1, 1\n vmax.vx v8, v8, t1"),
    "a maximum 1 too low": relu(work="li t1, -1\n vmax.vx v8, v8, t1"),
    "an unsigned maximum": relu(work="vmaxu.vx v8, v8, zero"),
    "words instead of bytes": relu(
        work="vsetvli t1, zero, e32, m8, ta, ma\n vmax.vx v8, v8, zero\n vsetvli t0, a6, e8, m8, ta, ma"
    ),
    "the result beside its place": relu(start="addi a1, a1, N"),
    "the result in DTCM": relu(start="li a1, 0x10000"),
    "the result over the input": relu(start="mv a1, a0"),
    "one byte of the result changed": relu(end="lb t1, 9(a7)\n xori t1, t1, 1\n sb t1, 9(a7)\n ret"),
    "elements above vl taken for those in memory": relu(
        load="srli t1, t0, 1\n vsetvli zero, t1, e8, m8, ta, ma\n vle8.v v8, (a0)\n vsetvli t0, a6, e8, m8, ta, ma"
    ),
    "masked-off elements taken for zeros": relu(
        work="vmslt.vx v0, v8, zero\n vmnot.m v0, v0\n vadd.vi v16, v8, 0, v0.t\n vmv.v.v v8, v16"
    ),
    "mask bits above vl": relu(
        work="vsetvli t1, zero, e8, m4, ta, ma\n vmslt.vx v0, v8, zero\n vsetvli t0, a6, e8, m8, ta, ma\n"
        " vmerge.vim v8, v8, 0, v0"
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_kernel_with_a_wrong_result_is_a_mismatch(evaluator: Evaluator, name: str) -> None:
    found = score(evaluator, "relu/C1", WRONG[name])
    assert found.status == "mismatch"
    assert found.match_rate is not None
    assert found.match_rate < 1
    assert found.speedup is None


SPOILED: Mapping[str, tuple[str, str, str]] = {
    # what is wrong: (cell, pattern in the compiled kernel, what stands there instead)
    "gemm: sums rounded down": ("gemm/C1", r"csrwi\tvxrm, 0", "csrwi vxrm, 2"),
    "gemm: sums rounded to odd": ("gemm/C1", r"csrwi\tvxrm, 0", "csrwi vxrm, 3"),
    "gemm: no saturation": ("gemm/C1", r"vnclip\.wi\tv8, v16, 0", "vnsrl.wi v8, v16, 0"),
    "gemm: one term of the sums left out": ("gemm/C1", r"addi\ta7, a7, 32", "addi a7, a7, 31"),
    "gemv: halves rounded down": ("gemv/C1", r"addi\ta5, a5, 256", "addi a5, a5, 255"),
    "gemv: -127 as the lower end": ("gemv/C1", r"li\ta5, -128", "li a5, -127"),
    "gemv: 126 as the upper end": ("gemv/C1", r"li\ta5, 127", "li a5, 126"),
    "gemv: one row left out": ("gemv/C1", r"li\ta4, 64", "li a4, 63"),
    "linear: shift 1 too small": ("linear/C1", r"vssra\.vi\tv8, v8, 8", "vssra.vi v8, v8, 7"),
    "silu: index 1 too high": ("silu/C1", r"li\ta4, -128", "li a4, -127"),
    "silu: the value as a signed index": ("silu/C1", r"vxor\.vx\tv8, v8, a4", "nop"),
    "softmax: maximum that begins at 0": ("softmax/C1", r"vmv\.s\.x\tv9, a4", "vmv.s.x v9, zero"),
    "softmax: quotient rounded down": ("softmax/C1", r"srli\tt3, t2, 1", "li t3, 0"),
    "softmax: 256 instead of 255": ("softmax/C1", r"li\ta7, 255", "li a7, 256"),
    **{
        f"{task}: halves rounded to even": (f"{task}/C1", r"csrwi\tvxrm, 0", "csrwi vxrm, 1")
        for task in (
            *("gemm", "batch_matmul", "linear", "conv2d", "depthwise_conv", "conv_block", "ffn", "swiglu"),
            *("layernorm", "rmsnorm"),
        )
    },
}


@pytest.mark.parametrize("name", SPOILED)
def test_right_kernel_with_one_mistake_is_a_mismatch(evaluator: Evaluator, name: str) -> None:
    cell, pattern, instead = SPOILED[name]
    text, changed = re.subn(pattern, instead, compiled(evaluator, cell))
    assert changed
    assert score(evaluator, cell, text).status == "mismatch"


def test_answers_to_the_development_inputs_are_worth_nothing(evaluator: Evaluator) -> None:
    """The kernel holds both answers, tells the draws apart by their first bytes, and computes nothing."""
    workload = evaluator.catalogue.workload("coral", "relu", "C1")
    cases = [evaluator.case(workload, draw) for draw in plan(workload, DEVELOPMENT, 2)]
    first = int.from_bytes(cases[0].inputs["x"][:4].tobytes(), "little")
    tables = "".join(f".byte {', '.join(map(str, case.goldens['exact']['Y'].ravel()))}\n" for case in cases)
    choose = f"lw t1, 0(a0)\n li t2, {first}\n la a0, answers\n beq t1, t2, 2f\n addi a0, a0, N\n2:"
    text = relu(start=choose, work="nop") + ".data\nanswers:\n" + tables
    known = score(evaluator, "relu/C1", text, DEVELOPMENT)
    assert (known.status, known.match_rate) == ("harness_error", 1.0)  # below the lower bound: it reads no input
    assert score(evaluator, "relu/C1", text).status == "mismatch"


@pytest.mark.parametrize(
    "store",
    ["sb t1, -1(a7)", "sb t1, N(a7)", "li t2, 0x203fffff\n sb t1, 0(t2)", "li t2, 0x20000000\n vse8.v v8, (t2)"],
)
def test_right_result_and_a_store_elsewhere_is_a_mismatch(evaluator: Evaluator, store: str) -> None:
    found = score(evaluator, "relu/C1", relu(end=f"li t1, 5\n vmv.v.x v8, t1\n {store}\n ret"))
    assert (found.status, found.match_rate) == ("mismatch", 1.0)
    assert found.diagnostics[-1].code == "KC0611"


# ----------------------------------------------------------------------------------------------------- cycles and state

FREE: Mapping[str, str] = {
    "mcycle set back": relu(end="csrw mcycle, zero\n csrw mcycleh, zero\n csrw minstret, zero\n ret"),
    "a restart at address 0": relu(
        start="la t1, done\n lw t2, 0(t1)\n li t3, 1\n sw t3, 0(t1)\n bnez t2, 2f\n jr zero\n2:"
    )
    + ".bss\ndone: .zero 4\n",
    "no return, but mpause": relu(end="mpause"),
    "work in flight at the end": relu(end="vdiv.vv v16, v24, v24\n ret"),
}


@pytest.mark.parametrize("name", FREE)
def test_what_is_allowed_takes_no_cycle_away(evaluator: Evaluator, name: str) -> None:
    honest, found = score(evaluator, "relu/C1", relu()), score(evaluator, "relu/C1", FREE[name])
    assert found.passed
    assert found.cycles is not None
    assert honest.cycles is not None
    assert found.cycles > honest.cycles - 6  # a return is a jump, which costs a redirect


def test_nothing_is_left_of_an_earlier_run(evaluator: Evaluator) -> None:
    """The kernel works only where no run has left its mark: it passes every draw, and passes again."""
    marked = "csrr t1, mscratch\n bnez t1, 2f\n li t2, 0x12345678\n csrw mscratch, t2\n li t3, 0x14000\n lw t1, 0(t3)\n"
    text = relu(start=marked + " sw t2, 0(t3)\n beq t1, t2, 2f\n j 3f\n2: ret\n3:")
    assert [score(evaluator, "relu/C1", text).status for _ in range(2)] == ["passed", "passed"]


# ------------------------------------------------------------------------------------------------------ traps and limits

M1 = "vsetvli t0, zero, e8, m1, ta, ma"
TRAPS: Mapping[str, tuple[tuple[str, ...], str]] = {
    # what it does: (lines, what the finding says)
    "ebreak": (("ebreak",), "cause 3"),
    "ecall": (("ecall",), "cause 11"),
    "ecall with a handler": (("la t0, kernel", "csrw mtvec, t0", "ecall"), "cause 11"),
    "the word of wfi": ((".word 0x10500073",), "is not an instruction"),
    "a word of zeros": ((".word 0",), "is not an instruction"),
    "a float instruction as a word": ((".word 0x00000053",), "is not an instruction"),
    "an unknown CSR": ((".word 0x7c0022f3",), "there is no CSR 0x7c0"),
    "a CSR that is read-only": (("csrw mvendorid, zero",), "read-only"),
    "the core control block": (("li t1, 0x30000", "sw zero, 0(t1)"), "cause 7"),
    "a load from there": (("li t1, 0x30000", "lw t2, 0(t1)"), "cause 5"),
    "code that changes itself": (("la t1, kernel", "li t2, 0x08000073", "sw t2, 0(t1)"), "no store to itcm"),
    "the start stub written over": (("vsetivli zero, 4, e32, m1, ta, ma", "vse32.v v8, (zero)"), "no store to itcm"),
    "a store past the end of DTCM": (("li t1, 0x18000", "sw t1, -2(t1)"), "it leaves dtcm"),
    "a stack at 0": (("li sp, 0", "sw ra, -4(sp)"), "cause 7"),
    "a return between two instructions": (("addi ra, ra, 2",), "cause 0"),
    "a vector load past the memory": (("li t1, 0x203ffff8", M1, "vle8.v v8, (t1)"), "cause 5"),
    "fault-only-first past the memory": (("li t1, 0x20400000", M1, "vle8ff.v v8, (t1)"), "cause 5"),
    "a stride into nowhere": (("li t1, -0x10000000", M1, "vlse8.v v8, (a0), t1"), "cause 5"),
    "a negative index": (("vsetivli zero, 4, e32, m1, ta, ma", "vmv.v.i v4, -1", "vsuxei32.v v8, (a0), v4"), "cause 7"),
    "segments that overlap": ((M1, "li t1, 1", "vssseg2e8.v v8, (a1), t1"), "segments of 2 bytes overlap"),
    "vl = 0": (("vsetivli zero, 0, e8, m1, ta, ma", "vadd.vv v1, v2, v3"), "vl is 0"),
    "vtype not set": (("vadd.vv v1, v2, v3",), "vill"),
    "elements of 64 bits": (("li t1, 0x18", "vsetvl t2, zero, t1", "vadd.vv v1, v2, v3"), "vill"),
    "vstart": (("csrwi vstart, 1",), "vstart may only be written with 0"),
    "a group that is not aligned": (("vsetvli t0, zero, e8, m4, ta, ma", "vadd.vv v1, v8, v16"), "multiple of 4"),
    "a group wider than 8 registers": (("vsetvli t0, zero, e8, m8, ta, ma", "vwadd.vv v0, v8, v16"), "16 registers"),
    "segments past v31": ((M1, "vlseg4e8.v v30, (a0)"), "run past v31"),
    "a wide result over its source": (("vsetvli t0, zero, e8, m2, ta, ma", "vwadd.vv v8, v8, v12"), "overlaps vs2"),
    "a masked result over the mask": ((M1, "vadd.vv v0, v1, v2, v0.t"), "masks this instruction"),
    "elements the reduced group has not": (("vsetivli zero, 8, e8, m1, ta, ma", "vslidedown.vi v8, v1, 8"), "is read"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_kernel_that_may_not_go_on_is_a_trap_on_its_line(evaluator: Evaluator, name: str) -> None:
    lines, says = TRAPS[name]
    found = score(evaluator, "relu/C1", "\n".join(("kernel:", *lines, "ret")))
    finding = found.diagnostics[-1]
    assert (found.status, finding.code, finding.file) == ("trap", "KC0401", "k.s")
    assert says in finding.message
    assert finding.line in (len(lines) + 1, len(lines) + 2)  # the last line, or the return behind it


@pytest.mark.parametrize(
    "text",
    [
        "kernel: la t0, x\n jr t0\n.data\nx: ret\n",
        ".data\nkernel: ret\n",
        ".equ kernel, 0x20000000\n",
        ".comm kernel, 4\n",
    ],
)
def test_code_outside_the_itcm_is_a_trap(evaluator: Evaluator, text: str) -> None:
    found = score(evaluator, "relu/C1", text)
    assert found.status == "trap"
    assert "instruction access fault (cause 1)" in found.diagnostics[-1].message


LIMITS: Mapping[str, str] = {
    "an endless loop": "kernel: j kernel",
    "the stub again and again": "kernel: jr zero",
    "a kernel that is address 0": ".equ kernel, 0",
    "a return address that is lost": "kernel: call f\nret\nf: ret",
    "a stack that the kernel clears": "kernel: addi sp, sp, -16\nsw ra, 0(sp)\nli t0, 0x17e00\nli t1, 0x18000\n"
    "1: sw zero, 0(t0)\naddi t0, t0, 4\nbne t0, t1, 1b\nlw ra, 0(sp)\nret",
    "a loop that misses its end": "kernel: li t0, 1\n1: addi t0, t0, 2\nbnez t0, 1b\nret",
}


@pytest.mark.parametrize("name", LIMITS)
def test_kernel_without_an_end_meets_the_limit(evaluator: Evaluator, name: str) -> None:
    found = score(evaluator, "relu/C1", LIMITS[name])
    assert (found.status, found.diagnostics[-1].code) == ("limit", "KC0405")


# ---------------------------------------------------------------------------------------------------------- malformed

DEEP = 30_000
MALFORMED: Mapping[str, tuple[str | bytes, str]] = {
    # what it tries: (text, code)
    "an empty text": ("", "KC0220"),
    "no kernel": ("nothing: ret", "KC0220"),
    "two kernels": ("kernel: ret\nkernel: ret", "KC0221"),
    "a start of its own": ("_start: mpause\nkernel: ret", "KC0221"),
    "a size of its own": (".equ N, 16\n" + relu(), "KC0221"),
    "a size as a label": ("N:\nkernel: ret", "KC0221"),
    "code over the stub": (".org 0\nmpause\nkernel: ret", "KC0233"),
    "the place moved back": (". = 0\nkernel: ret", "KC0222"),
    "a section for the inputs": ('.section .input, "aw"\n.byte 0\n.text\nkernel: ret', "KC0235"),
    "data at the address of the inputs": ("kernel: ret\n.data\n.org 0x20000000\n.byte 0", "KC0232"),
    "more code than the ITCM holds": ("kernel:\n" + "nop\n" * 2048, "KC0232"),
    "data behind the code": ("kernel: ret\n.space 8192", "KC0232"),
    "more data than the DTCM holds": ("kernel: ret\n.data\n.space 32513", "KC0232"),
    "an instruction of an extension": ("kernel: max t0, a0, a1", "KC0214"),
    "scalar float": ("kernel: flw f0, 0(a0)", "KC0214"),
    "vector float": ("kernel: vfadd.vv v1, v2, v3", "KC0214"),
    "an atomic": ("kernel: amoadd.w t0, t1, (a0)", "KC0214"),
    "wfi": ("kernel: wfi", "KC0214"),
    "a write to vl": ("kernel: csrw vl, t0", "KC0270"),
    "a register that is not there": ("kernel: addi t7, t0, 1", "KC0206"),
    "elements of 64 bits": ("kernel: vsetvli t0, zero, e64, m1", "KC0206"),
    "a function of C": ("kernel: call memcpy", "KC0220"),
    "another file": ('.include "answers.s"\nkernel: ret', "KC0230"),
    "the bytes of another file": ('kernel: ret\n.data\n.incbin "/etc/passwd"', "KC0230"),
    "a line many times": ("kernel: ret\n.rept 1000000000\nnop\n.endr", "KC0230"),
    "a macro": (".macro m\nnop\n.endm\nkernel: ret", "KC0230"),
    "memory without end": ("kernel: ret\n.data\n.zero 1 << 40", "KC0232"),
    "an alignment of a gigabyte": ("kernel: ret\n.data\n.byte 1\n.align 30\n.byte 1", "KC0232"),
    "a place far away": ("kernel: ret\n.org 1 << 62", "KC0232"),
    "a common symbol without end": ("kernel: ret\n.comm block, 1 << 40", "KC0232"),
    "a number of many digits": ("kernel: ret\n.data\n.zero " + "9" * DEEP, "KC0232"),
    "a shift without end": ("kernel: li t0, 1 << 100000000000", "KC0224"),
    "numbers that grow": ("kernel: li t0, " + "*".join(["99"] * 1000), "KC0224"),
    "constants that grow": (
        ".equ c0, 3\n" + "".join(f".equ c{i + 1}, c{i} * c{i}\n" for i in range(40)) + "kernel: ret",
        "KC0224",
    ),
    "constants in a ring": (
        "".join(f".equ c{i}, c{(i + 1) % 5000}\n" for i in range(5000)) + "kernel: ret",
        "KC0223",
    ),
    "brackets that do not close": ("kernel: li t0, " + "(" * DEEP + "1", "KC0209"),
    "a line of 10 MB": ("kernel: ret\n" + "nop;" * 2_500_000, "KC0212"),
    "quotation marks that do not close": ("kernel: .asciz " + '"\\' * DEEP, "KC0231"),
    "more errors than anybody reads": ("kernel:\n" + "what\n" * 100_000, "KC0201"),
    "a comment that does not close": ("kernel: ret\n/* " + "*" * 1_000_000, "KC0229"),
    "NUL": ("kernel:\n \0ret", "KC0210"),
    "a letter that is not ASCII": ("kernel: r\u00e9t", "KC0210"),
    "a blank that is none": ("kernel:\u00a0ret", "KC0210"),
    "half of a character": ("kernel: \ud800", "KC0210"),
    "Latin-1": ("kernel: ret # \u00e4".encode("latin-1"), "KC0211"),
    "UTF-16": ("kernel: ret".encode("utf-16"), "KC0211"),
    "machine code": (bytes(range(256)), "KC0211"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_text_is_a_finding_with_a_place(evaluator: Evaluator, name: str) -> None:
    text, code = MALFORMED[name]
    found = score(evaluator, "relu/C1", text)
    assert found.status == "syntax_error"
    assert code in {d.code for d in found.diagnostics}
    assert len(found.diagnostics) <= 20
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    lines = 1 + len(re.findall(rb"\r\n|\r|\n", raw))
    for finding in found.diagnostics:
        assert (finding.file, len(finding.message) < 500) == ("k.s", True)
        assert finding.line is not None
        assert 1 <= finding.line <= lines


@pytest.mark.parametrize("text", ["\ufeff" + relu(), ("\ufeff" + relu()).encode(), relu().replace("\n", "\r\n")])
def test_marks_and_line_ends_of_editors_do_not_matter(evaluator: Evaluator, text: str | bytes) -> None:
    assert score(evaluator, "relu/C1", text).passed


@pytest.mark.parametrize(
    ("text", "column"),
    [("kernel: vaddd.vv v1, v2, v3", 9), ("kernel: li t0, 1; vaddd.vv v1, v2, v3", 19), ("  nothing: ret", 1)],
)
def test_finding_on_the_first_line_counts_from_the_kernels_own_text(
    evaluator: Evaluator, text: str, column: int
) -> None:
    (finding,) = score(evaluator, "relu/C1", text).diagnostics
    assert (finding.line, finding.column) == (1, column)
    assert finding.span is not None
    assert finding.span.text == text
