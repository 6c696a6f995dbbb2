"""The reference grammar says the same as the assembler, line by line: what it takes, and what it means."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from lark import Token, Tree
from lark.exceptions import UnexpectedInput

from kernelcraft_core.asm import Assembler, Dialect, grammar_text
from kernelcraft_core.asm.reference import parser
from kernelcraft_core.diagnostics import AssemblyError
from kernelcraft_core.isa import Imm, Isa, Placeholder, Reg
from kernelcraft_core.isa.definition import fits

RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


class Wrong(Exception):
    """The line is no program."""


class Model:
    """An assembler of single lines made from the grammar text alone: Lark parses, this computes; slow and simple."""

    def __init__(self, isa: Isa, dialect: Dialect) -> None:
        self.isa = isa
        self.lark = parser(grammar_text(isa, dialect))

    def words(self, line: str) -> list[int] | None:
        """Return the words of a line, or None when it is wrong."""
        try:
            tree = self.lark.parse(line)
            self.known: dict[str, int] = {}
            return [word for item in tree.find_data("item") for word in self.item(item)]
        except (UnexpectedInput, Wrong):
            return None

    def item(self, item: Tree[Token]) -> list[int]:
        words: list[int] = []
        for child in item.children:
            if isinstance(child, Token):
                self.define(child.rstrip(": \t"), 0)
            elif child.data == "constant":
                self.define(child.children[0].rstrip("= \t"), self.value(child.children[1]))
            elif child.data == "directive":
                assume(False)
            else:
                words += self.instruction(child)
        return words

    def define(self, name: str, value: int) -> None:
        if name in self.known or name == ".":
            raise Wrong
        self.known[name] = value

    def value(self, node: Any) -> int:
        """Return the value of an expression by Python's own arithmetic."""
        if isinstance(node, Token):
            if node.type == "NAME":
                if node not in self.known:
                    raise Wrong
                return self.known[node]
            prefix = node[:2].lower()
            return int(node[2:], 16) if prefix == "0x" else int(node[2:], 2) if prefix == "0b" else int(node)
        parts = [c for c in node.children if not (isinstance(c, Token) and c in ("(", ")"))]
        if len(parts) == 1:
            return self.value(parts[0])
        if len(parts) == 2:
            operand = self.value(parts[1])
            return {"-": -operand, "+": operand, "~": ~operand}[parts[0]]
        left, right = self.value(parts[0]), self.value(parts[2])
        if parts[1] in ("/", "%"):
            if not right:
                raise Wrong
            quotient = int(left / right) if abs(left) < 1 << 50 else abs(left) // abs(right)
            assume(abs(left) < 1 << 50)
            return quotient if parts[1] == "/" else left - right * quotient
        if parts[1] in ("<<", ">>") and not 0 <= right <= 512:
            raise Wrong
        assume(abs(left).bit_length() + (right if parts[1] == "<<" else 0) < 512)
        return int(eval(f"({left}) {parts[1]} ({right})"))

    def instruction(self, tree: Tree[Token]) -> list[int]:
        mnemonic, *rest = tree.children
        return self.encode(str(mnemonic), self.flat(rest))

    def flat(self, nodes: list[Any]) -> list[Any]:
        """Return punctuation and spellings as text, values as numbers."""
        out: list[Any] = []
        for node in nodes:
            if isinstance(node, Token):
                if out and out[-1] == "-" and node.type == "UINT":
                    out[-1] = -self.value(node)
                else:
                    out.append(self.value(node) if node.type in ("UINT", "NAME") else str(node))
            else:
                out.append(self.value(node) if node.data == "value" else str(node.children[0]))
        return out

    def encode(self, mnemonic: str, items: list[Any]) -> list[int]:
        for definition in self.isa.with_mnemonic(mnemonic):
            for form in definition.forms:
                for length in form.lengths():
                    values = self.match(form.items[:length], items)
                    if values is not None and form.mnemonic == mnemonic:
                        return [definition.encode(values)]
        for form, pseudo in self.isa.pseudo(mnemonic):
            values = self.match(form.items, items)
            if values is not None and eval(pseudo.when, {}, values):
                return [word for line in pseudo.expansion for word in self.expand(line, values, form)]
        raise Wrong

    def match(self, form: Any, items: list[Any]) -> dict[str, int] | None:
        if len(form) != len(items):
            return None
        values: dict[str, int] = {}
        for want, have in zip(form, items, strict=True):
            if isinstance(want, str):
                if want != have:
                    return None
                continue
            match want.kind:
                case Reg() as kind:
                    index = kind.names.get(have) if isinstance(have, str) else None
                    m = re.fullmatch(rf"{kind.prefix}(\d+)", have) if isinstance(have, str) else None
                    value = index if index is not None else int(m[1]) if m else -1
                    if m and str(value) != m[1]:
                        return None
                case Placeholder() as kind:
                    if str(have) not in kind.spellings:
                        return None
                    value = 0
                case Imm() as kind:
                    if isinstance(have, str):
                        if not have.isdigit():
                            return None
                        have = int(have)
                    value = have
            if not fits(kind, value):
                return None
            values[want.name] = value
        return values

    def expand(self, line: str, values: dict[str, int], form: Any) -> list[int]:
        registers = {o.name: o.kind.prefix for o in form.operands if isinstance(o.kind, Reg)}

        def fill(m: re.Match[str]) -> str:
            known = {"sext": lambda x, bits: (x & ((1 << bits) - 1)) - ((x >> (bits - 1) & 1) << bits)}
            prefix = "" if line[m.start() - 1].isalnum() else registers.get(m[1], "")
            return f"{prefix}{eval(m[1], known, values)}"

        words = self.words(re.sub(r"\{([^}]*)\}", fill, line))
        if words is None:
            raise Wrong
        return words


