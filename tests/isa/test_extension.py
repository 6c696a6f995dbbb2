"""Extension files: strict, complete findings with places, hostile input, and a faithful round trip."""

from __future__ import annotations

import contextlib
import os
import string
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import (
    Array,
    Bytes,
    Extension,
    Imm,
    Instr,
    Opaque,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Rows,
    Scalar,
    Words,
)
from kernelcraft_core.isa import extension as module
from kernelcraft_core.isa.extension import extension_to_toml, load_extension, parse_extension
from kernelcraft_core.isa.write import TYPES

HEAD = """\
schema = "kc.extension/1"
name = "Xfma"
extends = "hard"
"""
FMA = """
[[instr]]
syntax = "FMA rd:x, rs1:x"
encoding = "-{6} rs1 rd 0101"
semantics = "x[rd] = x[rd] + x[rs1]"
category = "mul"
unit = "mul"
latency = 3
"""


def findings(text: str, name: str = "x.toml") -> list[tuple[str, int | None, int | None]]:
    """Return (code, line, column) of each finding; each has a file and renders."""
    with pytest.raises(IsaError) as caught:
        parse_extension(text, name)
    out = []
    for finding in caught.value.diagnostics:
        assert finding.file == name
        assert finding.render().startswith(f"{name}:{finding.line}:{finding.column}: ")
        assert len(finding.message) < 500
        out.append((finding.code, finding.line, finding.column))
    return out


def refusal(text: str) -> IsaError | None:
    """Return the error a file gives, None when it is legal."""
    try:
        parse_extension(text)
    except IsaError as error:
        return error
    return None


# --- what is accepted ----------------------------------------------------------------------------------------------


def test_small_file_becomes_the_record() -> None:
    extension = parse_extension(HEAD + FMA, "x.toml")
    assert (extension.name, extension.extends, extension.origin) == ("Xfma", "hard", "x.toml")
    assert extension.instrs == (
        Instr("FMA rd:x, rs1:x", "-{6} rs1 rd 0101", "x[rd] = x[rd] + x[rs1]", "mul", "mul", latency=3),
    )


def test_everything_a_file_can_hold_becomes_records() -> None:
    text = (
        HEAD
        + """
requires = ["Xbase", "Xother2"]
doc = '''
Two
lines'''

[params]
WIDE = 4

[[kind]]
type = "reg"
name = "q"
bits = 3
prefix = "q"
count = 6
file = "q"
names = {sp = 5, "q.zero" = 0}

[[kind]]
type = "imm"
name = "i"
bits = 8
signed = true
align = 2
relative = true

[[kind]]
type = "placeholder"
name = "none"
spellings = ["0", "zero"]

[[state]]
type = "regfile"
name = "q"
count = 6
bits = 16

[[state]]
type = "scalar"
name = "mode"
bits = 4
reset = 1

[[state]]
type = "array"
name = "big"
dtype = "f32"
shape = ["WIDE", 4]

[[state]]
type = "words"
name = "cells"
count = 8
dtype = "f16"

[[state]]
type = "rows"
name = "lanes"
dtype = "bf16"
shape = ["WIDE"]
count = 4

[[state]]
type = "bytes"
name = "mem"
size = 64
base = 0x1000
align = false

[[pseudo]]
syntax = "CLR rd:q"
expansion = ["SUB {rd}, {rd}"]
when = "rd > 0"
"""
    )
    extension = parse_extension(text, "x.toml")
    assert extension.requires == ("Xbase", "Xother2")
    assert extension.doc == "Two\nlines"
    assert extension.params == {"WIDE": 4}
    assert extension.kinds == (
        Reg("q", 3, "q", 6, "q", {"sp": 5, "q.zero": 0}),
        Imm("i", 8, signed=True, align=2, relative=True),
        Placeholder("none", ("0", "zero")),
    )
    assert extension.state == (
        RegFile("q", 6, 16),
        Scalar("mode", 4, reset=1),
        Array("big", "f32", ("WIDE", 4)),
        Words("cells", 8, dtype="f16"),
        Rows("lanes", "bf16", ("WIDE",), 4),
        Bytes("mem", 64, 0x1000, align=False),
    )
    assert extension.pseudos == (Pseudo("CLR rd:q", ("SUB {rd}, {rd}",), "rd > 0"),)


