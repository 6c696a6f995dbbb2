"""Source text: encodings, line ends, places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelcraft_core.asm.source import SourceLines, blocks, read
from kernelcraft_core.diagnostics import AssemblyError


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_count_alike(bare, findings, end):
    (found,) = findings(bare, end.join(["fence", "", "; c", "  bad", ""]))
    assert (found.line, found.column) == (4, 3)
    assert list(bare.assemble(end.join(["fence", "", "fence"])).lines) == [1, 3]


def test_mixed_line_ends(bare):
    assert list(bare.assemble("fence\r\n\nfence\r\rfence\n\r\nfence").lines) == [1, 3, 5, 7]


@pytest.mark.parametrize("other", ["\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_other_separators_are_no_line_ends(bare, findings, other):
    (found,) = findings(bare, f"fence{other}fence\nfence")
    assert (found.code, found.line, found.column) == ("KC0210", 1, 6)
    assert list(bare.assemble(f"fence ; {other} c\nfence").lines) == [1, 2]


@pytest.mark.parametrize(
    ("data", "line", "column", "words"),
    [
        (b"fence\n  \xff", 2, 3, "byte 0xff at offset 8"),
        (b"; \xc3\xa9 \xc3(", 1, 5, "byte 0xc3 at offset 5"),
        (b"fence\r\nfence\rx\xe2\x82", 3, 2, "byte 0xe2"),
        (b"\xff\xfef\0e\0", 1, 1, "UTF-16"),
        (b"\xfe\xff\0f", 1, 1, "UTF-16"),
        (b"\xff\xfe\0\0f\0\0\0", 1, 1, "UTF-32"),
        (b"\x80" * 100, 1, 1, "byte 0x80"),
    ],
)
def test_what_is_not_utf8_is_placed(bare, findings, data, line, column, words):
    (found,) = findings(bare, data)
    assert (found.code, found.line, found.column) == ("KC0211", line, column)
    assert words in found.message


def test_utf8_is_welcome_in_comments(bare):
    text = "fence ; µs, 日本語 \U0001f600\n"
    assert len(bare.assemble(text)) == len(bare.assemble(text.encode())) == 1
    assert len(bare.assemble(b"\xef\xbb\xbf" + text.encode())) == 1


def test_nul_is_placed(bare, findings):
    (found,) = findings(bare, b"fence\nfe\0nce ; c")
    assert (found.code, found.line, found.column) == ("KC0210", 2, 3)


def test_lone_surrogates_are_no_traceback(bare, findings):
    (found,) = findings(bare, "fence \ud800")
    assert found.code == "KC0210"
    found.render().encode()
    assert len(bare.assemble("fence ; \ud800")) == 1


@given(st.text(alphabet="ab\r\n\v\f\x85\u2028", max_size=40))
def test_lines_are_those_of_an_editor(text):
    clean = read(text, "f")
    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = SourceLines(clean)
    assert list(lines) == expected
    assert [lines[i] for i in range(len(lines))] == expected
    assert lines[-1] == expected[-1]
    assert lines[1:3] == expected[1:3]
    with pytest.raises(IndexError):
        lines[len(expected)]


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_blocks_are_whole_lines(size):
    text = ("x" * 99 + "\n") * (size // 100) + "y" * (size % 100)
    assert "\n".join(blocks(text)) == text
    assert all(len(block) < (1 << 20) + 200 for block in blocks(text))


def test_error_text_survives_pickling(bare):
    import pickle

    with pytest.raises(AssemblyError) as caught:
        bare.assemble("bad")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
