"""What an instruction means, in both lowerings: simultaneous assignment, wrapping, rounding, conditions, hostile texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Array, Rows, Words
from kernelcraft_core.isa.primitives import Primitive
from kernelcraft_core.testing.compare import differences


def after(tiny: Any, text: str, engine: str, state: Any = None, operands: Any = (1, 2, 3, 0), **options: Any) -> Any:
    """Return the state after one instruction."""
    isa = tiny.isa({"go": text}, **options)
    result = tiny.run(isa, [("go", *operands), "halt"], state, engine=engine)
    assert result.status == "halted", result.trap
    return result.state


# --- simultaneous assignment -----------------------------------------------------------------------------------------

A, B, C = [1.0, 2, 3, 4], [5.0, 6, 7, 8], [9.0, 10, 11, 12]


def test_registers_swap(tiny: Any, engine: str) -> None:
    state = after(tiny, "x[rd] = x[rs1]; x[rs1] = x[rd]", engine, {"x": {1: 10, 2: 20}})
    assert state["x"].tolist()[1:3] == [20, 10]


def test_rows_swap(tiny: Any, engine: str) -> None:
    state = after(tiny, "m[0] = m[4]; m[4] = m[0]", engine, {"m": [A, B]})
    assert state["m"][:2].tolist() == [B, A]


def test_names_keep_the_value_from_before(tiny: Any, engine: str) -> None:
    state = after(tiny, "a = m[0]; m[0] = m[4]; m[4] = a; acc = a", engine, {"m": [A, B]})
    assert (state["m"][:2].tolist(), state["acc"].tolist()) == ([B, A], A)
    state = after(tiny, "a = acc; acc = m[0]; m[4] = a", engine, {"m": [A, B], "acc": C})
    assert (state["m"][:2].tolist(), state["acc"].tolist()) == ([A, C], A)


def test_rows_shift_where_formats_differ(tiny: Any, engine: str) -> None:
    state = after(tiny, "acc = m[0]; m[0] = m16[0]; m16[0] = acc", engine, {"m": [A], "m16": [B], "acc": C})
    assert [state["acc"].tolist(), state["m"][0].tolist(), state["m16"][0].tolist()] == [A, B, C]


def test_chosen_rows_keep_the_value_from_before(tiny: Any, engine: str) -> None:
    text = "m[0] = m[4] if x[1] else m[0]; m[4] = m[0] if x[1] else m[4]; acc = -m[0]"
    for chosen, rows in ((1, [B, A]), (0, [A, B])):
        state = after(tiny, text, engine, {"m": [A, B], "x": {1: chosen}})
        assert state["m"][:2].tolist() == rows
        assert state["acc"].tolist() == [-v for v in A]


def test_guards_and_places_see_the_state_before(tiny: Any, engine: str) -> None:
    text = "x[1] = 7\nif x[1] == 0: x[2] = x[1] + 1\nif x[1] == 7: x[3] = 1\nx[x[1] & 7] = 5\nw[x[1]] = 3"
    state = after(tiny, text, engine)
    assert state["x"].tolist() == [0, 7, 1, 0, 0, 0, 0, 0]
    assert state["w"][0] == 3


def test_computed_numbers_see_the_state_before(tiny: Any, engine: str) -> None:
    state = after(tiny, "x[1] = 4; x[x[1] & 7] = 9; w[x[1]] = 8; m[x[1] * 4] = acc", engine, {"x": {1: 2}, "acc": A})
    assert state["x"].tolist() == [0, 4, 9, 0, 0, 0, 0, 0]
    assert state["w"].tolist()[2] == 8
    assert state["m"][2].tolist() == A


def test_effects_come_in_text_order_with_values_from_before(tiny: Any, engine: str) -> None:
    text = "x[rd] = x[rd] + 1; store(dmem, 0x100, 4, x[rd]); store(dmem, 0x100, 1, 0xFF)"
    state = after(tiny, text, engine, {"x": {1: 0x1234}})
    assert state["x"][1] == 0x1235
    assert state["dmem"][:4].tobytes() == b"\xff\x12\0\0"


def test_a_primitive_that_writes_gets_the_values_from_before(tiny: Any, engine: str) -> None:
    def make(context: Any, rows: Any) -> Any:
        def double(value: Any) -> None:
            rows.W[0][...] = 1
            rows.W[4][...] = value * 2

        return double

    double = Primitive("double", ("w:m", "array"), "", make)
    state = after(tiny, "double(m, m[0])", engine, {"m": [A]}, primitives=[double])
    assert state["m"][1].tolist() == [2, 4, 6, 8]
    state = after(tiny, "v = m[0]; double(m, v)", engine, {"m": [A]}, primitives=[double])
    assert state["m"][1].tolist() == [2, 4, 6, 8]


def test_the_zero_register(tiny: Any, engine: str) -> None:
    text = "x[rs1] = 5; x[x[rs2] & 7] = 6; x[rd] = x[rs1] + x[x[rs2] & 7] + 1"
    assert after(tiny, text, engine, operands=(1, 0, 0, 0))["x"].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


# --- integers --------------------------------------------------------------------------------------------------------

EDGES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1)
FORMS = (
    "x[rs1] + x[rs2]",
    "x[rs1] - x[rs2]",
    "x[rs1] + x[rs2] + 1",
    "-x[rs1]",
    "~x[rs1]",
    "x[rs1] * x[rs2]",
    "x[rs1] << (x[rs2] & 31)",
    "sext(x[rs1], 32) >> (x[rs2] & 31)",
    "sext(x[rs1], 16)",
    "x[rs1] // (x[rs2] | 1)",
    "sext(x[rs1], 32) % (x[rs2] | 1)",
    "x[rs1] < x[rs2]",
    "abs(sext(x[rs1], 32))",
    "min(sext(x[rs1], 32), sext(x[rs2], 32))",
    "x[rs1] + 1 if x[rs1] > x[rs2] else x[rs1] - 1",
)


@pytest.mark.parametrize("form", FORMS)
def test_registers_wrap(tiny: Any, engine: str, form: str) -> None:
    isa = tiny.isa({"go": f"x[rd] = {form}; y[rd] = {form}; w[0] = {form}; s = {form}"})
    names = {"abs": abs, "min": min, "sext": lambda v, bits: (v + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)}
    for a in EDGES:
        for b in EDGES:
            state = tiny.run(isa, [("go", 1, 2, 3)], {"x": {2: a, 3: b}}, engine=engine).state
            exact = int(eval(form, {"x": {"a": a, "b": b}, "rs1": "a", "rs2": "b", **names}))
            found = [int(state["x"][1]), int(state["y"][1]), int(state["w"][0]), int(state["s"])]
            assert found == [exact % (1 << bits) for bits in (32, 64, 16, 8)]


def test_registers_hold_numbers_not_truth_values(tiny: Any, engine: str) -> None:
    text = "t = x[rd] == 0; s = t; x[rd] = x[2] <= x[3]; w[0] = not x[2]; y[0] = x[2] or x[3]; y[1] = h[0] == h[1]"
    isa = tiny.isa({"go": text, "bad": "trap(breakpoint)\nx[rd] = 0"})
    result = tiny.run(isa, [("go", 1, 2, 3), ("bad", 1)], engine=engine)
    assert type(result.state["s"]) is int
    assert type(result.trap.registers["x1"]) is int
    assert result.state["y"].tolist()[:2] == [0, 1]


def test_tests_that_operands_decide(tiny: Any, engine: str) -> None:
    text = "if imm > 0: x[1] = 1\nelse: x[1] = 2\nacc = acc if imm > 0 else -acc"
    for imm, (x, acc) in {5: (1, A), -5: (2, [-v for v in A])}.items():
        state = after(tiny, text, engine, {"acc": A}, operands=(0, 0, 0, imm))
        assert (state["x"][1], state["acc"].tolist()) == (x, acc)


@pytest.mark.parametrize(
    "text", ["if 8 // imm: x[1] = 1", "acc = acc if 8 % imm else -acc", "x[rd] = 1 // imm", "pc = 8 // imm"]
)
def test_division_by_an_operand_that_is_zero(tiny: Any, engine: str, text: str) -> None:
    isa = tiny.isa({"go": text})
    result = tiny.run(isa, [("go", 1, 0, 0, 0)], engine=engine)
    assert (result.trap.kind, result.instret, result.state["x"][1]) == ("arithmetic", 0, 0)


def test_logic_stops_where_it_is_decided(tiny: Any, engine: str) -> None:
    text = "x[rd] = x[2] == 0 or 1 // x[2]; y[0] = x[2] and 1 // x[2]; y[1] = 5 if x[2] == 0 else 1 // x[2]"
    state = after(tiny, text, engine)
    assert (state["x"][1], state["y"].tolist()[:2]) == (1, [0, 5])


# --- floats ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["+", "-", "*"])
def test_half_arithmetic_is_rounded_once(tiny: Any, op: str) -> None:
    """Through binary32 or not, one operation on two halves gives what numpy's float16 gives: subnormals, overflow, ties."""
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 16, (2, 8_000), np.uint16)
    bits[:, :2000] &= 0x87FF  # small ones
    a, b = (half[np.isfinite(bits.view(np.float16)).all(0)] for half in bits.view(np.float16))
    with np.errstate(all="ignore"):
        expected = {"+": np.add, "-": np.subtract, "*": np.multiply}[op](a, b)
    feed = iter(zip(a.tolist(), b.tolist(), strict=True))
    found: list[float] = []
    take = Primitive("take", (), "f16 f16", lambda context: lambda: next(feed))
    give = Primitive("give", ("float",), "", lambda context: found.append)
    isa = tiny.isa(
        {
            "in": "p, q = take(); h[1] = p; h[2] = q",
            "op": f"h[3] = h[1] {op} h[2]",
            "out": "give(h[3])",
            "loop": "if x[1] != 1: pc = pc - 12\nx[1] = x[1] - 1",
        },
        primitives=[take, give],
    )
    for name in ("closures", "generated"):
        feed = iter(zip(a.tolist(), b.tolist(), strict=True))
        found.clear()
        tiny.run(isa, ["in", "op", "out", "loop", "halt"], {"x": {1: len(a)}}, engine=name)
        assert np.array_equal(np.array(found, np.float16).view(np.uint16), expected.view(np.uint16))


