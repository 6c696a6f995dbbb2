"""Reads of memory that nothing has defined: vector loads report what the same loads, element by element, would."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelcraft_core.facade import Target, target

DTCM, GRANULE = 0x1_0000, 64
LOADS: dict[str, tuple[int, Callable[[int], int]]] = {
    "vle8.v v8, (a0)": (1, lambda e: e),
    "vle16.v v8, (a0)": (2, lambda e: 2 * e),
    "vlse8.v v8, (a0), a1": (1, lambda e: 40 * e),
    "vluxei8.v v8, (a0), v4": (1, lambda e: 5 * e),
    "vlseg2e8.v v8, (a0)": (1, lambda e: 2 * e),
}
"""Load -> bytes of an element, and where element e is."""


@cache
def coral() -> Target:
    return target("coral")


@settings(max_examples=60, deadline=None)
@given(
    load=st.sampled_from(sorted(LOADS)),
    vl=st.integers(1, 16),
    offset=st.integers(0, 200),
    stores=st.lists(st.integers(0, 900), max_size=8),
)
def test_vector_load_reports_each_element_that_is_not_defined(
    load: str, vl: int, offset: int, stores: list[int]
) -> None:
    size, place = LOADS[load]
    sew = "e16, m2" if size == 2 else "e8, m1"
    lines = [f"li a0, {DTCM}", *(f"li t0, {DTCM + at}\nsb zero, 0(t0)" for at in stores)]
    lines += [f"li a0, {DTCM + offset}", "li a1, 40", f"vsetivli t0, {vl}, {sew}, ta, ma", load, ".word 0x08000073"]
    v4 = [[5 * e % 256 for e in range(16)] if row == 4 else [0] * 16 for row in range(32)]
    state = {"v": np.array(v4, np.uint8)}
    result = coral().simulate(coral().assemble("\n".join(lines)), state, fill="pattern", seed=3, strict=True)
    assert result.status == "halted", result.trap
    fields = 2 if "seg2" in load else 1
    defined = {at // GRANULE for at in stores}
    reads = [offset + place(e) + f * size for e in range(vl) for f in range(fields)]
    missing = [g for at in reads for g in range(at // GRANULE, (at + size - 1) // GRANULE + 1) if g not in defined]
    assert result.undefined_count == len(missing)
    assert {read.address // GRANULE for read in result.undefined_reads} == {DTCM // GRANULE + g for g in missing}


@pytest.mark.parametrize("load", ["vl2re8.v v8, (a0)", "vle8.v v8, (a0)"])
def test_load_of_what_a_store_has_defined_gives_it_and_reports_nothing(load: str) -> None:
    lines = f"vsetvli t0, zero, e8, m2, ta, ma\nvid.v v4\nli a0, {DTCM + 37}\nvs2r.v v4, (a0)\n{load}\n.word 0x08000073"
    result = coral().simulate(coral().assemble(lines), fill="pattern", seed=3, strict=True)
    assert result.undefined_count == 0
    assert result.state["v"][8:10].reshape(-1).tolist() == list(range(32))