@pytest.fixture(scope="module")
def models(toy: Assembler, bare: Assembler) -> dict[str, Model]:
    """Return the models of both ISAs."""
    return {a.isa.name: Model(a.isa, a.dialect) for a in (toy, bare)}


def assembled(assembler: Assembler, line: str) -> list[int] | None:
    """Return the words of a line as the assembler sees it, twice: the second time from what it has learned."""
    try:
        first = list(assembler.assemble(line).words)
    except AssemblyError:
        with pytest.raises(AssemblyError):
            assembler.assemble(f"{line}\n{line}")
        return None
    if ":" not in line and "=" not in line:
        assert list(assembler.assemble(f"\n{line}\n{line}").words) == first * 2
    return first


@st.composite
def statements(draw: st.DrawFn, isa: Isa) -> str:
    """Draw a statement in one of the forms of the ISA; immediates are near their limits, sometimes past them."""
    forms = [f for d in isa for f in d.forms] + [f for m in isa.mnemonics for f, _ in isa.pseudo(m)]
    form = draw(st.sampled_from(forms))
    blank = draw(st.sampled_from(["", " ", "\t", "  "]))
    out = draw(st.sampled_from(["", " ", "\t"])) + form.mnemonic + draw(st.sampled_from([" ", "\t"]))
    for item in form.items[: draw(st.sampled_from(form.lengths()))]:
        if isinstance(item, str):
            out += blank + item + draw(st.sampled_from(["", " "]))
            continue
        match item.kind:
            case Reg() as kind:
                index = draw(st.integers(0, kind.size))
                out += draw(st.sampled_from([f"{kind.prefix}{index}", *kind.names]))
            case Placeholder() as kind:
                out += draw(st.sampled_from([*kind.spellings, "1"]))
            case Imm() as kind:
                near = [kind.low, kind.high, 0, 1, 2]
                value = draw(st.sampled_from([*near, kind.low - 1, kind.high + 1]) | st.integers(kind.low, kind.high))
                out += draw(st.sampled_from([str(value), hex(value)]))
    return out + blank


@st.composite
def mutated(draw: st.DrawFn, isa: Isa) -> str:
    """Draw a statement with a few characters changed."""
    text = draw(statements(isa))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        piece = draw(
            st.sampled_from(
                [*" ,()+-*/%&|^~<>=:;#.$_x0123456789aAbcrz\t[]!?'é٣", "//", "<<", "x1", "0x", "1 + ", ", 5", "", ""]
            )
        )
        text = text[:at] + piece + text[at + draw(st.integers(0, 2)) :]
    return text


@given(data=st.data())
@settings(RELAXED, max_examples=150)
def test_assembler_and_grammar_agree(either, models, data):
    line = data.draw(mutated(either.isa))
    assume("\n" not in line)
    assume(not re.search(r"(?<![\w.$])\.(?![\w.$])", line))  # `.` is an address: the model does not follow those
    assert assembled(either, line) == models[either.isa.name].words(line)


@given(data=st.data())
@settings(RELAXED, max_examples=60)
def test_valid_statements_agree(either, models, data):
    line = data.draw(statements(either.isa))
    assert assembled(either, line) == models[either.isa.name].words(line)


expressions = st.recursive(
    st.sampled_from(["0", "1", "7", "0x10", "0b11", "k", "12"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]), inner).map(" ".join),
        inner.map(lambda e: f"({e})"),
        st.tuples(st.sampled_from("-+~"), inner).map("".join),
    ),
    max_leaves=12,
)


@given(text=expressions)
@settings(RELAXED, max_examples=80)
def test_expressions_agree(toy, models, text):
    line = f"k = 3; li x1, ({text}) & 0xFFFF"
    assert assembled(toy, line) == models["toy"].words(line)


def test_grammar_text_is_stable_and_complete(either):
    text = either.grammar()
    assert text == grammar_text(either.isa, either.dialect) == either.grammar()
    for definition in either.isa:
        assert re.search(rf"^[A-Z_0-9.]+: /{re.escape(re.escape(definition.mnemonic))}\(", text, re.MULTILINE)


@pytest.mark.parametrize("line", ["addi x1, x2, 3 // c", "", "  ; only", "fence", "lw x1, 4(x2)", "cfg none, z"])
def test_grammar_takes_plain_lines(bare, line):
    parser(bare.grammar()).parse(line)


@pytest.mark.parametrize("off", ["labels", "constants", "expressions", "directives", "hexadecimal", "binary"])
def test_grammar_of_every_dialect_is_accepted_by_lark(toy, off):
    lark = parser(grammar_text(toy.isa, Dialect(**{off: False})))
    lark.parse("addi x1, x2, 3")
    line = {
        "labels": "a: fence",
        "constants": "a = 5",
        "expressions": "lui x1, 1 + 1",
        "directives": ".word 1",
        "hexadecimal": "lui x1, 0x1",
        "binary": "lui x1, 0b1",
    }[off]
    parser(grammar_text(toy.isa, Dialect())).parse(line)
    with pytest.raises(UnexpectedInput):
        lark.parse(line)
