"""The hand-written reference says what the code does: examples are legal, keys are complete."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import attrs
import pytest

from kernelcraft_core.isa import Array, Bytes, Imm, Instr, Isa, Pseudo, Reg, RegFile, Rows, Scalar, Words, pure
from kernelcraft_core.isa.extension import KINDS, MAX_BYTES, MAX_LINE, MAX_RECORDS, STATE, parse_extension, wanted
from kernelcraft_core.isa.model import CATEGORIES, TRAP_KINDS
from kernelcraft_core.isa.semantics import (
    MAX_INT_BITS,
    MAX_NODES,
    MAX_SHIFT,
    MAX_TEXT,
    Text,
    check_cost,
    check_semantics,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
SEMANTICS = (DOCS / "reference" / "semantics.md").read_text(encoding="utf-8")
FILES = (DOCS / "reference" / "extension-file.md").read_text(encoding="utf-8")
OPERANDS = {
    "rd": Reg("x", bits=3, prefix="x"),
    "rs1": Reg("x", bits=3, prefix="x"),
    "imm": Imm("s12", bits=12, signed=True),
    "u": Imm("u5", bits=5),
}
ISA = Isa(
    "page",
    (),
    (
        RegFile("x", 8, 32),
        RegFile("f", 8, dtype="f16"),
        Scalar("status", 8),
        Words("words", 64, 32),
        Rows("rows", "bf16", ("N",), 16),
        Array("acc", "f32", ("N",)),
        Bytes("ram", 4096),
    ),
    (),
    params={"N": 8, "COST": 4},
    primitives=(
        pure("rsum", ("array",), "f32", sum),
        pure("divmod_", ("int", "int"), "int int", divmod),
        pure("clock", (), "int<0,63>", int),
    ),
)


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def texts() -> list[str]:
    """Return the examples of the semantics page: a block that is indented is one text, else each line is."""
    return [
        text
        for block in blocks(SEMANTICS, "semantics")
        for text in ([block] if "\n  " in block else block.splitlines())
    ]


@pytest.mark.parametrize("text", texts())
def test_example_of_the_language_is_legal(text: str) -> None:
    assert check_semantics(Text(text, "page"), ISA.scope, OPERANDS)


@pytest.mark.parametrize("text", "".join(blocks(SEMANTICS, "cost")).splitlines())
def test_example_of_a_cost_is_legal(text: str) -> None:
    assert check_cost(Text(text, "page"), ISA.scope, OPERANDS)


def test_page_of_the_language_states_the_limits_and_closed_lists() -> None:
    assert (MAX_TEXT, MAX_NODES, MAX_SHIFT, MAX_INT_BITS) == (500, 200, 128, 4096)
    for word in ("500 characters", "200 nodes", "0..128", "4096 bits", *TRAP_KINDS):
        assert word in SEMANTICS


def keys(title: str) -> str:
    """Return the table of keys below a heading of the page on extension files."""
    return next(part for part in FILES.split(f"{title}\n", 1)[1].split("\n\n") if part.lstrip().startswith("| key"))


@pytest.mark.parametrize(
    ("title", "cls"),
    [
        ("## `[[instr]]`: an instruction", Instr),
        ("## `[[pseudo]]`: a line that stands for others", Pseudo),
        *((f'### `type = "{name}"`', cls) for name, cls in (KINDS | STATE).items()),
    ],
)
def test_page_on_files_has_exactly_the_keys_of_the_record(title: str, cls: type[Any]) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", keys(title), re.MULTILINE))
    assert set(rows) == {a.name for a in attrs.fields(cls)}
    for attribute in attrs.fields(cls):
        required = attribute.default is attrs.NOTHING
        assert rows[attribute.name].endswith("required") == required, attribute.name
        assert wanted(attribute)


def test_page_on_files_states_limits_and_categories() -> None:
    assert (MAX_BYTES, MAX_LINE, MAX_RECORDS) == (256 * 1024, 4000, 1000)
    for word in ("256 KiB", "4000 characters", "1000 entries", *CATEGORIES):
        assert word in FILES


def test_example_file_is_legal() -> None:
    (text,) = blocks(FILES, "toml")
    assert parse_extension(text).name == "Xfma"