@pytest.mark.parametrize("schema", ["kc.extension/1", "kc.extension/1.0", "kc.extension/1.7"])
def test_schema_of_this_major_is_read(schema: str) -> None:
    assert parse_extension(HEAD.replace("kc.extension/1", schema))


def test_line_ends_and_byte_order_mark_do_not_matter(hard: SimpleNamespace) -> None:
    plain = parse_extension(HEAD + FMA)
    windows = parse_extension("\ufeff" + (HEAD + FMA).replace("\n", "\r\n"))
    assert plain == windows
    assert plain.places == windows.places


def test_instructions_may_be_an_array_of_inline_tables() -> None:
    text = HEAD + 'instr = [{syntax = "N", encoding = "0{8}", semantics = "", category = "alu", unit = "u"}]\n'
    extension = parse_extension(text)
    assert extension.instrs[0].syntax == "N"
    assert extension.places["instr.0.semantics"] == (4, text.splitlines()[3].index('semantics = "') + 14)


def test_records_and_file_take_the_same_keys() -> None:
    for cls in (*TYPES, Instr, Pseudo):
        for attribute in attrs.fields(cls):
            assert module.wanted(attribute)


# --- what is refused, and where ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("KC0145", 1, 1)),
        ("name = 'Xa'\nextends = 'b'\n", ("KC0145", 1, 1)),
        ("schema = 1\n", ("KC0145", 1, 10)),
        ("schema = 'kc.run/1'\n", ("KC0145", 1, 11)),
        ("# new\nschema = 'kc.extension/2'\nwhatever = 1\n", ("KC0145", 2, 11)),
        ("schema = 'kc.extension/99999999999'\n", ("KC0145", 1, 11)),
        ("schema = 'kc.extension/0'\n", ("KC0145", 1, 11)),
        ("schema = 'kc.extension/1'\nextends = 'b'\n", ("KC0147", 1, 1)),
        (HEAD.replace("Xfma", "fma"), ("KC0149", 2, 9)),
        (HEAD.replace("Xfma", "XFMA"), ("KC0149", 2, 9)),
        (HEAD.replace("Xfma", "X"), ("KC0149", 2, 9)),
        (HEAD.replace("Xfma", "Xé"), ("KC0149", 2, 9)),
        (HEAD.replace("Xfma", "Xa" + "a" * 300), None),
        (HEAD.replace('"Xfma"', "7"), ("KC0148", 2, 8)),
        (HEAD.replace('"hard"', '""'), ("KC0148", 3, 12)),
        (HEAD + 'requires = ["a"]\n', ("KC0149", 4, 14)),
        (HEAD + 'requires = ["Xfma"]\n', ("KC0149", 4, 14)),
        (HEAD + 'requires = "Xa"\n', ("KC0148", 4, 13)),
        (HEAD + "requires = [1]\n", ("KC0148", 4, 12)),
        (HEAD + "extnds = 1\n", ("KC0146", 4, 1)),
        (HEAD + "[primitives]\nf = 1\n", ("KC0150", 4, 1)),
        (HEAD + "params = 3\n", ("KC0148", 4, 1)),
        (HEAD + "[params]\nA = 1.5\n", ("KC0148", 5, 5)),
        (HEAD + "[params]\nA = true\n", ("KC0148", 5, 5)),
        (HEAD + "[params]\nA = 99999999999999999999\n", ("KC0148", 5, 5)),
        (HEAD + "[params]\n'a b' = 1\n", ("KC0148", 5, 1)),
        (HEAD + "[instr]\nsyntax = 'a'\n", ("KC0148", 4, 1)),
        (HEAD + "instr = 7\n", ("KC0148", 4, 1)),
        (HEAD + "instr = [1]\n", ("KC0148", 4, 1)),
        (HEAD + FMA.replace('category = "mul"\n', ""), ("KC0147", 5, 1)),
        (HEAD + FMA + "latencyy = 3\n", ("KC0146", 12, 1)),
        (HEAD + FMA.replace("latency = 3", "latency = 1.5"), ("KC0148", 11, 11)),
        (HEAD + FMA.replace("latency = 3", "latency = true"), ("KC0148", 11, 11)),
        (HEAD + FMA.replace("latency = 3", "latency = [1]"), ("KC0148", 11, 11)),
        (HEAD + FMA.replace("latency = 3", "delay = '1'"), ("KC0148", 11, 10)),
        (HEAD + FMA.replace("latency = 3", "also = 'x'"), ("KC0148", 11, 9)),
        (HEAD + FMA.replace("latency = 3", "examples = [['a']]"), ("KC0148", 11, 12)),
        (HEAD + FMA.replace("latency = 3", "doc = 1979-05-27"), ("KC0148", 11, 7)),
        (HEAD + FMA.replace("latency = 3", 'unit2 = "\\u0000"'), ("KC0146", 11, 1)),
        (HEAD + FMA.replace("latency = 3", 'doc = "a\\u0000b"'), ("KC0148", 11, 8)),
        (HEAD + FMA.replace("latency = 3", 'doc = "a\\u202Eb"'), ("KC0148", 11, 8)),
        (HEAD + FMA.replace("latency = 3", 'name = "a\\nb"'), ("KC0148", 11, 9)),
        (HEAD + "[[kind]]\nname = 'a'\n", ("KC0147", 4, 1)),
        (HEAD + "[[kind]]\ntype = 'register'\nname = 'a'\n", ("KC0148", 5, 9)),
        (HEAD + "[[kind]]\ntype = 1\n", ("KC0148", 5, 8)),
        (HEAD + "[[kind]]\ntype = 'imm'\nname = 'a'\nbits = '4'\n", ("KC0148", 7, 9)),
        (HEAD + "[[kind]]\ntype = 'imm'\nname = 'a'\nbits = 4\nprefix = 'a'\n", ("KC0146", 8, 1)),
        (HEAD + "[[kind]]\ntype = 'reg'\nname = 'a'\nbits = 4\nprefix = 'a'\nnames = {a = 'b'}\n", ("KC0148", 9, 9)),
        (HEAD + "[[state]]\ntype = 'opaque'\nname = 'a'\nfactory = 'os.system'\n", ("KC0150", 5, 9)),
        (HEAD + "[[state]]\ntype = 'rows'\nname = 'a'\ndtype = 'f16'\ncount = 4\nshape = [1.5]\n", ("KC0148", 9, 9)),
        (HEAD + "[[pseudo]]\nsyntax = 'a'\nexpansion = 'b'\n", ("KC0148", 6, 14)),
        # not TOML
        ("schema = ", ("KC0144", 1, 10)),
        (HEAD + "doc = 'a\n", ("KC0144", 5, 1)),
        (HEAD + "name = 'Xb'\n", ("KC0144", 4, 12)),
        (HEAD + FMA + "unit = 'again'\n", ("KC0144", 12, 15)),
        (HEAD + "[[instr\n", ("KC0144", 4, 8)),
        (HEAD + "a = [" + "[" * 3900 + "\n", ("KC0144", 1, 1)),
        (HEAD + "a = " + "{a=" * 900 + "\n", ("KC0144", 1, 1)),
        (HEAD + "a" + ".a" * 1500 + " = 1\n", ("KC0144", 4, 1)),
        (HEAD + "[a" + ".'a'" * 900 + "]\n", ("KC0144", 4, 2)),
        (HEAD + "a = " + "9" * 3990 + "\n", ("KC0146", 4, 1)),
        (HEAD + "a = 2020-13-45\n", ("KC0144", None, None)),
        (HEAD + '"\\q" = 1\n', ("KC0144", 4, 4)),
        # not text
        (HEAD + "doc = 'a\0b'\n", ("KC0143", 4, 9)),
        (HEAD + "# " + "a" * 5000 + "\n", ("KC0143", 4, 4001)),
        ("\x7fELF\x02\x01\x01\x00\x00", ("KC0143", 1, 8)),
    ],
)
def test_wrong_file_gives_code_and_place(text: str, expected: tuple[str, int | None, int | None] | None) -> None:
    start = time.perf_counter()
    if expected is None:
        assert parse_extension(text)
    else:
        code, line, column = findings(text)[0]
        assert code == expected[0]
        assert expected[1] is None or (line, column) == expected[1:]
    assert time.perf_counter() - start < 60  # a guard against hangs, not a measurement


