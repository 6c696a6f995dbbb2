"""Presets: what is accepted, what is refused and how, and the views of the final state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kernelcraft_core.diagnostics import MachineError


def preset(tiny: Any, state: Any, **options: Any) -> Any:
    return tiny.run({"nop": "x[0] = 0"}, ["halt"], state, **options).state


@pytest.mark.parametrize("options", [{}, {"fill": "pattern", "seed": 5}], ids=["zero", "pattern"])
@pytest.mark.parametrize(
    ("name", "value", "start", "expected"),
    [
        ("x", [0, 1, np.uint32(2), np.int8(3)], 0, [0, 1, 2, 3]),
        ("x", {np.uint8(7): 2**32 - 1}, 7, [2**32 - 1]),
        ("y", {3: 2**64 - 1}, 3, [2**64 - 1]),
        ("h", [1, 0.1, np.float64(2.5)], 0, [1, float(np.float16(0.1)), 2.5]),
        ("w", np.arange(16), 0, list(range(16))),
        ("w", (5,), 0, [5]),
        ("fw", [1.00390625, 2], 0, [1.0, 2]),
        ("fw", {15: 3}, 15, [3]),
        ("acc", [1, 2, 3, 4], 0, [1, 2, 3, 4]),
        ("acc", {2: 5}, 2, [5]),
        ("wide", np.array([0.1] * 4), 0, [0.1] * 4),
        ("ints", [-128, 127, 0, 1], 0, [-128, 127, 0, 1]),
        ("m", {599: [1, 2, 3, 4]}, 599, [[1, 2, 3, 4]]),
        ("m", np.arange(8).reshape(2, 4), 0, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ("dmem", b"abc", 0, list(b"abc")),
        ("dmem", bytearray(range(200)), 0, list(range(200))),
        ("dmem", {0x103: b"xyz", np.uint16(0x140): memoryview(b"0a1b")[::2]}, 3, list(b"xyz")),
        ("dmem", {np.uint16(0x100): bytes(1000)}, 0, [0] * 1000),
        ("dmem", np.arange(5, dtype=np.uint8), 0, [0, 1, 2, 3, 4]),
    ],
)
def test_what_is_preset_is_there(tiny: Any, options: Any, name: str, value: Any, start: int, expected: Any) -> None:
    found = np.asarray(preset(tiny, {name: value}, **options)[name][start : start + len(expected)])
    assert found.tolist() == expected


@pytest.mark.parametrize("name", ["x", "w", "fw", "m", "dmem"])
def test_nothing_may_be_preset(tiny: Any, name: str) -> None:
    for value in ({}, b"") if name == "dmem" else ({}, [], np.zeros(0)):
        preset(tiny, {name: value}, fill="pattern")


HUGE = 10**5000


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ([("x", [1])], "KC0511"),
        ({"xx": [1]}, "KC0510"),
        ({5: [1]}, "KC0510"),
        ({"x": 5}, "KC0511"),
        ({"x": "abc"}, "KC0511"),
        ({"x": None}, "KC0511"),
        ({"x": [True]}, "KC0511"),
        ({"x": [0, 1.0]}, "KC0511"),
        ({"x": [1]}, "KC0512"),
        ({"x": [0, -1]}, "KC0512"),
        ({"x": [0, 2**32]}, "KC0512"),
        ({"x": [0, HUGE]}, "KC0512"),
        ({"x": {HUGE: 1}}, "KC0512"),
        ({"x": {8: 1}}, "KC0512"),
        ({"x": {-1: 1}}, "KC0512"),
        ({"x": {True: 1}}, "KC0511"),
        ({"x": {"1": 1}}, "KC0511"),
        ({"x": [0] * 9}, "KC0513"),
        ({"x": np.zeros((2, 2), int)}, "KC0511"),
        ({"x": [0, object()]}, "KC0511"),
        ({"h": [1j]}, "KC0511"),
        ({"h": {0: HUGE}}, "KC0512"),
        ({"h": ["1"]}, "KC0511"),
        ({"s": 256}, "KC0512"),
        ({"s": [1]}, "KC0511"),
        ({"s": float("nan")}, "KC0511"),
        ({"fw": np.array(1.0)}, "KC0511"),
        ({"fw": [[1], [2, 3]]}, "KC0511"),
        ({"fw": np.zeros(17)}, "KC0513"),
        ({"w": [1.5]}, "KC0511"),
        ({"acc": [1, 2, 3]}, "KC0511"),
        ({"acc": 1.0}, "KC0511"),
        ({"acc": {4: 1}}, "KC0512"),
        ({"acc": {0: [1]}}, "KC0511"),
        ({"acc": [HUGE] * 4}, "KC0511"),
        ({"acc": ["a"] * 4}, "KC0511"),
        ({"acc": [[1], [1, 2]]}, "KC0511"),
        ({"acc": np.zeros(4, complex)}, "KC0511"),
        ({"acc": np.ones(4, bool)}, "KC0511"),
        ({"ints": [128, 0, 0, 0]}, "KC0512"),
        ({"ints": [-129, 0, 0, 0]}, "KC0512"),
        ({"ints": [0.5, 0, 0, 0]}, "KC0511"),
        ({"m": np.zeros((601, 4))}, "KC0513"),
        ({"m": np.zeros((1, 5))}, "KC0511"),
        ({"m": {0: [1, 2]}}, "KC0511"),
        ({"m": {600: [1, 2, 3, 4]}}, "KC0512"),
        ({"m": 5}, "KC0511"),
        ({"dmem": bytes(1001)}, "KC0513"),
        ({"dmem": {0x4E7: b"ab"}}, "KC0513"),
        ({"dmem": {0xFF: b"ab"}}, "KC0513"),
        ({"dmem": {-1: b""}}, "KC0513"),
        ({"dmem": {HUGE: b"a"}}, "KC0513"),
        ({"dmem": {np.uint8(5): bytes(900)}}, "KC0513"),
        ({"dmem": {1.0: b"a"}}, "KC0511"),
        ({"dmem": {True: b"a"}}, "KC0511"),
        ({"dmem": "abc"}, "KC0511"),
        ({"dmem": [1, 2]}, "KC0511"),
        ({"dmem": np.zeros(4)}, "KC0511"),
        ({"dmem": np.zeros((2, 2), np.uint8)}, "KC0511"),
        ({"pc": -1}, "KC0512"),
        ({"pc": 1.0}, "KC0511"),
        ({"pc": HUGE}, "KC0512"),
    ],
)
def test_wrong_presets_are_refused(tiny: Any, state: Any, code: str) -> None:
    with pytest.raises(MachineError) as caught:
        preset(tiny, state)
    assert caught.value.code == code
    assert len(str(caught.value)) < 600


def test_a_misspelt_name_gets_the_nearest(tiny: Any) -> None:
    with pytest.raises(MachineError, match="did you mean dmem"):
        preset(tiny, {"dmen": b""})


def test_dense_and_sparse_presets_round_alike(tiny: Any) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal(4) * 100
    values[0] = 1 + 2.0**-11 + 2.0**-40  # a tie once it is rounded to binary32
    state = preset(tiny, {"h": values, "m16": {0: values, 1: values.astype(np.float32)}, "fw": values, "m": [values]})
    assert state["h"][:4].tobytes() == values.astype(np.float16).tobytes()
    assert state["m16"][0].tolist() == values.astype(np.float16).tolist()
    assert state["fw"][:4].tolist() == state["m"][0].tolist()


def test_presets_with_nan_stay_nan_through_rounding(tiny: Any) -> None:
    payload = np.full(4, 0x7FFFFFFF, np.uint32).view(np.float32)
    result = tiny.run({"put": "m[0] = acc", "put16": "m16[0] = acc"}, ["put", "put16"], {"acc": payload})
    assert np.isnan(result.state["m"][0]).all()
    assert np.isnan(result.state["m16"][0]).all()


def test_views_are_lazy_and_read_only(tiny: Any) -> None:
    view = preset(tiny, {"m": {2: [1, 2, 3, 4]}})["m"]
    assert (view.shape, view.ndim, len(view), view.dtype) == ((600, 4), 2, 600, np.float32)
    assert np.asarray(view[:3]).tolist() == [[0] * 4, [0] * 4, [1, 2, 3, 4]]
    assert view[2, 1] == 2
    assert view[..., 1].shape == (600,)
    assert view[[2, -1]].tolist() == [[1, 2, 3, 4], [0] * 4]
    assert view.touched == [2]
    assert view.at(9, 2).tolist() == [2, 3]
    for part in (view[2], view[:], np.asarray(view), view.at(8, 4)):
        with pytest.raises(ValueError, match="read-only"):
            part[...] = 0
    assert np.asarray(view, np.float64).dtype == np.float64
    with pytest.raises(IndexError):
        view[600]
    for address, length in ((-1, 4), (2400, 1), (0, -1)):
        with pytest.raises(IndexError):
            view.at(address, length)


def test_byte_views_use_the_addresses_of_the_architecture(tiny: Any) -> None:
    view = preset(tiny, {"dmem": {0x4E0: b"12345678"}})["dmem"]
    assert view.at(0x4E0, 100).tobytes() == b"12345678"
    assert view.touched == [0x100]
    for address in (0xFF, 0x4E8, -1):
        with pytest.raises(IndexError):
            view.at(address, 1)


def test_final_state_has_natural_types(tiny: Any) -> None:
    state = preset(tiny, {"s": 7, "fs": 0.1})
    assert {n: state[n].dtype.name for n in ("x", "y", "h", "g", "w", "acc", "wide", "ints", "m", "dmem")} == {
        "x": "uint32",
        "y": "uint64",
        "h": "float16",
        "g": "float32",
        "w": "uint16",
        "acc": "float32",
        "wide": "float64",
        "ints": "int8",
        "m": "float32",
        "dmem": "uint8",
    }
    assert state["s"] == 7
    assert state["fs"] == 0.10009765625
    assert set(state) >= {"x", "pc"}
    assert "nothing" not in state
    with pytest.raises(KeyError):
        state["nothing"]
