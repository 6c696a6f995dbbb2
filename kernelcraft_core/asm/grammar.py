"""The reference grammar of an ISA's assembly language, as Lark text.

It is generated from the syntax strings, says the same as the assembler (the tests compare them line by line), explains
a line that failed (`reference.py`) and can be shown to people. It covers what can be written down; whether a value fits
its field is checked afterwards.

One rule per mnemonic. Where several forms share a mnemonic they are merged so that the rule needs one token of
look-ahead: forms that may go on with the same token are followed together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from kernelcraft_core.asm.dialect import UNARY, Dialect
from kernelcraft_core.asm.directives import available
from kernelcraft_core.asm.lexis import CHARACTER, STRING, Lexis
from kernelcraft_core.asm.shapes import Shape, Shapes, without_offset
from kernelcraft_core.isa import Imm, Isa, Placeholder, Reg
from kernelcraft_core.isa.syntax import Operand

_WORD_END = "(?![A-Za-z0-9_.$])"
_OWN_NAMES = (
    "start item statement instruction directive constant value unary primary NAME UINT LABEL CONSTANT COMMENT BLANKS "
    "LOCAL STRING IGNORED NO_OFFSET"
)
_State = frozenset[tuple[int, int, int]]
"""(number of the shape, number of the item in it, 1 after a sign): what may come next."""


class Grammar:
    """Grammar text for all of an ISA or for one mnemonic."""

    def __init__(self, isa: Isa, dialect: Dialect, lexis: Lexis, shapes: Shapes) -> None:
        """Name all rules and terminals."""
        self.isa = isa
        self.dialect = dialect
        self.lexis = lexis
        self.shapes = shapes
        self._taken: set[str] = set(_OWN_NAMES.split())
        self._terminals = self._spelling_classes()
        self._kind_rules = {k.name: self._unique(k.name.lower()) for k in isa.kinds if not isinstance(k, Imm)}
        self._rules = {m: self._unique(_rule_name(m)) for m in shapes.of}
        self._mnemonics = {m: self._unique(_rule_name(m).upper()) for m in shapes.of}

    # -- names --------------------------------------------------------------------------------------------------------

    def _unique(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def _spelling_classes(self) -> dict[frozenset[str], tuple[str, list[str]]]:
        """Group spellings by the kinds that accept them: no text is in two groups, so the lexer never has to choose."""
        owners: dict[str, set[str]] = {}
        tables: list[tuple[str, Iterable[str]]] = [*self.lexis.registers.items(), *self.lexis.placeholders.items()]
        for kind, texts in tables:
            for text in texts:
                owners.setdefault(text, set()).add(kind)
        groups: dict[frozenset[str], list[str]] = {}
        for text, kinds in owners.items():
            groups.setdefault(frozenset(kinds), []).append(text)
        out = {}
        for signature, texts in groups.items():
            numbers = [t for t in texts if self.lexis.integer(t) is not None]
            words = [t for t in texts if t not in numbers]
            for part, suffix in ((words, ""), (numbers, "_NUMBER")):
                if part:
                    name = "_AND_".join(sorted(k.upper() for k in signature)).lstrip("_")
                    if len(part) == 1:
                        name = re.sub(r"\W", "_", part[0].upper()) if not suffix else f"NUMBER_{part[0].upper()}"
                        suffix = ""
                    name = self._unique(name + suffix)
                    out[signature | ({"#number"} if part is numbers else set())] = (name, part)
        return out

    def terminals_for(self, kind: str) -> list[str]:
        """Return the terminals that a register or placeholder kind consists of."""
        return [name for signature, (name, _) in self._terminals.items() if kind in signature]

    @property
    def numbers(self) -> list[str]:
        """Terminals beside UINT that are numbers: placeholders written as one."""
        return [name for signature, (name, _) in self._terminals.items() if "#number" in signature]

    # -- instructions -------------------------------------------------------------------------------------------------

    def rule(self, mnemonic: str) -> tuple[str, str]:
        """Return the rule of one mnemonic: its name and its body."""
        shapes = self.shapes.of[mnemonic]
        start: _State = frozenset((number, 0, 0) for number in range(len(shapes)))
        body = self._render(start, shapes)
        return self._rules[mnemonic], f"{self._mnemonics[mnemonic]} {body}".rstrip()

    def _render(self, state: _State, shapes: Sequence[Shape]) -> str:
        going = {s for s in state if s[1] < len(shapes[s[0]].items)}
        if not going:
            return ""
        optional = len(going) < len(state)
        branches = self._branches(frozenset(going), shapes)
        texts = [f"{head} {self._render(after, shapes)}".rstrip() for head, after in branches]
        text = texts[0] if len(texts) == 1 else f"({' | '.join(texts)})"
        return f"({text})?" if optional else text

    def _branches(self, state: _State, shapes: Sequence[Shape]) -> list[tuple[str, _State]]:
        """Return (grammar text of what comes next, state after it), without overlap between the texts."""
        items = {self._symbol(shapes[n].items, at) for n, at, sign in state if not sign}
        if len(items) == 1 and not any(sign for *_, sign in state):
            return [(items.pop(), frozenset((n, at + 1, 0) for n, at, _ in state))]
        after: dict[str, set[tuple[int, int, int]]] = {}
        for n, at, sign in state:
            for label, target in self._labels(shapes[n].items[at], n, at, sign):
                after.setdefault(label, set()).add(target)
        if "value" in after:  # an expression may be just the number a placeholder is: follow both
            for number in self.numbers:
                after["value"] |= after.pop(number, set())
        groups: dict[_State, list[str]] = {}
        for label, targets in after.items():
            groups.setdefault(frozenset(targets), []).append(label)
        return [(self._alternatives(labels), targets) for targets, labels in groups.items()]

    def _alternatives(self, labels: list[str]) -> str:
        for kind, rule in self._kind_rules.items():
            if sorted(self.terminals_for(kind)) == sorted(labels):
                return rule
        return labels[0] if len(labels) == 1 else f"({' | '.join(labels)})"

    def _symbol(self, items: Sequence[Operand | str], at: int) -> str:
        item = items[at]
        if isinstance(item, str):
            return 'NO_OFFSET? "("' if self.dialect.zero_offsets and without_offset(items, at) else f'"{item}"'
        return "value" if isinstance(item.kind, Imm) else self._kind_rules[item.kind.name]

    def _labels(self, item: Operand | str, n: int, at: int, sign: int) -> list[tuple[str, tuple[int, int, int]]]:
        done = (n, at + 1, 0)
        if isinstance(item, str):
            return [(f'"{item}"', done)]
        if isinstance(item.kind, Reg | Placeholder):
            return [(name, done) for name in self.terminals_for(item.kind.name)]
        if self.dialect.expressions:
            return [("value", done)]
        out = [(name, done) for name in ("UINT", *self.numbers)]
        if not sign:
            out += [("NAME", done)] if self.dialect.symbols else []
            out += [('"-"', (n, at, 1))] if self.lexis.signed else []
        return out

    # -- the whole ----------------------------------------------------------------------------------------------------

    def text(self, mnemonics: Iterable[str] | None = None) -> str:
        """Return the grammar of a line, or of the statement of the given mnemonics only."""
        whole = mnemonics is None
        chosen = list(self.shapes.of) if mnemonics is None else list(mnemonics)
        rules = self._line_rules() if whole else [("start", "instruction")]
        if chosen:
            rules.append(("?instruction", "\n    | ".join(self._rules[m] for m in chosen)))
        rules += [self.rule(m) for m in chosen]
        rules += [(rule, " | ".join(self.terminals_for(kind))) for kind, rule in self._kind_rules.items()]
        rules += self._value_rules()
        terminals = [(self._mnemonics[m], 1, re.escape(m) + _WORD_END) for m in chosen]
        terminals += [(name, 2, _one_of(texts) + _WORD_END) for name, texts in self._terminals.values()]
        terminals += self._shared_terminals()
        used = _reachable(rules)
        out = [f"// One line of {self.isa.name} assembly.", ""] if whole else []
        out += [f"{name}: {body}" for name, body in rules if name.lstrip("?") in used]
        out.append("")
        for name, priority, pattern in terminals:
            if name in used:
                suffix = f".{priority}" if priority > 1 else ""
                out.append(f"{name}{suffix}: /{pattern}/")
        if whole and self.dialect.comments:
            out += [f"COMMENT.4: /{_one_of(self.dialect.comments)}.*/", "%ignore COMMENT"]
        return "\n".join([*out, "BLANKS: /[ \\t]+/", "%ignore BLANKS", ""])

    def _line_rules(self) -> list[tuple[str, str]]:
        dialect = self.dialect
        separator = f' ("{dialect.separator}" item)*' if dialect.separator else ""
        label = "LABEL* " if dialect.labels else ""
        kinds = ["instruction"] if self.shapes.of else []
        kinds += ["directive"] if dialect.directives else []
        kinds += ["constant"] if dialect.constants else []
        kinds += ["IGNORED"] if dialect.ignored else []
        out = [("start", f"item{separator}")]
        out.append(("item", f"{label}statement?" if kinds else label.rstrip()))
        if kinds:
            out.append(("?statement", " | ".join(kinds)))
        if dialect.constants:
            out.append(("constant", "CONSTANT value"))
        if dialect.directives:
            alternatives = [f"{_terminal(names)} {body}" for names, body in self._directives()]
            out.append(("directive", "\n    | ".join(alternatives)))
        return out

    def _directives(self) -> list[tuple[tuple[str, ...], str]]:
        return [(d.names, d.grammar) for d in available(self.isa, self.dialect)]

    def _value_rules(self) -> list[tuple[str, str]]:
        numbers = " | ".join(("UINT", *self.numbers))
        if not self.dialect.expressions:
            name = " | NAME" if self.dialect.symbols else ""
            sign = f' | "-" ({numbers})' if self.lexis.signed else ""
            return [("value", f"{numbers}{name}{sign}")]
        levels = self.dialect.precedence
        rules = [f"level{i}" for i in range(len(levels))] + ["unary"]
        out = [("value", rules[0])]
        for number, operators in enumerate(levels):
            here, tighter = rules[number], rules[number + 1]
            quoted = " | ".join(f'"{op}"' for op in operators)
            out.append((f"?{here}", f"{tighter} | {here} ({quoted}) {tighter}"))
        prefix = " | ".join(f'"{op}"' for op in UNARY)
        symbol = " | NAME" if self.dialect.symbols else ""
        symbol += " | LOCAL" if self.dialect.numeric_labels else ""
        if self.dialect.relocations:
            relocations = " | ".join(f'"{r.name}"' for r in self.dialect.relocations)
            symbol += f' | ({relocations}) "(" {rules[0]} ")"'
        out.append(("?unary", f"primary | ({prefix}) unary"))
        out.append(("primary", f'{numbers}{symbol} | "(" {rules[0]} ")"'))
        return out

    def _shared_terminals(self) -> list[tuple[str, int, str]]:
        reserved = self.lexis.reserved
        not_reserved = f"(?!{_one_of(reserved)}{_WORD_END})" if reserved else ""
        word = self.lexis.word.replace(r"\w", "A-Za-z0-9_")
        character = f"|{CHARACTER}" if self.dialect.strings else ""
        numeric = "|[0-9]+" if self.dialect.numeric_labels else ""
        names = "|".join(re.escape(n).replace(r"\*", "[A-Za-z0-9_.]*") for n in self.dialect.ignored)
        ignored = f"(?:{names})(?![A-Za-z0-9_.])"
        out = [
            ("UINT", 1, f"(?:(?:{self.lexis.number}){_WORD_END}{character})"),
            ("NAME", 1, f"{not_reserved}{word}"),
            ("NO_OFFSET", 2, r"0(?=[ \t]*\()"),
            ("LOCAL", 2, f"[0-9]+[bf]{_WORD_END}"),
            ("STRING", 2, STRING),
            ("LABEL", 3, f"(?:{not_reserved}{word}{numeric})[ \\t]*:"),
            ("CONSTANT", 3, f"{not_reserved}{word}[ \\t]*="),
            ("IGNORED", 3, f'{ignored}(?:{STRING}|[^;"\\n])*'),
        ]
        return out + [(_terminal(names), 2, _one_of(names) + _WORD_END) for names, _ in self._directives()]


def _reachable(rules: Sequence[tuple[str, str]]) -> set[str]:
    """Return the names of rules and terminals that `start` leads to."""
    bodies = {name.lstrip("?"): body for name, body in rules}
    found: set[str] = set()
    pending = ["start"]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", bodies.get(name, "")))
    return found


def _rule_name(mnemonic: str) -> str:
    name = re.sub(r"[^a-z0-9_]", "_", mnemonic.lower())
    return "i" + name if name.startswith("_") else name


def _one_of(texts: Iterable[str]) -> str:
    """Return a pattern for any of `texts`, the longest first; runs like x8, x9, x10 are written as digit ranges."""
    rest: list[str] = []
    numbered: dict[str, list[int]] = {}
    for text in sorted(set(texts)):
        m = re.fullmatch(r"(.*[^0-9])(0|[1-9][0-9]?)", text)
        if m:
            numbered.setdefault(m[1], []).append(int(m[2]))
        else:
            rest.append(text)
    parts = [(text, re.escape(text)) for text in rest]
    for prefix, numbers in numbered.items():
        parts.append((prefix, re.escape(prefix) + _digits(sorted(numbers))))
    ordered = [pattern for _, pattern in sorted(parts, key=lambda part: (-len(part[0]), part[0]))]
    text = "|".join(pattern.replace("/", r"\/") for pattern in ordered)
    return text if len(ordered) == 1 and numbered else f"(?:{text})"


def _digits(numbers: Sequence[int]) -> str:
    """Return a pattern for the decimal numbers given (0 to 99, ascending), two digits before one."""
    by_ones: dict[tuple[int, ...], list[int]] = {}
    for tens in sorted({n // 10 for n in numbers}):
        by_ones.setdefault(tuple(n % 10 for n in numbers if n // 10 == tens), []).append(tens)
    parts = []
    for ones, tens_with in by_ones.items():
        double = [t for t in tens_with if t]
        parts += [(2, _class(double) + _class(ones))] if double else []
        parts += [(1, _class(ones))] if 0 in tens_with else []
    ordered = [text for _, text in sorted(parts, reverse=True)]
    return ordered[0] if len(ordered) == 1 else f"(?:{'|'.join(ordered)})"


def _class(digits: Sequence[int]) -> str:
    if len(digits) == 1:
        return str(digits[0])
    whole = list(digits) == list(range(digits[0], digits[-1] + 1)) and len(digits) > 2
    return f"[{digits[0]}-{digits[-1]}]" if whole else f"[{''.join(map(str, digits))}]"


def _terminal(names: Sequence[str]) -> str:
    return "D_" + names[0].lstrip(".").upper()


def grammar_text(isa: Isa, dialect: Dialect) -> str:
    """Return the reference grammar of a line as Lark text (LALR)."""
    lexis = Lexis(isa, dialect)
    return Grammar(isa, dialect, lexis, Shapes(isa, lexis)).text()
