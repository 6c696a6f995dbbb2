"""The event-driven engine against the tick-by-tick reference, with and without replayed outcomes."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kc_plena.hbm import MODELS, HbmTiming, make_hbm, replay
from kc_plena.hbm.blocks import row_blocks, unit_of
from kc_plena.hbm.exact import ExactHbm
from kc_plena.hbm.reference import ReferenceHbm, place_of
from kc_plena.hbm.replay import ReplayCache

EXAMPLES = 100
"""Random sequences against the reference; about 0.1 s each."""
FAST_EXAMPLES = 150
"""Random sequences that need no reference; about 15 ms each."""

STEPS = (0, 64, 128, 192, 256, 512, 1024, 4096, 1 << 17)
GAPS = st.one_of(st.sampled_from((0, 1, 2, 5, 12)), st.integers(0, 200))


@dataclass(frozen=True)
class Transfer:
    gap: int
    store: bool
    element: int
    scale: int
    rows: int
    step: int

    def run(self, hbm: HbmTiming, now: int) -> int:
        move = hbm.store if self.store else hbm.prefetch
        return move(now, self.element, self.scale, self.rows, self.step)


@st.composite
def sequences(draw: st.DrawFn, tiles: int, stores: bool = True) -> list[Transfer]:
    """Transfers at a few nearby bases, so that rows, banks and blocks coincide; at most `tiles` of 64 rows."""
    span = draw(st.sampled_from((1 << 6, 1 << 9, 1 << 12, 1 << 18)))
    bases = draw(st.lists(st.integers(0, span).map(lambda block: 64 * block), min_size=1, max_size=3))
    transfers = []
    for _ in range(draw(st.integers(1, 8))):
        store = stores and draw(st.booleans())
        rows = draw(st.sampled_from((4, 4, 4, 24)))
        if not store and tiles and draw(st.booleans()):
            tiles -= 1
            rows = 64
        element = draw(st.sampled_from(bases)) + 64 * draw(st.integers(0, 64))
        scale = draw(st.sampled_from(bases)) + draw(st.sampled_from((0, 4096, 1 << 17))) + 8 * draw(st.integers(0, 64))
        step = draw(st.sampled_from(STEPS))
        transfers.append(Transfer(draw(GAPS), store, element, scale, rows, step))
    return transfers


def durations(hbm: HbmTiming, transfers: list[Transfer], start: int = 0) -> list[int]:
    """Durations of a sequence, each transfer `gap` ns after the one before has ended."""
    now, result = start, []
    for transfer in transfers:
        now += transfer.gap
        result.append(transfer.run(hbm, now))
        now += result[-1]
    return result


@given(sequences(tiles=1), st.sampled_from((4, 2)))
@settings(max_examples=EXAMPLES, deadline=None, database=None)
def test_durations_equal_the_reference(transfers: list[Transfer], beat_interval: int) -> None:
    expected = durations(ReferenceHbm(beat_interval=beat_interval), transfers)
    assert durations(ExactHbm(beat_interval=beat_interval, memo=False), transfers) == expected
    assert durations(make_hbm("exact", beat_interval=beat_interval), transfers) == expected


@given(sequences(tiles=4), st.sampled_from((4, 2)))
@settings(max_examples=FAST_EXAMPLES, deadline=None, database=None)
def test_replay_changes_nothing(transfers: list[Transfer], beat_interval: int) -> None:
    expected = durations(ExactHbm(beat_interval=beat_interval, memo=False), transfers)
    cache = ReplayCache()
    for _ in range(2):  # the second run finds what the first has left
        assert durations(ExactHbm(beat_interval=beat_interval, cache=cache), transfers) == expected


@given(sequences(tiles=2, stores=False), st.integers(0, 63))
@settings(max_examples=FAST_EXAMPLES, deadline=None, database=None)
def test_renamed_batches_share_outcomes(transfers: list[Transfer], rows: int) -> None:
    """Moving all addresses by whole DRAM rows is a renaming: same durations, nothing new in the cache."""
    moved = [
        Transfer(t.gap, t.store, t.element + (rows << 17), t.scale + (rows << 17), t.rows, t.step) for t in transfers
    ]
    cache = ReplayCache()
    expected = durations(ExactHbm(cache=cache), transfers)
    held = cache.outcomes()
    assert durations(ExactHbm(cache=cache), moved, start=17) == expected
    assert cache.outcomes() == held


@pytest.mark.parametrize("beat_interval", [4, 2])
@pytest.mark.parametrize("step", STEPS)
def test_tiles_equal_the_reference(step: int, beat_interval: int) -> None:
    """Tiles overflow the read queues, so their two lanes meet at admission; the second tile finds open rows."""
    transfers = [
        Transfer(3, False, 320, 8192 + 320, 64, step),
        Transfer(9, True, 128, 8192, 40, step),
        Transfer(0, False, 64, 1 << 20, 64, step),
    ]
    expected = durations(ReferenceHbm(beat_interval=beat_interval), transfers)
    assert durations(ExactHbm(beat_interval=beat_interval), transfers) == expected


def test_full_write_queues_equal_the_reference() -> None:
    """Rows that rewrite one block fill the write queue faster than it drains."""
    transfers = [Transfer(gap, True, 4096, 65_536, 48, 0) for gap in (0, 0, 1, 5, 40)]
    expected = durations(ReferenceHbm(), transfers)
    assert durations(ExactHbm(), transfers) == expected
    assert expected[0] > 18 + 47, "no write was refused"


@pytest.mark.parametrize("beat_interval", [4, 2])
def test_reads_of_queued_writes_equal_the_reference(beat_interval: int) -> None:
    """Two beats served at once return in two ticks; one served amid reads in flight delays those behind it."""
    rewritten = [Transfer(3, True, 124_736, 1_057_120, 24, 0), Transfer(1, False, 124_736, 1_057_120, 4, 0)]
    tile = Transfer(3, False, 82_240, 94_400, 64, 576)
    for transfers in (rewritten, [tile, Transfer(5, True, 97_088, 97_152, 3, 0), tile]):
        expected = durations(ReferenceHbm(beat_interval=beat_interval), transfers)
        assert durations(ExactHbm(beat_interval=beat_interval), transfers) == expected


def test_a_block_has_one_place_in_four_channels() -> None:
    for block in range(1 << 12):
        places = [place_of(64 * block + 16 * beat) for beat in range(4)]
        unit = unit_of(block)
        assert {place.channel for place in places} == set(range(4 * (unit >> 5), 4 * (unit >> 5) + 4))
        bank_key = (unit >> 4 & 1, unit >> 2 & 3, unit & 3)
        assert {(place.bank_key, place.row) for place in places} == {(bank_key, block >> 11)}


def test_row_blocks() -> None:
    assert row_blocks(4160, 4616, 4, 128) == [(65, 72), (67, 72), (69, 72), (71, 72)]
    assert row_blocks(0, 56, 3, 64) == [(0, 0), (1, 1), (2, 1)]


def test_elements_and_scales_may_share_a_bank() -> None:
    """Addresses equal modulo 128 KiB share a bank; in another row of it the scales wait for a PRE and an ACT."""
    cache = ReplayCache()
    same_row = ExactHbm(cache=cache).prefetch(0, 0, 0, 4, 64)
    for rows_apart in (1, 2, 500):
        assert ExactHbm(cache=cache).prefetch(0, 0, rows_apart << 17, 4, 64) > same_row


def test_runs_are_independent() -> None:
    transfers = [Transfer(2, False, 64 * i, 4096 + 8 * i, 4, 128) for i in range(8)]
    assert durations(make_hbm(), transfers) == durations(make_hbm(), transfers)


def test_bounded_caches_give_the_same_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MAX_SHAPES", 3)
    monkeypatch.setattr(replay, "MAX_OUTCOMES", 2)
    transfers = [Transfer(2, False, 320 * (i % 7), 4096 + 40 * (i % 5), 4, 64 << i % 4) for i in range(60)]
    cache = ReplayCache()
    expected = durations(ExactHbm(memo=False), transfers)
    assert durations(ExactHbm(cache=cache), transfers) == expected
    assert cache.outcomes() <= 2


def test_threads_may_share_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MAX_OUTCOMES", 16)
    transfers = [Transfer(2, False, 320 * (i % 31), 4096 + 40 * (i % 29), 4, 64 << i % 4) for i in range(300)]
    expected = durations(ExactHbm(memo=False), transfers)
    cache = ReplayCache()
    results: list[list[int]] = []

    def work() -> None:
        results.append(durations(ExactHbm(cache=cache), transfers))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_nothing_is_replayed_before_the_device_is_quiet() -> None:
    """Writes, and the waits after them, outlast a store: the same open rows do not yet mean the same duration."""
    cache = ReplayCache()
    store = Transfer(200, True, 0, 4096, 4, 64)
    after = []
    for gap in range(40):  # each prefetch finds the rows of the store open in banks where it needs others
        transfers = [store, Transfer(200, False, 1 << 17, 4096 + (1 << 17), 4, 64), store]
        transfers.append(Transfer(gap, False, 1 << 17, 4096 + (1 << 17), 4, 64))
        expected = durations(ExactHbm(memo=False), transfers)
        assert durations(ExactHbm(cache=cache), transfers) == expected
        after.append(expected[3])
    assert after[-1] == expected[1]
    assert len(set(after)) > 1


@pytest.mark.parametrize("model", MODELS)
def test_every_named_model_is_made(model: str) -> None:
    hbm = make_hbm(model)
    assert hbm.prefetch(0, 0, 4096, 4, 64) >= 0
    assert hbm.store(100, 0, 4096, 4, 64) >= 0


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=r"'ramulator'.*exact, simple, none"):
        make_hbm("ramulator")
    for model in MODELS:
        with pytest.raises(ValueError, match="beat_interval"):
            make_hbm(model, beat_interval=1)
    with pytest.raises(ValueError, match="beat_interval"):
        ExactHbm(beat_interval=0)


def test_importing_the_package_is_cheap() -> None:
    code = "import sys, kc_plena.hbm as h; h.make_hbm().prefetch(0, 0, 64, 4, 64); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(filter(None, sys.path))})