def test_unknown_key_names_the_nearest() -> None:
    with pytest.raises(IsaError) as caught:
        parse_extension(HEAD + FMA.replace("latency", "latencey"))
    assert "latency" in (caught.value.diagnostics[0].hint or "")


def test_findings_are_collected_in_order_of_place() -> None:
    text = HEAD.replace("Xfma", "fma") + "colour = 1\n" + FMA.replace('"mul"', "3") + "[[kind]]\ntype = 'x'\n"
    assert [(code, line) for code, line, _ in findings(text)] == [
        ("KC0149", 2),
        ("KC0146", 4),
        ("KC0148", 10),
        ("KC0148", 11),
        ("KC0148", 14),
    ]


def test_more_than_twenty_findings_are_counted() -> None:
    with pytest.raises(IsaError) as caught:
        parse_extension(HEAD + "\n".join(f"key{i} = 1" for i in range(50)))
    assert len(caught.value.diagnostics) == 20
    assert "30 more" in caught.value.diagnostics[-1].notes[-1]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "[[kind]]\n" * 1001,
        HEAD + "[[instr]]\n" * 25_000,
        HEAD + "".join(f"k{i} = 1\n" for i in range(8_000)),
        HEAD + "".join(f"[t{i}]\n" for i in range(8_000)),
        HEAD + "x = [" + "1,\n" * 40_000 + "]\n",
        HEAD + "doc = '''" + "a\n" * 120_000 + "'''\n",
        HEAD + 'doc = """' + '\\"\n' * 80_000 + '"""\n',
        "\n" * 260_000,
        "a" * 4000 + "\n" + "b" * 4000,
        "#\n" * 2_000_000,
    ],
    ids=range(10),
)
def test_large_file_ends_in_a_finding_or_a_record_soon(text: str) -> None:
    start = time.perf_counter()
    error = refusal(text)
    assert error is None or error.diagnostics[0].render()
    assert time.perf_counter() - start < 60  # a guard against hangs, not a measurement


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_file_never_crashes(hard: SimpleNamespace, data: st.DataObject) -> None:
    text = HEAD + FMA + "[[state]]\ntype = 'words'\nname = 'w'\ncount = 3\nbits = 4\n"
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.text("[]{}='\"#\\\n.,x1 \0é", max_size=4)) + text[at + length :]
    error = refusal(text)
    assert error is None or all(d.file and d.line for d in error.diagnostics)
    if error is None:
        with contextlib.suppress(IsaError):
            hard.isa.extended(parse_extension(text))


