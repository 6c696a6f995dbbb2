"""Storage: memories that are only committed when touched, bounds, sizes that cannot be, what is dirty."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelcraft_core.diagnostics import IsaError, MachineError
from kernelcraft_core.isa import Bytes, Isa, Rows
from kernelcraft_core.isa.model import Scalar
from kernelcraft_core.sim import Machine, state
from kernelcraft_core.sim.result import Trap
from kernelcraft_core.sim.state import Context, Storage, lazy_zeros

MEMORIES = [
    Bytes("data", size="SIZE", base=0x1000, align=False),
    Rows("rows", "bf16", (8,), "ROWS"),
    Scalar("third", dtype="f16", reset=1 / 3),
]


def storage(size: int = 10_000, rows: int = 600, tracked: bool = False, seed: int = 0) -> Storage:
    isa = Isa("store", [], MEMORIES, [], params={"SIZE": size, "ROWS": rows})
    return Storage(isa, Context(isa, Machine("m"), tracked=tracked, seed=seed))


def test_a_memory_that_cannot_be_reserved() -> None:
    with pytest.raises(MachineError) as caught:
        lazy_zeros((1 << 40, 1 << 40), np.float64)
    assert caught.value.code == "KC0504"


def test_a_refused_mapping_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **options: Any) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    with pytest.raises(MachineError, match="cannot be reserved"):
        storage(size=1 << 30)


@pytest.mark.parametrize(("size", "rows"), [(0, 1), (-5, 1), (1 << 60, 1), (1, 0), (1, 1 << 40), (1, -1)])
def test_sizes_that_make_no_sense_are_refused(size: int, rows: int) -> None:
    with pytest.raises(IsaError):
        storage(size, rows)


def test_large_memories_take_no_room_until_touched() -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    store = storage(size=1 << 33, rows=1 << 27)
    store["data"].store(0x1000 + (1 << 32), 8, 7)
    store["rows"].W[8 * ((1 << 27) - 1)][...] = 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert store["rows"].touched() == [(1 << 27) - 1]


def test_reset_values_are_rounded() -> None:
    assert storage()["third"] == [float(np.float16(1 / 3))]


def test_rows_check_bounds_and_alignment() -> None:
    rows = storage()["rows"]
    for address, kind in ((-8, "out_of_bounds"), (4800, "out_of_bounds"), (4, "misaligned"), (-1, "misaligned")):
        for access in (rows.R, rows.W):
            with pytest.raises(Trap) as caught:
                access[address]
            assert caught.value.kind == kind
    assert rows.touched() == []


def test_watchers_are_told_before_the_next_write_once() -> None:
    rows = storage()["rows"]
    told: list[int] = []
    rows.W[8][...] = 1
    rows.watch(8, told.append)
    rows.watch(8, told.append)
    assert rows.R[8].tolist() == [1] * 8
    rows.W[16][...] = 1
    assert told == []
    rows.W[8][...] = 2
    rows.W[8][...] = 3
    assert told == [8]


def test_bytes_at_the_edges() -> None:
    data = storage(size=4100)["data"]
    data.store(0x1000 + 4092, 8, 0x1122334455667788)
    assert data.load(0x1000 + 4092, 8) == 0x1122334455667788
    assert list(data.dirty_ranges()) == [
        (0x1000, bytes(4092) + bytes.fromhex("88776655")),
        (0x2000, bytes.fromhex("44332211")),
    ]
    for address, length in ((0xFFF, 1), (0x1000 + 4100, 1), (0x1000 + 4097, 4), (-1, 8)):
        for access in (lambda a, n: data.load(a, n), lambda a, n: data.store(a, n, 0), data.span, data.target):
            with pytest.raises(Trap) as caught:
                access(address, length)
            assert caught.value.kind == "out_of_bounds"
    assert data.grid(0x1000 + 4099, 2, -4, 1).tolist() == [[0x11], [0x55]]


def test_noise_depends_on_the_seed_and_the_memory_only() -> None:
    def look(seed: int) -> tuple[bytes, bytes]:
        store = storage(tracked=True, seed=seed)
        return bytes(store["data"].span(0x1000, 10_000)), store["rows"].R[80].tobytes()

    assert look(1) == look(1)
    assert look(1)[0] != look(2)[0]
    assert look(1)[1] != look(2)[1]


def test_granules_of_undefined_bytes() -> None:
    store = storage(tracked=True)
    data, context = store["data"], store.context
    data.target(0x1000, 0)
    data.preset(0x1000, np.zeros(0, np.uint8))
    data.store(0x1040, 1, 5)
    assert data.load(0x1040, 1) == 5
    assert context.undefined == []
    data.load(0x103F, 1)
    data.span(0x1030, 100)
    assert [address for _, address, _ in context.undefined] == [0x103F, 0x1030, 0x1080]
    data.target(0x1000, 10_000)[...] = 1
    data.span(0x1000, 10_000)
    assert context.undefined_count == 3


def test_a_row_counts_as_defined_once_it_is_written() -> None:
    store = storage(tracked=True)
    rows, context = store["rows"], store.context
    noise = rows.R[0].copy()
    assert rows.R[0].tolist() == noise.tolist()
    assert context.undefined_count == 2
    rows.W[0][:4] = 0
    assert rows.R[0].tolist() == [0, 0, 0, 0, *noise[4:].tolist()]
    assert context.undefined_count == 2


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_preset_with_pages_of_zeros_leaves_the_bytes_it_should(data: st.DataObject) -> None:
    """Noise around it stays, whether or not pages of zeros are looked for."""
    size = state._SPARSE + 50_000
    length = data.draw(st.integers(state._SPARSE, size))
    offset = data.draw(st.integers(0, size - length))
    content = np.zeros(length, np.uint8)
    for place in data.draw(st.lists(st.integers(0, length - 1), max_size=5)):
        content[place] = 1 + place % 255
    before = data.draw(st.lists(st.tuples(st.integers(0x1000, 0x1000 + size - 8), st.just(7)), max_size=2))
    found = []
    for sparse in (state._SPARSE, 1 << 40):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(state, "_SPARSE", sparse)
            store = storage(size=size, tracked=True)
        for address, value in before:
            store["data"].store(address, 8, value)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(state, "_SPARSE", sparse)
            store["data"].preset(0x1000 + offset, content)
        assert store["data"].data[offset : offset + length].tobytes() == content.tobytes()
        assert store["data"].known(offset, length)
        store["data"].settle(slice(None))
        found.append((store["data"].data.tobytes(), store["data"].dirty))
    assert found[0] == found[1]


def test_bytes_around_a_store_stay_noise_and_whole_granules_need_none() -> None:
    plain, written = storage(tracked=True)["data"], storage(tracked=True)["data"]
    noise = plain.span(0x1000, 10_000).copy()
    written.target(0x1000 + 100, 200)[...] = 0
    assert written.data[64:100].tobytes() == noise[64:100].tobytes()
    assert written.data[300:320].tobytes() == noise[300:320].tobytes()
    written.target(0x1000 + 640, 128)[...] = 3
    assert (written.known(640, 128), written.known(639, 2), written.known(640, 0)) == (True, False, False)