def test_constants_are_rounded_like_everything_else(tiny: Any, engine: str) -> None:
    text = "g[0] = 0.1; g[1] = 0.1 if x[1] else g[0]; h[0] = 0.1; fs = 0.1; g[2] = 1e300; g[3] = -1e300 if x[1] == 0 else 1"
    state = after(tiny, text, engine)
    assert state["g"][:1].tolist() == [float(np.float32(0.1))]
    assert state["g"].tolist()[2:4] == [np.inf, -np.inf]
    assert (state["h"][0], state["fs"]) == (np.float16(0.1), 0.10009765625)


def test_alternatives_of_different_kinds(tiny: Any, engine: str) -> None:
    text = "g[0] = g[1] if x[1] == 0 else y[1]; g[2] = y[1] if x[1] == 0 else h[1]; h[0] = h[1] if x[1] else 3"
    state = after(tiny, text, engine, {"y": {1: 2**60 - 1}, "g": {1: 0.5}})
    assert (state["g"].tolist()[:3], state["h"][0]) == ([0.5, 0.5, 2.0**60], 3)


def test_integers_beyond_every_float(tiny: Any, engine: str) -> None:
    """2**1500 and so on: products of registers may be that large before they meet a float."""
    big = "zext(-1, 128)"
    for _ in range(4):
        big = f"({big} * {big})" if len(big) < 200 else f"({big} << 127)"
    text = f"b = {big}; c = (b << 127) << 127; h[0] = c; g[0] = -c; fs = c; acc = c; g[1] = g[2] + c"
    text += "; acc = acc - c; g[3] = 0.0 * c; wide = c"
    parts = text.split("; ")
    for part in parts[2:]:
        state = after(tiny, "; ".join([*parts[:2], part]), engine)
    assert np.isposinf(state["wide"]).all()


