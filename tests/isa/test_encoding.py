"""Encodings: what they accept, what they refuse, and that they are inverse to decoding."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Imm, Instr, Isa, Reg, RegFile
from kernelcraft_core.isa.definition import Definition, fits
from kernelcraft_core.isa.encoding import Encoding, overlap, parse_encoding

OPERANDS = {"rd": (3, 0), "imm": (12, 0), "off": (13, 1)}


def parse(text: str, *operands: str) -> Encoding:
    """Return the parsed layout, with the named operands."""
    return parse_encoding(text, {name: OPERANDS[name] for name in operands}, "T")


def test_fixed_bits_make_mask_and_match() -> None:
    encoding = parse("0{3} 101 -- 1{8}")
    assert (encoding.width, encoding.mask, encoding.match) == (16, 0xFCFF, 0x14FF)
    assert encoding.reserved == 0x0300


def test_repeat_applies_to_the_last_bit_of_a_run() -> None:
    assert parse("10{4} 000").match == 0b10000000
    assert parse("01{7}").match == 0x7F


def test_split_immediate_is_taken_apart_as_the_manual_prints_it() -> None:
    encoding = parse("off[12|10:5] 0{13} off[4:1|11] 0{7}", "off")
    assert encoding.insert("off", -2) == 0xFE000F80
    assert encoding.extract("off", 0x80000000) == 1 << 12
    assert encoding.extract("off", 0x00000080) == 1 << 11


def test_field_text_covers_the_word_in_order() -> None:
    fields = parse("imm[11:5] -- imm[4:0] 0000 1111 rd 0{7}", "imm", "rd").field_text()
    assert [text for _, _, text in fields] == ["imm[11:5]", "--", "imm[4:0]", "0000", "1111", "rd", "0000000"]
    assert fields[0][0] == 31
    assert fields[-1][1] == 0
    assert all(fields[i][1] == fields[i + 1][0] + 1 for i in range(len(fields) - 1))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "KC0113"),
        ("0000", "KC0113"),
        ("0{300}", "KC0113"),
        ("0{264}", "KC0113"),
        ("0{0} 0{8}", "KC0110"),
        ("0{99999}", "KC0110"),
        ("0{-1} 0{8}", "KC0110"),
        ("0{٣} 0{5}", "KC0110"),
        ("\uff12 0{7}", "KC0110"),
        ("0x1 0{8}", "KC0110"),
        ("xyz 0{8}", "KC0111"),
        ("rd rd 00", "KC0112"),
        ("rd[2:1] 0{6}", "KC0112"),
        ("rd[0:2] 0{5}", "KC0110"),
        ("rd[3:0] 0000", "KC0110"),
        ("rd[] 0{5}", "KC0110"),
        ("rd[2:1:0] 0{5}", "KC0110"),
        ("rd[2|2:1] 0{5}", "KC0112"),
        ("rd[9999] 0{7}", "KC0110"),
        ("rd[:|:] 0{7}", "KC0110"),
        ("rd 0{5}\0", "KC0110"),
        ("0 " * 5000, "KC0110"),
        ("rd" * 50_000, "KC0110"),
        ("{" * 1000, "KC0110"),
    ],
)
def test_wrong_encoding_is_refused_with_its_code(text: str, code: str) -> None:
    with pytest.raises(IsaError) as caught:
        parse(text, "rd")
    assert caught.value.code == code
    assert len(str(caught.value)) < 5000


def test_missing_operand_bit_is_named() -> None:
    with pytest.raises(IsaError, match="bit 0, 1 is not encoded"):
        parse("imm[11:2] 0{6}", "imm")


def test_missing_lowest_bit_of_a_register_is_refused() -> None:
    with pytest.raises(IsaError) as caught:
        Isa(
            "one",
            kinds=[Reg("x", bits=4, prefix="x")],
            state=[RegFile("x", 16, bits=32)],
            instrs=[Instr("go rd:x", "rd[3:1] 0{13}", "x[rd] = 0", "alu", "alu")],
        )
    assert caught.value.code == "KC0112"
    assert "bit 0" in str(caught.value)


def test_bits_of_an_operand_are_shown_by_their_numbers() -> None:
    encoding = parse_encoding("off[12|10:5] 0 off[11|4:3|2:1] 0{3}", {"off": (13, 1)}, "t")
    shown = [text for _, _, text in encoding.field_text()]
    assert shown == ["off[12]", "off[10:5]", "0", "off[11]", "off[4:3]", "off[2:1]", "000"]


def test_low_bits_that_alignment_keeps_zero_may_be_left_out() -> None:
    assert parse("off[12:1] 0{4}", "off").insert("off", 6) == 3 << 4


def test_overlap_of_two_lengths_looks_at_the_start_of_the_longer() -> None:
    short, long = parse("0{8} 0{6} 11"), parse("-{16} 0{14} 11")
    assert overlap(short, long)
    assert overlap(long, short)
    assert not overlap(parse("0{14} 01"), long)


def test_overlap_within_an_isa_names_both_definitions(hard: SimpleNamespace) -> None:
    twin = hard.instr("TWIN rd:x, rs1:x", encoding="0{6} rs1 rd 0001")
    with pytest.raises(IsaError) as caught:
        hard.make(twin)
    assert [d.code for d in caught.value.diagnostics] == ["KC0114"]
    assert "ADD" in str(caught.value)
    assert "TWIN" in str(caught.value)


def test_many_overlaps_end_after_twenty_findings(hard: SimpleNamespace) -> None:
    with pytest.raises(IsaError) as caught:
        hard.make(*(hard.instr(f"T{i} rd:x, rs1:x") for i in range(60)))
    assert len(caught.value.diagnostics) == 20


# --- encode and decode are inverse ---------------------------------------------------------------------------------


def _value(kind: Any) -> st.SearchStrategy[int]:
    if isinstance(kind, Reg):
        return st.integers(0, kind.size - 1)
    assert isinstance(kind, Imm)
    low, high = -(-kind.low // kind.align), kind.high // kind.align
    return st.integers(low, high).map(lambda n: n * kind.align)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_decode_of_encode_gives_the_operands_back(hard: SimpleNamespace, data: st.DataObject) -> None:
    definition: Definition = data.draw(st.sampled_from(list(hard.isa)))
    operands = {name: data.draw(_value(kind), name) for name, kind in definition.operands.items()}
    word = definition.encode(operands)
    assert 0 <= word < 1 << definition.encoding.width
    for strict in (True, False):
        decoded = hard.isa.decode(word, strict=strict)
        assert decoded is not None
        assert (decoded.definition, decoded.operands) == (definition, operands)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(word=st.integers(0, (1 << 32) - 1))
def test_encode_of_strict_decode_gives_the_word_back(hard: SimpleNamespace, word: int) -> None:
    decoded = hard.isa.decode(word)
    if decoded is None:
        return
    assert all(fits(kind, decoded.operands[name]) for name, kind in decoded.definition.operands.items())
    assert decoded.definition.encode(decoded.operands) == word & ((1 << decoded.definition.encoding.width) - 1)


def test_reserved_bit_is_refused_only_when_strict(hard: SimpleNamespace) -> None:
    word = hard.isa["ADDI"].encode({"rd": 1, "rs1": 2, "imm": -3}) | 1 << 24
    assert hard.isa.decode(word) is None
    assert hard.isa.decode(word, strict=False).operands == {"rd": 1, "rs1": 2, "imm": -3}


def test_lenient_operand_decodes_beyond_its_range_only_when_not_strict(hard: SimpleNamespace) -> None:
    word = hard.isa["FLG"].encode({"rd": 1}) | 7 << 11
    assert hard.isa.decode(word) is None
    assert hard.isa.decode(word, strict=False).operands["mode"] == 7


def test_register_beyond_count_decodes_in_no_mode(hard: SimpleNamespace) -> None:
    word = hard.isa["MOVS"].encode({"rd": 5, "imm": 1}) | 7 << 4
    assert hard.isa.decode(word) is None
    assert hard.isa.decode(word, strict=False) is None


def test_word_that_is_longer_than_what_is_available_does_not_match(hard: SimpleNamespace) -> None:
    word = hard.isa["ADDI"].encode({"rd": 1, "rs1": 2, "imm": 3})
    assert hard.isa.decode(word, available=16) is None
    assert hard.isa.decode(word, available=32) is not None


@pytest.mark.parametrize(
    ("name", "operands"),
    [
        ("ADDI", {"rd": 1, "rs1": 2}),
        ("ADDI", {"rd": 8, "rs1": 2, "imm": 0}),
        ("ADDI", {"rd": 1, "rs1": 2, "imm": 2048}),
        ("ADDI", {"rd": 1, "rs1": 2, "imm": -2049}),
        ("BEQ", {"rs1": 1, "rs2": 2, "off": 3}),
        ("MOVS", {"rd": 6, "imm": 1}),
        ("MOVS", {"rd": 1, "imm": 0}),
        ("LDW", {"rd": 1, "rs1": 1, "off": 104}),
    ],
)
def test_encode_refuses_what_does_not_fit(hard: SimpleNamespace, name: str, operands: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=name):
        hard.isa[name].encode(operands)
