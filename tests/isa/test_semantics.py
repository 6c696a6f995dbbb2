"""The semantics language: what it takes, and that nothing hostile gets through, hangs or crashes it."""

from __future__ import annotations

import inspect
import sys
import time
import warnings
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Imm, Reg, ir
from kernelcraft_core.isa.ir import Int
from kernelcraft_core.isa.semantics import Text, check_cost, check_semantics
from kernelcraft_core.isa.types import Scope, int_range

OPERANDS = {
    "rd": Reg("x", bits=3, prefix="x"),
    "imm": Imm("s12", bits=12, signed=True),
    "u": Imm("u5", bits=5),
    "loose": Imm("flag", bits=4, max=1, lenient=True),
}


def check(hard: SimpleNamespace, text: str) -> tuple[ir.Stmt, ...]:
    """Return the checked statements of a text."""
    return check_semantics(Text(text, "T semantics"), hard.isa.scope, OPERANDS)[0]


def refusal(hard: SimpleNamespace, text: str) -> IsaError | None:
    """Return the error that a text gives, None when it is legal; what Python itself warns about does not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check(hard, text)
        except IsaError as error:
            return error
    return None


def code(hard: SimpleNamespace, text: str) -> str:
    """Return the code of the one finding of a wrong text; it took no time and says where it is."""
    start = time.perf_counter()
    error = refusal(hard, text)
    assert error is not None
    assert time.perf_counter() - start < 60  # a guard against hangs, not a measurement
    finding = error.diagnostics[0]
    assert finding.line is not None
    assert len(finding.message) < 2000
    assert finding.render()
    return finding.code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pass",
        "x[rd] = imm",
        "x[rd] = imm; status = 3",
        "x[rd] = x[rd] << (x[0] & 31)",
        "acc = 0",
        "acc = rows[x[rd]] * 2 + f[0]",
        "rows[x[1]] = acc",
        "words[imm] = 7",
        "f[rd] = rsum(acc)",
        "a, b = divmod_(x[1], 3); x[rd] = a; x[2] = b",
        "if imm > 0: pc = pc + imm",
        "if imm:\n  x[rd] = 1\nelif u:\n  x[rd] = 2\nelse:\n  trap(illegal_operands)",
        "x[rd] = sext(imm, 5) if not u else zext(imm, 128)",
        "x[rd] = min(imm, u) + max(imm, u) + abs(imm)",
        "store(ram, x[1], 4, x[2])",
        "pc = next_pc",
        "halt()",
        "x[rd] = x[clock() & 7]",
        "x[rd] = -imm // (u + 1) % 5 ^ ~u | 3",
        "x[loose & 1] = 1",
        "x[rd] = 1 < imm and u or not imm",
        "x[rd] = " + "not " * 120 + "1",
    ],
)
def test_legal_text_is_accepted(hard: SimpleNamespace, text: str) -> None:
    assert isinstance(check(hard, text), tuple)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # too much of it
        ("x[rd] = " + "1 + " * 30_000 + "1", "KC0120"),
        ("x[rd] = " + "(" * 100_000 + "1" + ")" * 100_000, "KC0120"),
        ("(" * 240 + ")" * 240, "KC0121"),
        ("[" * 490, "KC0121"),
        ("-" * 490 + "1", "KC0120"),
        ("x[rd] = " + "-" * 480 + "1", "KC0120"),
        ("x[rd] = " + "~" * 480 + "1", "KC0120"),
        ("x[rd] = " + "1+" * 240 + "1", "KC0120"),
        ("x[rd] = " + "x[" * 160 + "0" + "]" * 160, "KC0120"),
        ("a" * 100_000, "KC0120"),
        ("\n" * 600, "KC0120"),
        ("x[rd] = " + "9" * 450, "KC0122"),
        ("x[rd] = 0x" + "f" * 400, "KC0122"),
        # not the language
        ("x[rd] = ", "KC0121"),
        ("x[rd] = imm\n  status = 1", "KC0121"),
        ("x[rd] = 1\0", "KC0121"),
        ("x[rd] = \uff49mm", "KC0121"),
        ("x[rd] = µ", "KC0121"),
        ("x[rd] = 01", "KC0121"),
        ("x[rd] = $", "KC0121"),
        ("x[rd] = 'a", "KC0121"),
        # Python that is not part of it
        ("x[rd] = imm.bit_length()", "KC0122"),
        ("x[rd] = imm.__class__", "KC0122"),
        ("x.y = 1", "KC0122"),
        ("x[rd] = (lambda: 1)()", "KC0122"),
        ("x[rd] = lambda: 1", "KC0122"),
        ("x[rd] = [i for i in x]", "KC0122"),
        ("x[rd] = {i for i in x}", "KC0122"),
        ("x[rd] = sum(i for i in x)", "KC0124"),
        ("x[rd] = 'text'", "KC0122"),
        ("x[rd] = b'text'", "KC0122"),
        ("x[rd] = f'{imm}'", "KC0122"),
        ("x[rd] = ...", "KC0122"),
        ("x[rd] = None", "KC0122"),
        ("x[rd] = True", "KC0122"),
        ("x[rd] = 1j", "KC0122"),
        ("x[rd] = imm ** 99999999", "KC0122"),
        ("x[rd] = imm @ imm", "KC0122"),
        ("x[rd] = imm / 2", "KC0122"),
        ("x[rd] = (y := imm)", "KC0122"),
        ("x[rd] = imm < u < 3", "KC0122"),
        ("x[rd] = imm is u", "KC0122"),
        ("x[rd] = imm in x", "KC0122"),
        ("x[rd] = +imm", "KC0126"),
        ("x[rd] += 1", "KC0122"),
        ("x[rd] = y = 1", "KC0122"),
        ("x[rd]: int = 1", "KC0122"),
        ("import os", "KC0122"),
        ("from os import system", "KC0122"),
        ("while 1: pass", "KC0122"),
        ("for i in x: pass", "KC0122"),
        ("def f(): pass", "KC0122"),
        ("class A: pass", "KC0122"),
        ("with x: pass", "KC0122"),
        ("try:\n  pass\nexcept:\n  pass", "KC0122"),
        ("del x", "KC0122"),
        ("assert imm", "KC0122"),
        ("raise imm", "KC0122"),
        ("return imm", "KC0122"),
        ("global x", "KC0122"),
        ("yield", "KC0122"),
        ("await x", "KC0122"),
        ("match imm:\n  case 1: pass", "KC0122"),
        ("imm", "KC0122"),
        ("x[0:2] = 1", "KC0122"),
        ("x[0, 1] = 1", "KC0122"),
        ("x[rd][0] = 1", "KC0122"),
        ("(a, b), c = divmod_(1, 2)", "KC0122"),
        ("*a, b = divmod_(1, 2)", "KC0122"),
        ("x[rd] = divmod_(*x)", "KC0127"),
        ("x[rd], status = divmod_(1, 2)", "KC0122"),
        ("x[rd] = divmod_(a=1, b=2)", "KC0122"),
        ("x[rd] = x[0](1)", "KC0122"),
        # names
        ("a = 1; a = 2", "KC0123"),
        ("imm = 1", "KC0123"),
        ("N = 1", "KC0123"),
        ("next_pc = 1", "KC0123"),
        ("load = 1", "KC0123"),
        ("if imm: a = 1", "KC0123"),
        ("a = divmod_(1, 2)", "KC0123"),
        ("a, b = rsum(acc)", "KC0123"),
        ("a, b, c = divmod_(1, 2)", "KC0123"),
        ("a, a = divmod_(1, 2)", "KC0123"),
        ("x[rd] = nothing", "KC0124"),
        ("y[rd] = 1", "KC0124"),
        ("x[rd] = y[0]", "KC0124"),
        ("x[rd] = eval(1)", "KC0124"),
        ("x[rd] = __import__(1)", "KC0124"),
        ("x[rd] = __builtins__", "KC0124"),
        # state, types
        ("x = 1", "KC0125"),
        ("rows = acc", "KC0125"),
        ("status[0] = 1", "KC0125"),
        ("ram[0] = 1", "KC0125"),
        ("x[rd] = ram[0]", "KC0125"),
        ("a = store(ram, 0, 4, 1)", "KC0125"),
        ("a = ram", "KC0125"),
        ("a = x", "KC0125"),
        ("status = ram", "KC0125"),
        ("x[rd] = divmod_(1, 2)", "KC0125"),
        ("x[rd] = divmod_(1, 2) + 1", "KC0126"),
        ("x[rd] = 1 if acc else 2", "KC0126"),
        ("x[rd] = x if u else x", "KC0126"),
        ("x[rd] = acc", "KC0126"),
        ("x[rd] = 1.5", "KC0126"),
        ("x[rd] = f[0]", "KC0126"),
        ("x[f[0]] = 1", "KC0126"),
        ("pc = f[0]", "KC0126"),
        ("acc = rows[0] if imm else 1", "KC0126"),
        ("x[rd] = acc == acc", "KC0126"),
        ("x[rd] = acc & acc", "KC0126"),
        ("x[rd] = x + 1", "KC0126"),
        ("x[rd] = sext(f[0], 3)", "KC0126"),
        # calls
        ("x[rd] = sext(imm, u)", "KC0127"),
        ("x[rd] = sext(imm, 0)", "KC0127"),
        ("x[rd] = sext(imm, -1)", "KC0127"),
        ("x[rd] = sext(imm, 129)", "KC0127"),
        ("x[rd] = sext(imm)", "KC0127"),
        ("x[rd] = min(imm)", "KC0127"),
        ("x[rd] = min()", "KC0127"),
        ("x[rd] = halt()", "KC0127"),
        ("halt(1)", "KC0127"),
        ("trap()", "KC0127"),
        ("trap(nonsense)", "KC0127"),
        ("trap(1)", "KC0127"),
        ("rsum(acc)", "KC0127"),
        ("x[rd] = store(ram, 0, 4, 1)", "KC0125"),
        ("f[rd] = rsum(1)", "KC0127"),
        ("f[rd] = rsum()", "KC0127"),
        ("x[rd] = load(1, 2, 3)", "KC0127"),
        ("x[rd] = load(ram, f[0], 4)", "KC0127"),
        # ranges
        ("x[imm] = 1", "KC0128"),
        ("x[8] = 1", "KC0128"),
        ("x[-1] = 1", "KC0128"),
        ("x[rd + 1] = 1", "KC0128"),
        ("x[loose] = 1", "KC0128"),
        ("x[any_int()] = 1", "KC0128"),
        ("x[x[0]] = 1", "KC0128"),
        ("x[10 ** 10] = 1", "KC0122"),
        ("x[rd] = 1 << imm", "KC0129"),
        ("x[rd] = 1 >> -1", "KC0129"),
        ("x[rd] = 1 << 129", "KC0129"),
        ("x[rd] = 1 << x[0]", "KC0129"),
        ("x[rd] = 1 << any_int()", "KC0129"),
        # integers that would fill the memory
        (
            "a = x[0]*x[0]; "
            + "; ".join(f"{new}={old}*{old}" for old, new in zip("abcdeghijk", "bcdeghijkl", strict=True)),
            "KC0131",
        ),
        ("x[rd] = 1" + "<<128" * 90, "KC0131"),
        ("x[rd] = any_int() * 2", "KC0131"),
        ("x[rd] = any_int() << 2", "KC0131"),
    ],
)
def test_hostile_or_wrong_text_gives_its_code(hard: SimpleNamespace, text: str, expected: str) -> None:
    assert code(hard, text) == expected


def test_text_checked_on_an_almost_full_stack_is_refused_not_crashed(hard: SimpleNamespace) -> None:
    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
        else:
            check(hard, "x[rd] = " + "not " * 120 + "1")

    room = sys.getrecursionlimit() - len(inspect.stack()) - 150
    with pytest.raises(IsaError) as caught:
        deep(room)
    assert caught.value.code == "KC0120"


def test_finding_points_at_the_node(hard: SimpleNamespace) -> None:
    with pytest.raises(IsaError) as caught:
        check(hard, "x[rd] = imm\nstatus = imn")
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column, span.length, span.text) == (2, 10, 3, "status = imn")
    assert "imm" in (caught.value.diagnostics[0].hint or "")


def test_finding_points_into_the_file_the_text_came_from(hard: SimpleNamespace) -> None:
    source = Text("x[rd] = imm\nx[rd] = imn", "T semantics", "a.toml", 10, 14)
    with pytest.raises(IsaError) as caught:
        check_semantics(source, hard.isa.scope, OPERANDS)
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.file, span.line, span.column) == ("a.toml", 11, 9)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(
        alphabet=st.sampled_from("xrd imu5[]()=+-*/%<>&|^~:;,.\n\t'\"\\{}#@!ifelsenotandlambda0123456789"), max_size=80
    )
)
def test_any_text_is_accepted_or_refused_with_a_diagnostic(hard: SimpleNamespace, text: str) -> None:
    error = refusal(hard, text)
    assert error is None or ("KC0120" <= error.code <= "KC0131" and error.diagnostics[0].render())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40))
def test_any_unicode_text_is_accepted_or_refused_with_a_diagnostic(hard: SimpleNamespace, text: str) -> None:
    error = refusal(hard, f"x[rd] = {text}")
    assert error is None or error.diagnostics[0].render()


# --- ranges --------------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(
    op=st.sampled_from(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"]),
    a=st.tuples(st.integers(-300, 300), st.integers(-300, 300)).map(sorted),
    b=st.tuples(st.integers(-20, 20), st.integers(-20, 20)).map(sorted),
    data=st.data(),
)
def test_range_of_an_operation_contains_every_result(op: str, a: list[int], b: list[int], data: st.DataObject) -> None:
    if op in ("<<", ">>"):
        b = sorted(abs(n) for n in b)
    x, y = data.draw(st.integers(*a)), data.draw(st.integers(*b))
    if op in ("//", "%") and y == 0:
        return
    result = {
        "+": lambda: x + y,
        "-": lambda: x - y,
        "*": lambda: x * y,
        "//": lambda: x // y,
        "%": lambda: x % y,
        "&": lambda: x & y,
        "|": lambda: x | y,
        "^": lambda: x ^ y,
        "<<": lambda: x << y,
        ">>": lambda: x >> y,
    }[op]()
    for left in (Int(*a), Int(a[0], None), Int(None, a[1]), Int()):
        kind = int_range(op, left, Int(*b))
        assert kind.lo is None or kind.lo <= result
        assert kind.hi is None or result <= kind.hi


def test_remainder_of_anything_is_bounded_by_the_divisor(hard: SimpleNamespace) -> None:
    assert check(hard, "x[any_int() % 8] = 1")


# --- costs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["1", "COST", "COST // 2 + 1", "u + 1", "x[rd]", "4 if u else 2", "status", "max(u, 1)"]
)
def test_cost_over_parameters_operands_and_registers_is_accepted(hard: SimpleNamespace, text: str) -> None:
    assert check_cost(Text(text, "T latency"), hard.isa.scope, OPERANDS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", "KC0130"),
        ("imm", "KC0130"),
        ("1.5", "KC0130"),
        ("f[0]", "KC0130"),
        ("COST // 0", "KC0130"),
        ("words[0]", "KC0125"),
        ("acc", "KC0124"),
        ("rsum(acc)", "KC0127"),
        ("x", "KC0124"),
        ("a = 1", "KC0121"),
        ("1; 2", "KC0121"),
        ("", "KC0121"),
        ("1 " + "+ 1" * 200, "KC0120"),
    ],
)
def test_wrong_cost_gives_its_code(hard: SimpleNamespace, text: str, expected: str) -> None:
    with pytest.raises(IsaError) as caught:
        check_cost(Text(text, "T latency"), hard.isa.scope, OPERANDS)
    assert caught.value.code == expected


def test_size_that_is_no_parameter_is_refused() -> None:
    with pytest.raises(IsaError) as caught:
        Scope({}, {"LANES": 4}, {}).dim("LANE")
    assert caught.value.code == "KC0105"
    assert "LANES" in str(caught.value)
