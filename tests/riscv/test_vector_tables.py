"""The vector tables: every form's words against the GNU assembler's, and back; what they say about each form."""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from kernelcraft_core import riscv
from kernelcraft_core.asm import Area, Assembler, Disassembler, gnu
from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.isa import Isa, RegFile

VECTORS = Path(__file__).parent / "vectors" / "vector_encodings.csv"
DIALECT = gnu([Area("code", (".text",))], riscv.RELOCATIONS, padding="")


def without_meaning(form: riscv.VectorForm) -> str:
    """Say nothing: these tests are about syntax and encoding."""
    return ""


def details(form: riscv.VectorForm) -> dict[str, str]:
    return {"category": "vector", "unit": form.group, "doc": form.operation}


@cache
def isa() -> Isa:
    return Isa(
        "rvv",
        kinds=[*riscv.kinds(32), *riscv.vector_kinds()],
        state=[*riscv.state(32), RegFile("v", 32, bits=64)],
        instrs=riscv.vector_instrs(without_meaning, details),
        pseudos=riscv.vector_pseudos(),
    )


@cache
def assembler() -> Assembler:
    return Assembler(isa(), DIALECT)


def rows() -> list[tuple[str, list[int]]]:
    lines = [line for line in VECTORS.read_text().splitlines() if line[:1] != "#"]
    return [(row[1], [int(word, 16) for word in row[2].split()]) for row in csv.reader(lines[1:])]


def test_every_line_has_the_words_the_gnu_assembler_gives_it() -> None:
    wrong = [text for text, words in rows() if list(assembler().assemble(text).words) != words]
    assert len(rows()) == 412
    assert not wrong


def test_every_word_comes_back_as_text_with_the_same_meaning() -> None:
    words = [word for _, line in rows() for word in line]
    text = Disassembler(isa(), DIALECT).disassemble(words)
    assert list(assembler().assemble(text).words) == words
    assert ".word" not in text


def test_every_form_of_the_tables_is_covered_and_shows_an_example() -> None:
    covered = {text.split()[0] for text, _ in rows()}
    indexed = {f.mnemonic for f in riscv.vector_forms() if f.form in ("indexed", "first") and f.fields > 3}
    assert {form.mnemonic for form in riscv.vector_forms()} - covered <= indexed
    for form in riscv.vector_forms():
        (word,) = assembler().assemble(form.example).words
        found = isa().decode(word)
        assert found is not None
        assert found.definition.mnemonic == form.mnemonic


def test_a_mask_is_one_bit_of_the_word_and_is_printed_when_it_is_there() -> None:
    plain, masked = assembler().assemble("vadd.vv v8, v2, v3\nvadd.vv v8, v2, v3, v0.t").words
    assert plain ^ masked == 1 << 25
    lines = Disassembler(isa(), DIALECT).disassemble([plain, masked]).splitlines()
    assert [line.strip() for line in lines] == ["vadd.vv v8, v2, v3", "vadd.vv v8, v2, v3, v0.t"]


def test_widths_fields_and_groups_follow_from_the_tables() -> None:
    forms = {form.mnemonic: form for form in riscv.vector_forms()}
    assert (forms["vlsseg3e16.v"].eew, forms["vlsseg3e16.v"].fields, forms["vlsseg3e16.v"].form) == (16, 3, "strided")
    assert (forms["vsoxei32.v"].eew, forms["vsoxei32.v"].operation, forms["vsoxei32.v"].group) == (
        32,
        "vsoxei",
        "store",
    )
    assert (forms["vs4r.v"].fields, forms["vmv8r.v"].fields, forms["vadd.vv"].eew) == (4, 8, 0)
    groups = Counter(form.group for form in forms.values())
    assert groups["load"] + groups["store"] == 3 * 8 * 9 + 16 + 2
    assert groups["config"] == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vsetvli t0, a1, e8", 0x0005F2D7),
        ("vsetvli t0, a1, e16, ta, ma", 0x0C85F2D7),
        ("vsetvli t0, a1, e16, m1, ta", 0x0485F2D7),
        ("vneg.v v1, v2, v0.t", 0x0C2040D7),
        ("vmsltu.vi v1, v2, 16", 0x7227B0D7),
        ("vmsge.vi v1, v2, -15", 0x7E2830D7),
    ],
)
def test_short_forms_and_masked_pseudo_instructions(text: str, words: int) -> None:
    assert list(assembler().assemble(text).words) == [words]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("vadd.vv v1, v2, v3, v0", "KC0204"),
        ("vadd.vv v1, v2, a0", "KC0204"),
        ("vadd.vi v1, v2, 16", "KC0203"),
        ("vsll.vi v1, v2, -1", "KC0203"),
        ("vsetvli t0, a1, e64, m1", "KC0206"),
        ("vadc.vvm v1, v2, v3", "KC0202"),
        ("vle64.v v1, (a0)", "KC0201"),
        ("vle8.v v1, 4(a0)", "KC0209"),
        ("vfadd.vv v1, v2, v3", "KC0201"),
    ],
)
def test_what_is_no_form_is_refused(text: str, code: str) -> None:
    with pytest.raises(AssemblyError) as caught:
        assembler().assemble(text)
    assert caught.value.diagnostics[0].code == code
