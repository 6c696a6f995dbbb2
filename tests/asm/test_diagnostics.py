"""Programs that must not assemble: codes, places, words, hints; see also the files in `bad_asm`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kernelcraft_core import asm
from kernelcraft_core.asm import Assembler, Dialect
from kernelcraft_core.diagnostics import WARNING, AssemblyError, Diagnostic, Span

BAD = sorted(Path(__file__).with_name("bad_asm").glob("*.asm"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_file_of_wrong_lines(request, findings, path):
    text = path.read_text(encoding="utf-8")
    assembler = request.getfixturevalue(re.search(r"dialect: (\w+)", text)[1])
    wanted = [
        (number, code)
        for number, line in enumerate(text.split("\n"), 1)
        for code in re.findall(r"error: (KC\d{4})", line)
    ]
    assert len(wanted) <= 20
    assert [(d.line, d.code) for d in findings(assembler, text)] == wanted


COLUMNS = [  # text, column, length, words of the message, words of the hint or notes
    ("addi x1, x32, 5", 10, 3, "x32: register index out of range (x0-x31)", "usage: addi"),
    ("addi x1, x2, 5000", 14, 4, "imm = 5000 does not fit 12 bits (-2048..2047)", "lui and addi"),
    ("\taddi x1, x2, 5000", 15, 4, "5000", "lui"),
    ("add x1, x2, 64", 13, 2, "a register x0-x31 is required here, not the number 64", "into a register"),
    ("add x1, 0, x2", 9, 1, "not the number 0", "write x0"),
    ("addi x1, x2, x3", 14, 2, "an integer -2048..2047 is required here, not the register x3", "immediate last"),
    ("lui x1, -1", 9, 2, "negative immediates do not exist: 0..1048575", "usage: lui"),
    ("lui x1, - 1", 9, 3, "negative", "usage: lui"),
    ("ad x1, x2, x3", 1, 2, "unknown mnemonic 'ad'", "add"),
    ("ADD x1, x2, x3", 1, 3, "unknown mnemonic 'ADD'", "add"),
    ("add x1, x2, X3", 13, 2, "'X3' is not a register", "x3"),
    ("add x1, x2", 11, 1, "add takes 3 operands; 2 given", "usage: add rd:x0-x31, rs1:x0-x31, rs2:x0-x31"),
    ("add x1, x2, x3, x4", 17, 2, "add takes 3 operands; 4 given", "usage"),
    ("add x1, x2,", 12, 1, "an operand is missing after the comma", "usage"),
    ("add x1 x2, x3", 8, 2, "a comma is missing before 'x2'", "usage"),
    ("slli x1, x2, 1, 2", 17, 1, "slli takes 2 or 3 operands; 4 given", "n:0..31]"),
    ("loop: add x1, x2, x3", 1, 4, "labels and symbols are not supported", "use x0-x31, c0-c7, x0-x7 or integers"),
    ("addi x1, x2, loop", 14, 4, "'loop' is not an integer", "labels and symbols are not supported; use x0-x31"),
    ("cfg 1, c1", 5, 1, "only `0` or `none` may stand here, not '1'", "the first operand is not used"),
    ("beq x1, x2, 3", 13, 1, "target = 3 is not a multiple of 2", "2 and 4"),
    ("addi x1, x2, 1_000", 14, 5, "'1_000' is not a number", "decimal digits"),
    ("lw x1, 4(5)", 10, 1, "a register x0-x31 is required here", "usage"),
    ("lw x1, 4[x2]", 9, 1, "'(' is expected, not '['", "usage"),
    ("addi x1, x2, 3 é", 16, 1, "U+00E9 LATIN SMALL LETTER E WITH ACUTE may only stand in comments", ""),
    ("addi x1,\u00a0x2, 3", 9, 1, "U+00A0 NO-BREAK SPACE", "replace it by a blank"),
    ("addi x1, x2, \u0663", 14, 1, "ARABIC-INDIC DIGIT THREE", ""),
    ("addi x1, x2, 3\x0c", 15, 1, "U+000C FORM FEED", ""),
    ("addi x1, x2, 3\x0b", 15, 1, "U+000B VERTICAL TAB", ""),
]


@pytest.mark.parametrize(("text", "column", "length", "message", "more"), COLUMNS)
def test_finding_points_and_explains(bare, findings, text, column, length, message, more):
    (found,) = findings(bare, f"; first\nfence\n{text}   ; add x1, x2, x3")
    assert (found.line, found.column, found.span.length) == (3, column, length)
    assert message in found.message
    assert more in "\n".join((found.hint or "", *found.notes))
    assert found.span.text == f"{text}   ; add x1, x2, x3"
    assert "^" * length in found.render()


def test_other_places_that_have_a_mnemonic_are_named(toy, findings):
    (found,) = findings(toy, "mul x1, x2, x3")
    assert found.code == "KC0214"
    assert "extension Xmul" in found.message


def test_nearest_symbol_is_named(toy, findings):
    (found,) = findings(toy, "start: beq x0, x0, strat")
    assert found.hint == "did you mean start?"
    (found,) = findings(toy, "size = 5\nk = siez")
    assert found.hint == "did you mean size?"


def test_first_definition_is_named(toy, findings):
    (found,) = findings(toy, "nop\na:\nb:\na:")
    assert found.notes == ("first defined on line 2",)


def test_error_in_an_expansion_is_placed_at_the_line(make, findings):
    from kernelcraft_core.isa import Pseudo

    odd = make(pseudos=(Pseudo("put rd:x, n:u20", ("addi {rd}, x0, {n}",)),))
    (found,) = findings(Assembler(odd), "fence\n  put x1, 5000")
    assert (found.code, found.line, found.column) == ("KC0242", 2, 3)
    assert "5000 does not fit" in found.message
    assert "`addi x1, x0, 5000`" in found.notes[0]


def test_twenty_errors_are_enough(bare, findings):
    found = findings(bare, "bad\n" * 100)
    assert [d.line for d in found] == list(range(1, 21))
    assert "stopped after 20 errors" in found[-1].notes[-1]
    assert len(findings(bare, "bad\n" * 19)) == 19


def test_errors_of_both_passes_come_in_order_of_place(toy, findings):
    found = findings(toy, "beq x0, x0, a\nadd x1\nbeq x0, x0, b\nadd x2\nc = d")
    assert [d.line for d in found] == [1, 2, 3, 4, 5]


def test_lark_is_imported_only_to_explain():
    code = (
        "import sys; from kernelcraft_core.asm import *; from kernelcraft_core.isa import *;"
        "i = Isa('i', kinds=[Reg('x', bits=5, prefix='x')], state=[RegFile('x', bits=32, count=32)],"
        " instrs=[Instr('mv a:x, b:x', '0{14} a b 0{8}', 'x[a] = x[b]', 'alu', 'u')]); a = Assembler(i);"
        "a.assemble('mv x1, x2'); Disassembler(i).line(0); print('lark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_no_terminal_name_is_shown(bare, findings):
    for path in BAD:
        text = path.read_text(encoding="utf-8").replace("#", ";")
        for found in findings(bare, text):
            shown = f"{found.message} {found.hint} {found.notes}"
            assert not re.search(r"\b(UINT|NAME|COMMA|LPAR|RPAR|__ANON|Token|\$END|BLANKS|NUMBER_0)\b", shown)


# ---- checks and warnings ---------------------------------------------------------------------------------------------


def warning(line: int, code: str = "KC0299") -> Diagnostic:
    return Diagnostic(code, f"warning {line}", Span("f", line), severity=WARNING)


def test_warnings_of_checks_are_kept_and_bounded(bare):
    checked = Assembler(bare.isa, bare.dialect, checks=(lambda p, i: (warning(n) for n in range(30, 0, -1)),))
    found = checked.assemble("fence").diagnostics
    assert [d.line for d in found[:20]] == list(range(1, 21))
    assert (found[20].code, found[20].message) == ("KC0290", "10 more warnings")
    assert len(found) == 21


def test_errors_of_checks_make_assembling_fail(bare):
    def check(program, isa):
        assert isa is bare.isa
        return [Diagnostic("KC0299", "no", Span("f", 2)), Diagnostic("KC0299", "no", Span("f", 1)), warning(1)]

    with pytest.raises(AssemblyError) as caught:
        Assembler(bare.isa, bare.dialect, checks=(check,)).assemble("fence")
    assert [d.line for d in caught.value.diagnostics] == [1, 2]


def test_checks_do_not_see_programs_with_errors(bare):
    def check(program, isa):
        raise AssertionError

    with pytest.raises(AssemblyError):
        Assembler(bare.isa, bare.dialect, checks=(check,)).assemble("bad")


def test_bounded_sums_up():
    first = asm.bounded((warning(n) for n in range(25)), more=3)
    again = asm.bounded([*first, *(warning(n) for n in range(5))])
    assert again[-1].message == "13 more warnings"
    assert len(again) == 21
    assert asm.bounded([warning(1)]) == [warning(1)]


# ---- codes -----------------------------------------------------------------------------------------------------------


def test_every_code_is_in_the_table():
    folder = Path(asm.__file__).parent
    used = {
        code
        for path in folder.glob("*.py")
        if path.name != "__init__.py"
        for code in re.findall(r'"(KC02\d\d)"', path.read_text(encoding="utf-8"))
    }
    listed = re.findall(r"^\| (KC02\d\d) \|", asm.__doc__, re.MULTILINE)
    assert listed == sorted(set(listed))
    assert used == set(listed)


@pytest.mark.parametrize("feature", ["labels", "constants", "directives", "expressions"])
def test_each_feature_can_be_switched_off(toy, findings, feature):
    line = {"labels": "a: nop", "constants": "a = 1", "directives": ".byte 1", "expressions": "addi x1, x2, 1 + 1"}
    codes = {"labels": "KC0226", "constants": "KC0226", "directives": "KC0226", "expressions": "KC0209"}
    lacking = Assembler(toy.isa, Dialect(**{feature: False}))
    assert [d.code for d in findings(lacking, line[feature])] == [codes[feature]]
    for other in set(line) - {feature}:
        assert lacking.assemble(line[other]) is not None


def test_empty_comment_marker_is_refused():
    with pytest.raises(ValueError, match="empty"):
        Dialect(comments="")


def test_data_needs_an_isa_that_has_it(bare, findings):
    assembler = Assembler(bare.isa, Dialect())
    (found,) = findings(assembler, ".word 5")
    assert found.code == "KC0226"
    assert assembler.assemble(".align 2\n.equ k, 5\nlui x1, k").words
