"""Durations of the transfers of known programs, with the program time between them counted from the templates.

Source of the figures: an independent model of AICrossSim/PLENA at ecd5acb on CMU-SAFARI/ramulator2 e442c64, which also
reproduces KernelCraft (arXiv 2603.08721) table 15 and the 37,573 ns attention kernel of its section I.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from kc_plena.hbm import HbmTiming, make_hbm
from kc_plena.hbm.reference import ReferenceHbm

MM, MM_WO = 64, 1


def packed(elements: int) -> int:
    """Bytes of a packed MX tensor whose element count is a multiple of 64."""
    return elements + -(-elements // 8 // 64) * 64


class Program:
    """A PLENA program reduced to its clock and its transfers; every instruction that is not a transfer is counted."""

    def __init__(self, hbm: HbmTiming) -> None:
        self.hbm = hbm
        self.now = 0
        self.scale = 0
        self.stride = 1
        self.vector: list[int] = []
        self.matrix: list[int] = []
        self.stores: list[int] = []

    def run(self, cycles: int) -> None:
        self.now += cycles

    def set_scale(self, value: int) -> None:
        self.scale = value
        self.run(2)

    def set_stride(self, value: int) -> None:
        self.stride = value
        self.run(2)

    def _place(self, base: int, offset: int, strided: bool) -> tuple[int, int, int]:
        return base + offset, base + self.scale + offset // 8, self.stride if strided else 64

    def prefetch_v(self, base: int, offset: int, strided: bool = True) -> None:
        element, scale, step = self._place(base, offset, strided)
        self.vector.append(self.hbm.prefetch(self.now, element, scale, 4, step))
        self.now += self.vector[-1]

    def prefetch_m(self, base: int, offset: int, strided: bool = True) -> None:
        element, scale, step = self._place(base, offset, strided)
        self.matrix.append(self.hbm.prefetch(self.now, element, scale, 64, step))
        self.now += self.matrix[-1]

    def store_v(self, base: int, offset: int) -> None:
        element, scale, step = self._place(base, offset, True)
        self.stores.append(self.hbm.store(self.now, element, scale, 4, step))
        self.now += self.stores[-1]

    def preload(self, b: int, h: int, per: int) -> None:
        self.set_scale(b * h)
        self.run(2)
        self.set_stride(h)
        self.run(1)
        for block in range(h // 64):
            self.run(1)
            looped = b > per
            self.run(1 if looped else 0)
            for group in range(-(-b // per)):
                self.prefetch_v(0, 64 * block + group * per * h)
                self.run(3 if looped else 1)
            self.run(2)

    def projection(self, b: int, k_in: int, out: int, base: int) -> None:
        self.set_scale(k_in * out)
        self.set_stride(out)
        self.run(2)
        k_tiles = k_in // 64
        for c in range(out // 4):
            if c % 16 == 0:
                self.run(3)
                for k in range(k_tiles):
                    self.prefetch_m(base, 4 * c + k * 64 * out)
                    self.run(2)
                self.run(1)
            else:
                self.run(2)
            self.run(b // 4 * (2 + k_tiles * (MM + 2) + MM_WO + 1))
            if c % 16 == 15 and c != out // 4 - 1:
                self.run(1)


def elementwise(b: int, h: int, per: int) -> Callable[[Program], None]:
    """SiLU, GELU and the norms: three resets, then the activation preload."""

    def build(program: Program) -> None:
        program.run(3)
        program.preload(b, h, per)

    return build


def gemm(m: int, k: int, n: int) -> Callable[[Program], None]:
    def build(program: Program) -> None:
        program.run(4 + 3)
        program.preload(m, k, 4)
        program.run(4)
        program.projection(m, k, n, packed(m * k))

    return build


def ffn(n: int, h: int, hi: int) -> Callable[[Program], None]:
    def build(program: Program) -> None:
        up = packed(n * h)
        program.run(4 + 8)
        program.preload(n, h, 1)
        program.projection(n, h, hi, up)
        program.run(4 + 10 * n * hi // 64)
        program.projection(n, hi, h, up + packed(h * hi))

    return build


def attention(program: Program) -> None:
    """The 64x64 attention kernel: Q by rows, the K and V tiles, everything through one zero base register."""
    tile = 17_507
    program.set_stride(64)
    program.set_scale(4096)
    program.run(2 + 1)
    for group in range(16):
        program.prefetch_v(0, 256 * group)
        program.run(3)
    program.set_scale(8128)
    program.run(2)
    program.prefetch_m(0, 4608)
    program.run(tile)
    program.set_scale(12160)
    program.run(2)
    program.prefetch_m(0, 9216)
    program.run(3 + 64 * 3 + 3 + 64 * 21 + tile)


def strided_vector(program: Program) -> None:
    program.set_scale(512)
    program.set_stride(128)
    program.run(2)
    program.prefetch_v(0, 64)


def tile(strided: bool) -> Callable[[Program], None]:
    def build(program: Program) -> None:
        program.set_scale(8192)
        program.set_stride(128)
        program.run(1)
        program.prefetch_m(0, 0, strided)

    return build


def store_and_read_back(program: Program) -> None:
    program.set_scale(512)
    program.set_stride(128)
    program.run(3)
    program.store_v(4096, 64)
    program.run(1)
    program.prefetch_v(4096, 64)