# --- files ---------------------------------------------------------------------------------------------------------


def test_file_is_loaded_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "Xfma.toml"
    path.write_text(HEAD + FMA)
    assert load_extension(path).origin == str(path)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\xff\xfe" + "schema".encode("utf-16-le"), (1, 1)),
        (b"schema = '\xc3\x28'", (1, 11)),
        (b"a = 1\nb = '\xe9'\n", (2, 6)),
        (b"\x80" * 2000, None),
        (b"a" * (1 << 19), (1, 1)),
    ],
)
def test_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes, place: tuple[int, int] | None) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(data)
    with pytest.raises(IsaError) as caught:
        load_extension(path)
    finding = caught.value.diagnostics[0]
    assert finding.code == "KC0143"
    assert place is None or (finding.line, finding.column) == place


def test_path_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.toml")
    for path in (tmp_path / "none.toml", tmp_path, tmp_path / "fifo.toml", "a\0b.toml", "x" * 5000, "/dev/zero"):
        with pytest.raises(IsaError) as caught:
            load_extension(path)
        assert caught.value.code == "KC0143"


# --- places: findings of the checker point into the file -----------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "place"),
    [
        ("semantics = 'x[rd] = x[rs2]'", "KC0124", (8, 24)),
        ('semantics = "x[rd] = x[rs2]"', "KC0124", (8, 24)),
        ("semantics = '''x[rd] = x[rs2]'''", "KC0124", (8, 26)),
        ("semantics = '''\nx[rd] = 1\nx[rd] = x[rs2]'''", "KC0124", (10, 11)),
        ('semantics = """\nx[rd] = 1\nx[rd] = x[rs2]\n"""', "KC0124", (10, 11)),
        ("   semantics  =   'x[rd] = x[rs2]' # note", "KC0124", (8, 30)),
        ('semantics = "x[rd] = 1\\nx[rd] = x[rs2]"', "KC0124", (8, 14)),
        ("semantics = '1'", "KC0122", (8, 14)),
        ("semantics = 'x[rd] = '", "KC0121", (8, 22)),
    ],
)
def test_finding_in_semantics_points_into_the_file(
    hard: SimpleNamespace, line: str, code: str, place: tuple[int, int]
) -> None:
    text = HEAD + FMA.replace('semantics = "x[rd] = x[rd] + x[rs1]"', line)
    with pytest.raises(IsaError) as caught:
        hard.isa.extended(parse_extension(text, "x.toml"))
    finding = caught.value.diagnostics[0]
    assert (finding.code, finding.file) == (code, "x.toml")
    assert (finding.line, finding.column) == place
    assert finding.span is not None
    assert finding.span.text is not None


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("rs1:x", "rs1:y", "KC0102", 6),
        ("-{6}", "-{5}", "KC0113", 7),
        ("0101", "0001", "KC0114", 7),
        ('"mul"', '"mull"', "KC0107", 9),
        ("latency = 3", "latency = 'rs2'", "KC0124", 11),
        ("latency = 3", "latency = -3", "KC0130", 11),
        ("latency = 3", 'interval = """\\\n  -1"""', "KC0130", 11),
        ("latency = 3", "replaces = 'NONE'", "KC0142", 11),
        ('"hard"', '"soft"', "KC0140", 3),
        ("extends", "requires = ['Xa']\nextends", "KC0140", 3),
    ],
)
def test_finding_of_composition_points_into_the_file(
    hard: SimpleNamespace, old: str, new: str, code: str, line: int
) -> None:
    text = (HEAD + FMA).replace(old, new)
    with pytest.raises(IsaError) as caught:
        hard.isa.extended(parse_extension(text, "x.toml"))
    finding = caught.value.diagnostics[0]
    assert (finding.code, finding.file, finding.line) == (code, "x.toml", line)