def test_arrays_of_integers_wrap(tiny: Any, engine: str) -> None:
    state = after(tiny, "ints = x[2] + 1; acc = x[2] // 3; wide = y[1]", engine, {"x": {2: 127}, "y": {1: 2**63 + 1}})
    assert state["ints"].tolist() == [-128] * 4
    assert state["acc"].tolist() == [42] * 4
    assert state["wide"].tolist() == [2.0**63] * 4


@pytest.mark.parametrize(
    "text", ["ints = acc", "acc = ints", "ints = 0.5", "ints = h[0]", "m[0] = ints", "acc = ints if imm else acc"]
)
def test_arrays_of_integers_need_a_primitive_to_become_others(tiny: Any, text: str) -> None:
    with pytest.raises(IsaError) as caught:
        tiny.isa({"go": text})
    assert caught.value.code == "KC0126"


@pytest.mark.parametrize(
    "text",
    [
        "m[0] = wide",
        "m[0] = -wide",
        "m16[0] = wide",
        "acc = wide",
        "acc = wide * acc",
        "wide = wide * 3",
        "m[0] = (wide + acc) * wide",
        "m[0] = wide if x[1] == 0 else acc",
        "wide = wide if x[1] else m[0]",
    ],
)
def test_double_arrays_are_computed_in_single_precision(tiny: Any, text: str) -> None:
    given = {"wide": [1 / 3, 1e-30, 1e300, -0.0], "acc": [1 / 3, 7, -1, 3]}
    states = [after(tiny, text, name, given) for name in ("closures", "generated")]
    for name in ("m", "m16"):
        assert states[0][name][0].tobytes() == states[1][name][0].tobytes()
    for name in ("acc", "wide"):
        assert states[0][name].tobytes() == states[1][name].tobytes()


