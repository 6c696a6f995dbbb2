"""Programs that assemble: encodings, symbols, expressions, directives, pseudo-instructions, places."""

from __future__ import annotations

import attrs
import pytest

from kernelcraft_core.asm import GNU_PRECEDENCE, Assembler, Dialect
from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Pseudo

ENCODINGS = [
    ("add x1, x2, x3", 0x003100B3),
    ("addi x1, x2, -1", 0xFFF10093),
    ("addi x31, sp, 2047", 0x7FF10F93),
    ("lui t0, 0xFFFFF", 0xFFFFF2B7),
    ("lw x1, 8(sp)", 0x00812083),
    ("lw x1, (sp), 8", 0x00812083),
    ("sw x1, -4(sp)", 0xFE112E23),
    ("beq x1, x2, 16", 0x00208863),
    ("beq x1, x2, -4096", 0x80208063),
    ("jal x1, 2048", 0x001000EF),
    ("jal x0, -2", 0xFFFFF06F),
    ("fence", 0x0000000F),
    ("fence.i", 0x0000100F),
    ("slli x1, x2", 0x00111093),
    ("slli x1, x2, 31", 0x01F11093),
    ("cfg none, c3", 0x000001FB),
    ("cfg 0, z", 0x0000007B),
    ("mix c1, x2", 0x28000077),
    ("c.nop", 0x0001),
    ("cadd x3, x4", 0x9192),
    ("inc x3, -3", 0x31F5),
    ("inc x3, 40", 0x02805193),
    ("nop", 0x00000013),
    ("mv ra, sp", 0x00010093),
    ("li x5, -2048", 0x80000293),
    ("bgt x1, x2, 8", 0x00114463),
]


@pytest.mark.parametrize(("text", "word"), ENCODINGS)
def test_line_encodes(toy, text, word):
    program = toy.assemble(text)
    assert [hex(w) for w in program.words] == [hex(word)]


@pytest.mark.parametrize(
    "text", ["addi x1,x2,3", "\taddi   x1 ,\tx2, 3 \t", "  addi x1, x2, 3# c", "addi x1, x2, 0x3//"]
)
def test_blanks_and_comments_do_not_matter(toy, text):
    assert list(toy.assemble(text).words) == list(toy.assemble("addi x1, x2, 3").words)


@pytest.mark.parametrize("text", ["", "\n", "# only\n\n  // comments", "\ufeff", b"\xef\xbb\xbf# mark\n"])
def test_empty_program_is_legal(toy, text):
    program = toy.assemble(text)
    assert len(program) == 0
    assert program.image == b""
    assert program.entry == program.end == 0


def test_program_knows_its_isa_and_its_places(toy):
    program = toy.assemble("# head\n\n  addi x1, x1, 1\nloop: add x1, x1, x1\n j loop\n", "a.asm", base=0x40)
    assert program.isa_name == "toy"
    assert program.digest == toy.isa.digest
    assert list(program.lines) == [3, 4, 5]
    assert list(program.addresses) == [0x40, 0x44, 0x48]
    assert program.entry == 0x40
    assert program.symbols == {"loop": 0x44}
    span = program.span_at(0x40)
    assert span is not None
    assert (span.file, span.line, span.column) == ("a.asm", 3, 3)


def test_entry_label_and_first_instruction(toy):
    assert toy.assemble(".word 1\nnop").entry == 4
    assert toy.assemble("nop\n_start: nop").entry == 4
    assert toy.assemble(".word 1").entry == 0


# ---- symbols ---------------------------------------------------------------------------------------------------------


def test_labels_before_and_after_use(toy):
    program = toy.assemble("a: b: beq x0, x0, c\nnop\nc: beq x0, x0, a\nd:")
    assert program.symbols == {"a": 0, "b": 0, "c": 8, "d": 12}
    assert program.words[0] == toy.assemble("beq x0, x0, 8").words[0]
    assert program.words[2] == toy.assemble("beq x0, x0, -8").words[0]


def test_word_addressed_targets_count_words():
    isa = Assembler(attrs.evolve(_plain(), pc_unit=4)).isa
    program = Assembler(isa).assemble("jal x0, end\nfence\nend: fence")
    assert program.symbols == {"end": 2}
    assert list(program.addresses) == [0, 1, 2]
    assert program.words[0] == Assembler(isa).assemble("jal x0, 2").words[0]


def _plain():
    from kernelcraft_core.isa import Imm, Instr, Isa, Reg, RegFile

    return Isa(
        "w",
        kinds=(Reg("x", bits=5, prefix="x"), Imm("j", bits=20, signed=True, relative=True)),
        state=(RegFile("x", bits=32, count=32),),
        instrs=(
            Instr("jal rd:x, target:j", "target rd 1101111", "pc = pc + target", category="branch", unit="a"),
            Instr("fence", "0{25} 0001111", "x[0] = 0", category="sync", unit="a"),
        ),
    )


