"""Disassembly: the text assembles to the same words; what is no instruction is data or an error."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.asm import Assembler, Dialect, Disassembler
from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.isa import Imm, Isa, Reg

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def disassemblers(toy, bare):
    """Return the disassemblers of both ISAs."""
    return {a.isa.name: Disassembler(a.isa, a.dialect) for a in (toy, bare)}


@st.composite
def legal_words(draw: st.DrawFn, isa: Isa) -> tuple[int, int]:
    """Draw (word, length) of an instruction with legal operands."""
    definition = draw(st.sampled_from(list(isa)))
    values = {}
    for name, kind in definition.operands.items():
        if isinstance(kind, Reg):
            values[name] = draw(st.integers(0, kind.size - 1))
        elif isinstance(kind, Imm):
            values[name] = draw(st.integers(-(-kind.low // kind.align), kind.high // kind.align)) * kind.align
    return definition.encode(values), definition.length


@given(data=st.data())
@settings(RELAXED, max_examples=60)
def test_program_round_trip(either, disassemblers, data):
    items = data.draw(st.lists(legal_words(either.isa), min_size=1, max_size=12))
    image = b"".join(word.to_bytes(length, "little") for word, length in items)
    base = data.draw(st.sampled_from([0, 0x100])) if either.dialect.directives else 0
    text = disassemblers[either.isa.name].disassemble(image, base)
    again = either.assemble(text)
    assert again.image == image
    assert again.addresses[0] == base
    if either.isa.name == "plain":
        assert list(either.assemble(disassemblers["plain"].disassemble([w for w, _ in items])).words) == [
            word for word, _ in items
        ]


@given(data=st.data())
@settings(RELAXED, max_examples=50)
def test_single_word_round_trip(either, disassemblers, data):
    word, length = data.draw(legal_words(either.isa))
    line = disassemblers[either.isa.name].line(word)
    if line.startswith(".word"):  # the word has no text of its own: another instruction means it with this text
        assert either.isa.with_mnemonic(either.isa.decode(word).definition.mnemonic)[1:]
    else:
        program = either.assemble(line)
        assert list(program.words) == [word]
        assert program.length_of(0) == length


@given(image=st.binary(min_size=2, max_size=40))
@settings(RELAXED, max_examples=60)
def test_any_bytes_round_trip(toy, disassemblers, image):
    image = image[: len(image) // 2 * 2]
    assert toy.assemble(disassemblers["toy"].disassemble(image)).image == image


@given(words=st.lists(st.integers(0, (1 << 32) - 1), max_size=8))
@settings(RELAXED, max_examples=50)
def test_any_words_round_trip(make, words):
    isa = make(instrs=make().instrs[:15], pseudos=())
    text = Disassembler(isa).disassemble(words)
    assert list(Assembler(isa).assemble(text).words) == words


def test_canonical_text(disassemblers):
    text = disassemblers["plain"].line
    assert text(0x003100B3) == "add x1, x2, x3"
    assert text(0xFE112E23) == "sw x1, -4(x2)"
    assert text(0x000001FB) == "cfg 0, c3"
    assert text(0x0000000F) == "fence"
    assert text(0x00111093) == "slli x1, x2, 1"
    assert text(0x80208063) == "beq x1, x2, -4096"


def test_targets_get_labels_where_there_are_some(toy, disassemblers):
    program = toy.assemble("a: beq x1, x2, b\n.word 0xFFFFFFFF\nb: j a\n j a + 2")
    text = disassemblers["toy"].disassemble(program.image)
    assert text == (
        "L_0000:\n    beq x1, x2, L_0008\n    .half 0xFFFF\n    .half 0xFFFF\nL_0008:\n    jal x0, L_0000\n    jal x0, -10\n"
    )
    end = disassemblers["toy"].disassemble(toy.assemble("j e\ne:").words)
    assert end.endswith("L_0004:\n")
    assert "L_" not in disassemblers["plain"].disassemble([0x00208463, 0x0000000F, 0x0000000F])


def test_empty(disassemblers):
    assert disassemblers["toy"].disassemble(b"") == ""
    assert disassemblers["plain"].disassemble([]) == ""


REFUSED = [
    (0x00000000, "KC0250", "word 2: 0x00000000 is no instruction of plain"),
    (0x1FFFFFFFF, "KC0250", "word 2: 0x1FFFFFFFF"),
    (-1, "KC0250", "word 2: -1"),
    (0x8000007B, "KC0251", "word 2: 0x8000007B is a reserved encoding of cfg: bit 31 must be 0"),
    (0x000000FB | 1 << 10, "KC0251", "bit 10 must be 0"),
]


@pytest.mark.parametrize(("word", "code", "message"), REFUSED)
def test_other_words_are_refused_where_there_is_no_data(disassemblers, word, code, message):
    with pytest.raises(AssemblyError) as caught:
        disassemblers["plain"].disassemble([0xF, 0xF, word, 0xF])
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert message in found.message


def test_refusals_are_collected_and_bounded(disassemblers):
    with pytest.raises(AssemblyError) as caught:
        disassemblers["plain"].disassemble([0] * 1000)
    assert len(caught.value.diagnostics) == 20
    with pytest.raises(AssemblyError) as caught:
        disassemblers["plain"].disassemble(bytes(4000))
    assert len(caught.value.diagnostics) == 20


def test_data_needs_both_the_isa_and_the_dialect(toy, bare):
    with pytest.raises(AssemblyError):
        Disassembler(toy.isa, Dialect(directives=False)).line(0)
    with pytest.raises(AssemblyError):
        Disassembler(bare.isa, Dialect()).line(0)
    assert Disassembler(toy.isa).line(0) == ".word 0x00000000"


def test_bytes_that_end_within_a_word(toy, disassemblers):
    with pytest.raises(AssemblyError) as caught:
        disassemblers["plain"].disassemble(b"\x0f\0\0\0\x0f\0")
    assert [d.code for d in caught.value.diagnostics] == ["KC0252"]
    with pytest.raises(AssemblyError, match="the last 1 of 3 bytes"):
        disassemblers["toy"].disassemble(b"\x01\0\x01")


def test_illegal_value_is_a_reserved_encoding(make):
    from kernelcraft_core.isa import Instr

    isa = make(
        kinds=(*make().kinds, Imm("flag", bits=4, max=1, lenient=True)),
        instrs=(Instr("set f:flag", "0{20} f 0001 0011", "x[1] = f", "alu", "alu", name="set"),),
        pseudos=(),
        words=False,
    )
    disassembler = Disassembler(isa)
    assert disassembler.line(0x113) == "set 1"
    with pytest.raises(AssemblyError, match="reserved encoding of set: f = 2 is not legal"):
        disassembler.line(0x213)