# --- hostile descriptions --------------------------------------------------------------------------------------------


def test_names_that_meet_in_generated_code(tiny: Any) -> None:
    """States, primitives and instructions whose joined names coincide stay apart."""
    two = Primitive("q", ("r:y_z",), "int<0,9>", lambda context, memory: lambda: 2)
    three = Primitive("q_y", ("r:z",), "int<0,9>", lambda context, memory: lambda: 3)
    extra = [
        Rows("p", "f32", (4,), 2),
        Array("R", "f32", (4,)),
        Words("t", 4, bits=8),
        Array("c", "f32", (4,)),
        Words("y_z", 4, bits=8),
        Words("z", 4, bits=8),
    ]
    text = "p[0] = R; R = c; c = p[4]; t[0] = q(y_z); t[1] = q_y(z)"
    isa = tiny.isa({"go": text, "price": "x[1] = 1"}, state=extra, primitives=[two, three])
    state = {"R": A, "c": B, "p": {1: C}}
    runs = [tiny.run(isa, ["go", "price", "halt"], state, engine=name) for name in ("closures", "generated")]
    assert not differences(*runs)
    assert runs[1].state["t"].tolist()[:2] == [2, 3]
    assert runs[1].state["p"][0].tolist() == A


@pytest.mark.parametrize(
    "deep",
    ["~" * 150 + "x[rs1]", "-" * 150 + "x[rs1]", "not " * 90 + "x[rs1]", "zext(sext(" * 24 + "x[rs1]" + ",9),8)" * 24],
)
def test_deep_expressions_run_in_both_engines(tiny: Any, engine: str, deep: str) -> None:
    isa = tiny.isa({"go": f"x[rd] = {deep}"})
    result = tiny.run(isa, [("go", 1, 2), "halt"], {"x": {2: 77}}, engine=engine)
    assert result.status == "halted"
    assert (
        result.state["x"][1] == tiny.run(isa, [("go", 1, 2), "halt"], {"x": {2: 77}}, engine="closures").state["x"][1]
    )


def test_generated_source_can_be_looked_at(tiny: Any) -> None:
    isa = tiny.isa({"add": "x[rd] = x[rs1] + imm", "bne": "if x[rs1] != x[rs2]: pc = pc + imm"})
    lines = [("add", 1, 1, 0, 1), ("bne", 0, 1, 2, -4), "halt"]
    assert tiny.run(isa, lines, {"x": {2: 10}}).generated_source == ""
    source = tiny.run(isa, lines, {"x": {2: 100}}).generated_source
    assert source.startswith("# block at pc 0\ndef block(")
    assert "while True:" in source
    compile(source, "<test>", "exec")


def test_delays_are_for_registers(tiny: Any) -> None:
    for text in ("w[0] = 1", "m[0] = acc", "acc = m[0]", "store(dmem, 0x100, 1, 1)", "x[1] = 1; w[1] = 2"):
        with pytest.raises(IsaError, match="a delay is for results in registers"):
            tiny.isa({"go": {"semantics": text, "delay": 2}})