@pytest.mark.parametrize(
    ("more", "code", "line"),
    [
        ("[params]\nN = 1\n", "KC0141", 5),
        ("[params]\npc = 1\n", "KC0104", 5),
        ("[[kind]]\ntype = 'imm'\nname = 's12'\nbits = 3\n", "KC0141", 6),
        ("[[kind]]\ntype = 'imm'\nname = 'k'\nbits = 999\n", "KC0108", 4),
        ("[[state]]\ntype = 'words'\nname = 'k'\ncount = 'Q'\nbits = 3\n", "KC0105", 4),
        ("[[state]]\ntype = 'words'\nname = 'k'\ncount = 999999999999\nbits = 3\n", "KC0108", 4),
        ("[[state]]\ntype = 'words'\nname = 'N'\ncount = 9\nbits = 3\n", "KC0104", 4),
        ("[[pseudo]]\nsyntax = 'P rd:none'\nexpansion = ['NOP16']\n", "KC0102", 5),
        ("[[pseudo]]\nsyntax = 'NOP16'\nexpansion = ['NOP16']\n", "KC0141", 5),
    ],
)
def test_finding_about_a_declaration_points_into_the_file(
    hard: SimpleNamespace, more: str, code: str, line: int
) -> None:
    with pytest.raises(IsaError) as caught:
        hard.isa.extended(parse_extension(HEAD + more, "x.toml"))
    finding = caught.value.diagnostics[0]
    assert (finding.code, finding.file, finding.line) == (code, "x.toml", line)