def test_an_operand_is_an_address_only_if_one_is_in_it(toy):
    text = "start: nop\nnop\na: beq x0, x0, a + 4\n beq x0, x0, . + 8\n beq x0, x0, a - start\n beq x0, x0, 4"
    expected = [toy.assemble(f"beq x0, x0, {n}").words[0] for n in (4, 8, 8, 4)]
    assert list(toy.assemble(text).words[2:]) == expected


def test_forward_symbol_takes_the_longest_form(toy):
    program = toy.assemble("near: bz x1, near\n bz x1, far\nfar: nop")
    assert list(program.lengths) == [2, 4, 4]


def test_constants_may_use_later_symbols(toy):
    text = "A = B * 2\n.equ B, C + 1\n.set C, 4\nlui x1, A\n.word A, size\ntop: size = end - top\n.space 6\nend:"
    program = toy.assemble(text)
    assert program.words[0] == toy.assemble("lui x1, 10").words[0]
    assert list(program.words[1:3]) == [10, 6]


def test_long_chain_of_later_constants(toy):
    count = 10_000
    text = "".join(f"k{i} = k{i + 1} + 1\n" for i in range(count)) + f"k{count} = 0\nlui x1, k0\n"
    assert toy.assemble(text).words[0] == toy.assemble(f"lui x1, {count}").words[0]


def test_chain_of_constants_the_other_way_round(toy):
    text = "k0 = zz\n" + "".join(f"k{i + 1} = k{i} + 1\n" for i in range(3000)) + "zz = 5\nlui x1, k3000\n"
    assert toy.assemble(text).words[0] == toy.assemble("lui x1, 3005").words[0]


EXPRESSIONS = [
    ("1 + 2 * 3", 7),
    ("(1 + 2) * 3", 9),
    ("2 - 3 - 4", -5),
    ("-2 * -3", 6),
    ("- -4", 4),
    ("~0", -1),
    ("+7", 7),
    ("1 << 4 | 1", 17),
    ("0xF0 >> 4 & 6 ^ 1", 7),
    ("7 / 2", 3),
    ("-7 / 2", -3),
    ("-7 % 3", -1),
    ("7 % -3", 1),
    ("0b101", 5),
    ("007", 7),
    ("((((5))))", 5),
    ("1<<2<<1", 8),
    ("x99 - x98", 1),
]


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS)
def test_expression_value(toy, text, value):
    program = toy.assemble(f"x98 = 4\nx99 = 5\naddi x1, x0, {text}")
    assert program.words[0] == toy.assemble(f"addi x1, x0, {value}").words[0]


def test_gnu_precedence_and_octal(toy):
    gnu = Assembler(toy.isa, Dialect(precedence=GNU_PRECEDENCE, octal=True))
    assert gnu.assemble("addi x1, x0, 1 + 2 | 4").words[0] == toy.assemble("addi x1, x0, 7").words[0]
    assert gnu.assemble("addi x1, x0, 2 * 3 | 8").words[0] == toy.assemble("addi x1, x0, 14").words[0]
    assert gnu.assemble("addi x1, x0, 010").words[0] == toy.assemble("addi x1, x0, 8").words[0]
    assert gnu.assemble("addi x1, x0, 10\naddi x1, x0, 011").words[1] == toy.assemble("addi x1, x0, 9").words[0]


def test_symbols_without_expressions(toy):
    simple = Assembler(toy.isa, Dialect(expressions=False))
    program = simple.assemble("four = 4\nl: addi x1, x0, four\naddi x1, x0, -4\nj l")
    assert list(program.words) == list(toy.assemble("addi x1, x0, 4\naddi x1, x0, -4\nj -8").words)


# ---- directives ------------------------------------------------------------------------------------------------------


def test_data_directives(toy):
    program = toy.assemble(".byte 1, -1, 255\n.half 0x1234\n.short -2\n.word 0xDEADBEEF, -1\n.long 1\n.quad 1 << 63")
    assert program.image == (
        bytes([1, 255, 255])
        + b"\x34\x12\xfe\xff"
        + b"\xef\xbe\xad\xde"
        + b"\xff" * 4
        + b"\x01\0\0\0"
        + bytes(7)
        + b"\x80"
    )
    assert program.data_items == frozenset(range(len(program)))


def test_space_align_and_org(toy):
    program = toy.assemble("cadd x1, x2\n.align 2\na: .zero 3\n.balign 8\nb: nop\n.org 0x20\nc: nop")
    assert program.symbols == {"a": 4, "b": 8, "c": 0x20}
    assert len(program.image) == 0x24
    assert program.item(1).length == 2


