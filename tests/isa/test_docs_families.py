"""Families: merged texts stand for exactly the texts they were made of, and the references still name every instruction."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.isa import Instr, Isa, Reg, RegFile
from kernelcraft_core.isa.compact import compact_reference
from kernelcraft_core.isa.docs import reference
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_families import Family, families


def make(*records: tuple[str, str, str], **common: str) -> Isa:
    """Return an ISA of instructions given as (syntax, what it does, meaning)."""
    return Isa(
        "many",
        width=16,
        kinds=[Reg("r", bits=3, prefix="r"), Reg("q", bits=3, prefix="q")],
        state=[RegFile("r", 16, 8), RegFile("q", 16, 8)],
        instrs=[
            Instr(
                syntax,
                encoding=f"{number:07b} rd ra rb" if "rb" in syntax else f"{number:07b} rd ra 000",
                semantics=meaning,
                category="alu",
                unit="alu",
                doc=doc,
                **common,  # type: ignore[arg-type]
            )
            for number, (syntax, doc, meaning) in enumerate(records)
        ],
    )


def shift(n: int, m: int) -> tuple[str, str, str]:
    return f"sh{n}add{m} rd:r, ra:r", f"Adds {m} to 2**{n} times ra.", f"r[rd] = (r[ra] << {n}) + {m}"


FORMS = (
    ("add.rr rd:r, ra:r, rb:r", "rd = ra + rb.", "r[rd] = r[ra] + r[rb]"),
    ("add.rq rd:r, ra:r, rb:q", "rd = ra + rb.", "r[rd] = r[ra] + q[rb]"),
)


def names(isa: Isa, costs: CostTable | None = None) -> list[list[str]]:
    return [[d.name for d in family.members] for family in families(isa, costs)]


def texts(family: Family) -> list[tuple[str, ...]]:
    """Return what is merged, in columns: for each text those of all members."""
    return [
        tuple(d.mnemonic for d in family.members),
        tuple(d.record.syntax for d in family.members),
        tuple(d.record.doc for d in family.members),
        tuple(d.record.semantics for d in family.members),
    ]


def merged(family: Family) -> list[str]:
    return [
        family.text(lambda d: d.mnemonic),
        family.text(lambda d: d.record.syntax),
        family.text(lambda d: d.record.doc),
        family.text(lambda d: d.record.semantics),
    ]


def test_instructions_that_differ_in_numbers_become_letters() -> None:
    (family,) = families(make(*(shift(n, m) for n in (1, 2, 3) for m in (4, 5))))
    assert family.numbers == {"n": ("1", "2", "3"), "m": ("4", "5")}
    assert merged(family) == [
        "sh{n}add{m}",
        "sh{n}add{m} rd:r, ra:r",
        "Adds {m} to 2**{n} times ra.",
        "r[rd] = (r[ra] << {n}) + {m}",
    ]
    assert family.explained() == "n = 1, 2, 3; m = 4, 5"


def test_instructions_that_differ_in_words_become_alternatives() -> None:
    (family,) = families(make(*FORMS))
    assert merged(family) == [
        "add.{rr|rq}",
        "add.{rr|rq} rd:r, ra:r, rb:{r|q}",
        "rd = ra + rb.",
        "r[rd] = r[ra] + {r|q}[rb]",
    ]


@pytest.mark.parametrize(
    "records",
    [
        [shift(1, 4), shift(2, 5)],  # not every combination
        [
            shift(1, 4),
            ("sh2add4 rd:r, ra:r", "Adds 4 to 2**3 times ra.", "r[rd] = (r[ra] << 2) + 4"),
        ],  # a number of its own
        [FORMS[0], ("add.rq rd:r, ra:r, rb:q", "rd = ra + rb, of q.", "r[rd] = r[ra] + q[rb]")],  # other words
        [FORMS[0], ("sub.rq rd:r, ra:r, rb:q", "rd = ra + rb.", "r[rd] = r[ra] + q[rb]")],  # another name
        [
            ("or.a rd:r, ra:r", "x", "r[rd] = r[ra] | 1"),
            ("or.b rd:r, ra:r", "x", "r[rd] = r[ra] | 2"),
        ],  # a bar in the text
    ],
)
def test_what_cannot_be_merged_exactly_is_not(records: list[tuple[str, str, str]]) -> None:
    assert [len(family) for family in names(make(*records))] == [1] * len(records)


def test_instructions_of_different_cost_are_not_merged() -> None:
    isa = make(*FORMS)
    assert names(isa) == [["add.rr", "add.rq"]]
    costs = CostTable("", ("cycles",), {"a": ("1",), "b": ("2",)}, {"add.rr": "a", "add.rq": "b"})
    assert names(isa, costs) == [["add.rr"], ["add.rq"]]


@given(
    st.sets(st.integers(0, 12), min_size=1, max_size=3),
    st.sets(st.integers(0, 12), min_size=1, max_size=3),
    st.booleans(),
)
def test_merged_text_stands_for_the_texts_it_was_made_of(first: set[int], second: set[int], forms: bool) -> None:
    isa = make(*(shift(n, m) for n in first for m in second), *(FORMS if forms else ()))
    found = families(isa)
    assert sorted(d.name for family in found for d in family.members) == sorted(d.name for d in isa)
    for family in found:
        for text, parts in zip(merged(family), texts(family), strict=True):
            assert family.expand(text) == parts


def test_references_say_of_every_member_what_it_is() -> None:
    isa = make(*(shift(n, m) for n in (1, 2, 3) for m in (4, 5)), *FORMS)
    full, short = reference(isa), compact_reference(isa)
    for definition in isa:
        assert f"| `{definition.mnemonic}` | `" in full
    assert "### add.rr, add.rq\n" in full
    assert "[add.rr, add.rq](#addrr-addrq)" in full
    assert "- reads `q` (add.rq)" in re.sub(r"reads `q`, `r`", "reads `q`", full)
    assert "**`sh{n}add{m} rd:r, ra:r`** (n = 1, 2, 3; m = 4, 5) Adds {m} to 2**{n} times ra." in short
    assert "of `{a|b}` each takes the word at its own place" in short
    assert "of `{a|b}` each" not in compact_reference(make(FORMS[0]))
