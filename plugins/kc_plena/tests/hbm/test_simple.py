"""The substitute: its formula on transfers worked out by hand."""

from __future__ import annotations

from kc_plena.hbm.simple import RECENT, SimpleHbm


def test_one_row_sees_the_latency_of_its_rows() -> None:
    """Blocks 0 and 64 lie in different pseudo-channels or banks of their own: closed, open, then another row open."""
    hbm = SimpleHbm()
    assert hbm.prefetch(0, 0, 8, 1, 64) == 11 + 7 + 4
    assert hbm.prefetch(100, 0, 8, 1, 64) == 11 + 4
    assert hbm.prefetch(200, 1 << 17, (1 << 17) + 8, 1, 64) == 11 + 14 + 4


def test_the_busiest_bus_counts() -> None:
    """Four contiguous rows share one quad and pseudo-channel, and so does the scale block in the same row."""
    assert SimpleHbm().prefetch(0, 0, 0, 4, 64) == 11 + 7 + 4 * 7
    assert SimpleHbm(beat_interval=2).prefetch(0, 0, 0, 4, 64) == 11 + 7 + 2 * 7
    other_bus = 64 * 8
    assert SimpleHbm().prefetch(0, 0, other_bus, 4, 64) == 11 + 7 + 4 * 3


def test_stores() -> None:
    hbm = SimpleHbm()
    assert hbm.store(0, 4096, 65_536, 4, 64) == 18 + 3
    assert hbm.store(21 + RECENT, 4096, 65_536, 4, 64) == 3
    assert hbm.store(200, 4096, 65_536, 4, 64) == 11 + 3


def test_a_store_opens_its_rows() -> None:
    hbm = SimpleHbm()
    hbm.store(0, 0, 64 * 8, 4, 64)
    assert hbm.prefetch(100, 0, 64 * 8, 4, 64) == 11 + 4 * 3


def test_rows_with_scale_blocks_of_their_own_read_each() -> None:
    """Neighbouring scale blocks lie in one row: only the first is cold. Four blocks apart they use four banks."""
    assert SimpleHbm().store(0, 0, 1 << 16, 4, 512) == 18 + 3 * (1 + 11)
    assert SimpleHbm().store(0, 0, 1 << 16, 4, 2048) == 4 * 18 + 3
