"""What the loop makes of text: code that was pasted, calls written as text, conversations that are too long."""

from __future__ import annotations

import pytest

from kernelcraft_core.agent.overflow import shorten
from kernelcraft_core.agent.pasted import call_as_text, pasted_code, same_code
from kernelcraft_core.agent.protocol import Message, ToolCall

MNEMONICS = ("add", "lw", "sw", "halt", "li", "lui")


def assembles(line: str) -> bool:
    return line.split()[0] in MNEMONICS and ("," in line or line.strip() == "halt")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", False),
        ("I add the values, then li and sw.", False),
        ("add the inputs\nsw the result\nhalt the machine\nli for the rest", False),
        ("Use `add x1, x2, x3` there.", False),
        ("```\nadd x1, x2, x3\n```", False),  # a line in an explanation
        ("```python\nprint(1)\nprint(2)\n```", False),
        ("```\nstart: add x1, x2, x3\n  halt\n```", True),
        ("```asm\nfoo r1\nbar r2\n```", True),  # of an assembly that does not exist here
        ("```asm\n# nothing\n; but\n// comments\n```", False),
        ("add x1, x2, x3\nlw x1, 0(x2)\nhalt", True),
        ("ADD x1, x2, x3\nand so on", False),
    ],
)
def test_code_in_text_is_told_from_prose(text: str, found: bool) -> None:
    assert (pasted_code(text, MNEMONICS, assembles) is not None) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"name": "run_evaluation", "parameters": {}}', True),
        ("<function=check_syntax></function>", True),
        ('<invoke name="write_code">', True),
        ("write_code(assembly_code='halt')", True),
        ("I called run_evaluation() and it passed.", False),
        ("The name of the tool is check_syntax.", False),
    ],
)
def test_calls_in_text_are_told_from_prose(text: str, found: bool) -> None:
    assert call_as_text(text) is found


def test_same_code_ignores_blanks() -> None:
    assert same_code("a b\n\n  c", "a  b\nc\n")
    assert not same_code("a b", "a\nb")


def test_shortening_ends_and_keeps_calls_with_their_answers() -> None:
    messages = [Message("system", "s" * 5000), Message("user", "u" * 5000)]
    for i in range(9):
        messages.append(Message("assistant", "", (ToolCall(f"{i}", "grep_docs", "a" * 900),)))
        messages += [Message("tool", "t" * 2000, tool_call_id=f"{i}"), Message("user", "go on")]
    sizes = []
    while True:
        sizes.append(sum(len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in messages))
        assert [c.id for m in messages for c in m.tool_calls] == [m.tool_call_id for m in messages if m.role == "tool"]
        assert messages[0].content == "s" * 5000
        assert messages[-2].tool_call_id == "8"
        made = shorten(messages)
        if made is None:
            break
        messages = made[0]
    assert sizes == sorted(set(sizes), reverse=True)
    assert len(sizes) > 4
    assert sum("earlier turns were left out: 8." in m.content for m in messages) == 1