def test_alignment_of_instructions_is_filled_with_the_padding(toy):
    program = toy.assemble("nop\n.balign 16\nnop")
    assert program.image == toy.assemble("nop\n" * 5).image
    assert list(program.lines) == [1, 2, 2, 2, 3]


def test_org_before_everything_moves_the_start(toy):
    program = toy.assemble(".org 0x100\nstart: nop")
    assert program.symbols == {"start": 0x100}
    assert program.entry == 0x100
    assert len(program.image) == 4


def test_statements_on_one_line(toy):
    program = toy.assemble("a: nop; ; b: nop;c: add x1, x1, x1 # ; nop")
    assert program.symbols == {"a": 0, "b": 4, "c": 8}
    assert list(program.lines) == [1, 1, 1]


def test_global_symbol_must_exist_somewhere(toy):
    assert toy.assemble(".global here\nhere: nop").symbols == {"here": 0}


# ---- pseudo-instructions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("li x5, 5", "addi x5, x0, 5"),
        ("li x5, 2048", "lui x5, 1; addi x5, x5, -2048"),
        ("li x5, 0x12345678", "lui x5, 0x12345; addi x5, x5, 0x678"),
        ("li x5, 0xFFFFFFFF", "lui x5, 0; addi x5, x5, -1"),
        ("jal 16", "jal x1, 16"),
        ("nop; far x3, top; top:", "nop; beq x3, x0, 8; jal x0, 4"),
        ("top: nop; far x3, top", "nop; beq x3, x0, 8; jal x0, -8"),
        ("li x5, later; later = 1", "lui x5, 0; addi x5, x5, 1"),
        ("later = 1; li x5, later", "addi x5, x0, 1"),
        ("nop; l: bgt x1, x2, l", "nop; blt x2, x1, 0"),
    ],
)
def test_pseudo_instruction_stands_for(toy, text, same):
    assert list(toy.assemble(text).words) == list(toy.assemble(same).words)


@pytest.mark.parametrize(
    "pseudo",
    [
        Pseudo("loop", ("loop",)),
        Pseudo("jal target:j21", ("jal {target}",)),
        Pseudo("broken", ("foo x1",)),
        Pseudo("broken", ("addi x1, x2",)),
        Pseudo("broken", ("",)),
        Pseudo("broken n:u5", ("addi x1, x2, {n // n + next_pc}",)),
        Pseudo("broken n:u5", ("addi x1, x2, {n + }",)),
    ],
)
def test_wrong_pseudo_is_found_when_the_assembler_is_built(make, pseudo):
    with pytest.raises(IsaError):
        Assembler(make(pseudos=(pseudo,)))


def test_recursion_through_others_is_found(make):
    ring = tuple(Pseudo(f"p{i}", (f"p{(i + 1) % 3}",)) for i in range(3))
    with pytest.raises(IsaError, match=r"p0 -> p1 -> p2 -> p0|p1 -> p2 -> p0 -> p1|p2 -> p0 -> p1 -> p2"):
        Assembler(make(pseudos=ring))


def test_pseudos_that_multiply_are_stopped(make, findings):
    tower = [Pseudo("p0", ("fence",) * 20)] + [Pseudo(f"p{i}", (f"p{i - 1}",) * 20) for i in range(1, 7)]
    found = findings(Assembler(make(pseudos=tuple(tower))), "p6")
    assert [d.code for d in found] == ["KC0242"]


def test_deep_pseudos_are_stopped(make, findings):
    tower = [Pseudo("p0", ("fence",))] + [Pseudo(f"p{i}", (f"p{i - 1}",)) for i in range(1, 20)]
    assert [d.code for d in findings(Assembler(make(pseudos=tuple(tower))), "p19")] == ["KC0242"]


def test_padding_must_be_an_instruction(make):
    assert Assembler(make(), Dialect(padding="nop")).padding == (0x13, 4)


def test_the_assembler_can_be_used_again(toy):
    text = "k = 7\nlui x1, k\nl: j l\naddi x1, x2, 3"
    assert toy.assemble(text).image == toy.assemble(text).image
    assert toy.assemble("k = 8\nlui x1, k").words[0] == toy.assemble("lui x1, 8").words[0]


def test_data_wider_than_the_words(bare, make):
    isa = make(instrs=make().instrs[:3], pseudos=())
    program = Assembler(isa).assemble("add x1, x2, x3\n.quad 0x123456789ABCDEF0, later\nlater = 1 << 40")
    assert list(program.words) == [0x003100B3, 0x123456789ABCDEF0, 1 << 40]
    assert program.image[12:20] == (1 << 40).to_bytes(8, "little")