# --- round trip ----------------------------------------------------------------------------------------------------

_PRINTABLE = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=20)
_PROSE = st.text(st.sampled_from(string.printable[:96] + "'\"\\\n\té→"), max_size=40)
_WORD = st.text(string.ascii_lowercase, min_size=1, max_size=6)
_INT = st.integers(-(2**40), 2**40)


def _fields(cls: type[Any], **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    by_type: dict[str, st.SearchStrategy[Any]] = {
        "str": _PRINTABLE,
        "int": _INT,
        "bool": st.booleans(),
        "int | str": st.one_of(_INT, _WORD),
        "str | int": st.one_of(_INT, _PRINTABLE),
        "int | float": st.one_of(_INT, st.floats(allow_nan=False, allow_infinity=False)),
        "tuple[str, ...]": st.lists(_PRINTABLE, max_size=3).map(tuple),
        "tuple[int | str, ...]": st.lists(st.one_of(_INT, _WORD), max_size=3).map(tuple),
        "dict[str, int]": st.dictionaries(_PRINTABLE, _INT, max_size=3),
    }
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for attribute in attrs.fields(cls):
        name, annotation = attribute.name, str(attribute.type)
        if name in ("doc", "note", "source", "semantics"):
            parts[name] = _PROSE
        elif annotation.endswith(" | None"):
            parts[name] = st.one_of(st.none(), by_type[annotation.removesuffix(" | None")])
        else:
            parts[name] = by_type[annotation]
    return st.builds(cls, **(parts | fixed))


_EXTENSION = st.builds(
    Extension,
    name=_WORD.map(lambda w: f"X{w}"),
    extends=_PRINTABLE.filter(bool),
    requires=st.lists(_WORD.map(lambda w: f"Xa{w}0"), max_size=2).map(tuple),
    params=st.dictionaries(_WORD, _INT, max_size=3),
    kinds=st.lists(st.one_of(_fields(Reg), _fields(Imm), _fields(Placeholder)), max_size=2).map(tuple),
    state=st.lists(st.one_of(*(_fields(c) for c in (RegFile, Scalar, Array, Words, Rows, Bytes))), max_size=2).map(
        tuple
    ),
    instrs=st.lists(_fields(Instr), max_size=2).map(tuple),
    pseudos=st.lists(_fields(Pseudo), max_size=2).map(tuple),
    doc=_PROSE,
    origin=st.just("x.toml"),
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(extension=_EXTENSION)
def test_written_extension_is_read_back_equal(extension: Extension) -> None:
    assert parse_extension(extension_to_toml(extension), "x.toml") == extension


def test_opaque_state_cannot_be_written() -> None:
    with pytest.raises(IsaError) as caught:
        extension_to_toml(Extension("Xa", "b", state=(Opaque("loops", list),)))
    assert caught.value.code == "KC0150"


def test_written_file_is_stable() -> None:
    text = extension_to_toml(parse_extension(HEAD + FMA))
    assert text == extension_to_toml(parse_extension(text))
    assert text == HEAD + FMA
