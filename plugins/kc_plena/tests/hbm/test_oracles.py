"""Durations of the transfers of known programs, with the program time between them counted from the templates.

Source of the figures: an independent model of AICrossSim/PLENA at ecd5acb on CMU-SAFARI/ramulator2 e442c64, which also
reproduces KernelCraft (arXiv 2603.08721) table 15 and the 37,573 ns attention kernel of its section I.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kc_plena.hbm import HbmTiming, make_hbm

MM, MM_WO = 64, 1
Build = Callable[["Program"], None]


def packed(elements: int) -> int:
    """Bytes of a packed MX tensor whose element count is a multiple of 64."""
    return elements + -(-elements // 8 // 64) * 64


def li(value: int) -> int:
    """Instructions that load a constant: one, or two above 262,143 when the low 12 bits are not zero."""
    return 2 if value > 262_143 and value & 0xFFF else 1


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
        self.run(li(value) + 1)

    def set_stride(self, value: int) -> None:
        self.stride = value
        self.run(li(value) + 1)

    def set_bases(self, *bases: int) -> None:
        self.run(sum(li(base) + 1 for base in bases))

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

    def gemm_loop(self, tokens: int, base: int, stride: int, k_tiles: int, n_tiles: int, source: int) -> None:
        """The looped projection of SwiGLU; `source` instructions load the activation pointer."""
        group = 2 + k_tiles * (MM + 2) - 1 + MM_WO + 2 + 1
        self.run(1)
        for n in range(n_tiles):
            self.run(2)
            for k in range(k_tiles):
                self.prefetch_m(base, 64 * n + k * 64 * stride)
                self.run(2)
            self.run(2 + 1 + 16 * (source + 1 + tokens // 4 * group + 3 + 1) + 2 + 1)


def elementwise(b: int, h: int, per: int, body: int = 0) -> Build:
    """SiLU, GELU and the norms: three resets, the activation preload, four resets, `body` cycles on the vector unit."""

    def build(program: Program) -> None:
        program.run(3)
        program.preload(b, h, per)
        program.run(4 + body)

    return build


def gemm(m: int, k: int, n: int) -> Build:
    def build(program: Program) -> None:
        base = packed(m * k)
        program.set_bases(base, base + packed(k * n))
        program.run(3)
        program.preload(m, k, 4)
        program.run(4)
        program.projection(m, k, n, base)

    return build


def ffn(n: int, h: int, hi: int) -> Build:
    def build(program: Program) -> None:
        up = packed(n * h)
        down = up + packed(h * hi)
        program.set_bases(up, down)
        program.run(8)
        program.preload(n, h, 1)
        program.projection(n, h, hi, up)
        program.run(4 + 10 * n * hi // 64)
        program.projection(n, hi, h, down)

    return build


def swiglu(n: int, h: int, hi: int) -> Build:
    def build(program: Program) -> None:
        up = packed(n * h)
        gate, down = up + packed(h * hi), up + 2 * packed(h * hi)
        program.set_bases(up, gate, down)
        program.run(3)
        program.preload(n, h, 4)
        program.set_scale(h * hi)
        program.set_stride(hi)
        program.run(1 + 4)
        program.gemm_loop(n, up, hi, h // 64, hi // 64, source=1)
        program.run(3)
        program.gemm_loop(n, gate, hi, h // 64, hi // 64, source=1)
        program.run(4 + 1 + 12 * n * hi // 64)
        program.set_scale(h * hi)
        program.set_stride(h)
        program.run(4)
        program.gemm_loop(n, down, h, hi // 64, h // 64, source=2)

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
    """Four rows of 64 columns of a 4x128 tensor."""
    program.set_scale(512)
    program.set_stride(128)
    program.run(2)
    program.prefetch_v(0, 64)


def tile(strided: bool) -> Build:
    """A 64x64 tile of a 64x128 tensor, or its first 4096 elements."""

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


def run(build: Build, model: str = "exact", beat_interval: int = 4) -> Program:
    program = Program(make_hbm(model, beat_interval=beat_interval))
    build(program)
    return program


ATTENTION_VECTORS = [46, 30, 30, 30, 40, 30, 30, 30, 30, 40, 30, 30, 30, 40, 30, 30]
DURATIONS: dict[str, tuple[Build, list[int], list[int], list[int]]] = {
    "silu-c1": (elementwise(4, 64, 4), [30], [], []),
    "silu-c2-published": (elementwise(8, 128, 8), [38, 31], [], []),
    "rmsnorm-c2": (elementwise(8, 128, 4), [38, 24, 31, 24], [], []),
    "gemm-c1": (gemm(4, 64, 64), [30], [207], []),
    "gemm-c2": (gemm(8, 128, 128), [38, 24, 31, 24], [144, 143, 136, 139], []),
    "gemm-c3": (
        gemm(16, 128, 256),
        [38, 24, 32, 24, 31, 24, 31, 24],
        [146, 140, 139, 140, 139, 140, 139, 140],
        [],
    ),
    "ffn-c1": (ffn(4, 64, 128), [30, 27, 31, 35], [145, 136, 206, 212], []),
    "attention": (attention, ATTENTION_VECTORS, [214, 214], []),
    "strided-vector": (strided_vector, [32], [], []),
    "tile-strided": (tile(True), [], [148], []),
    "tile-contiguous": (tile(False), [], [214], []),
    "store-and-read-back": (store_and_read_back, [26], [], [21]),
}
FAST_BUS_DURATIONS: dict[str, tuple[Build, list[int], list[int]]] = {
    "gemm-c1": (gemm(4, 64, 64), [24], [115]),
    "gemm-c2": (gemm(8, 128, 128), [28, 20, 21, 18], [97, 94, 74, 75]),
    "attention": (attention, [32, 24, 24, 24, 26, 24, 24, 24, 24, 26, 24, 24, 24, 26, 24, 24], [122, 122]),
    "strided-vector": (strided_vector, [26], []),
}
SHAPES = [(4, 64), (8, 128), (16, 128), (32, 256), (64, 256)]
MATRIX_SHAPES = [(4, 64, 64), (8, 128, 128), (16, 128, 256), (32, 256, 256), (64, 256, 512)]
FFN_SHAPES = [(4, 64, 128), (8, 128, 256), (16, 128, 512), (32, 256, 512), (64, 256, 1024)]
ELEMENTWISE_CYCLES: dict[str, tuple[Callable[[int, int], int], list[int]]] = {
    "silu": (lambda b, n: 4 + 10 * b * n, [92, 315, 598, 2313, 4545]),
    "gelu": (lambda b, n: 5 + 11 * b * n, [97, 332, 631, 2442, 4802]),
    "layernorm": (lambda b, n: 5 + b * (11 + 22 * n), [185, 596, 1159, 4202, 8322]),
    "rmsnorm": (lambda b, n: 4 + b * (7 + 12 * n), [128, 403, 774, 2793, 5505]),
}
CYCLES: dict[str, tuple[Build, int]] = {
    "attention": (attention, 37_573),
    "strided-vector": (strided_vector, 38),
    "tile-strided": (tile(True), 153),
    "tile-contiguous": (tile(False), 219),
    **{
        f"{name}-c{i}": (elementwise(b, h, 4, body(b, h // 64)), cycles)
        for name, (body, all_cycles) in ELEMENTWISE_CYCLES.items()
        for i, ((b, h), cycles) in enumerate(zip(SHAPES, all_cycles, strict=True), 1)
    },
    **{
        f"gemm-c{i}": (gemm(*shape), cycles)
        for i, (shape, cycles) in enumerate(zip(MATRIX_SHAPES, [1421, 9504, 36_378, 140_604, 556_361], strict=True), 1)
    },
    **{
        f"ffn-c{i}": (ffn(*shape), cycles)
        for i, (shape, cycles) in enumerate(
            zip(FFN_SHAPES, [5480, 37_864, 145_309, 563_297, 2_224_214], strict=True), 1
        )
    },
    **{
        f"swiglu-c{i}": (swiglu(*shape), cycles)
        for i, (shape, cycles) in enumerate(
            zip(FFN_SHAPES, [8423, 57_285, 219_530, 844_781, 3_342_670], strict=True), 1
        )
    },
}


@pytest.mark.parametrize("name", DURATIONS)
def test_durations(name: str) -> None:
    build, vector, matrix, stores = DURATIONS[name]
    program = run(build)
    assert (program.vector, program.matrix, program.stores) == (vector, matrix, stores)


@pytest.mark.parametrize("name", FAST_BUS_DURATIONS)
def test_durations_with_the_2_ns_bus(name: str) -> None:
    build, vector, matrix = FAST_BUS_DURATIONS[name]
    program = run(build, beat_interval=2)
    assert (program.vector, program.matrix) == (vector, matrix)


@pytest.mark.parametrize("name", CYCLES)
def test_whole_programs(name: str) -> None:
    build, cycles = CYCLES[name]
    assert run(build).now == cycles


@pytest.mark.parametrize("name", [name for name in CYCLES if name[-3:-1] == "-c"])
@pytest.mark.parametrize(("beat_interval", "matrix_error", "error"), [(4, 0.002, 0.007), (2, 0.005, 0.008)])
def test_the_simple_model_on_whole_programs(name: str, beat_interval: int, matrix_error: float, error: float) -> None:
    build, _ = CYCLES[name]
    exact = run(build, beat_interval=beat_interval)
    limit = matrix_error if exact.matrix else error
    assert run(build, "simple", beat_interval).now == pytest.approx(exact.now, rel=limit)


def test_the_simple_model_on_the_attention_kernel() -> None:
    assert run(attention, "simple").now == 37_575


def test_free_transfers() -> None:
    program = run(store_and_read_back, "none")
    assert program.stores == [0]
    assert program.vector == [0]
