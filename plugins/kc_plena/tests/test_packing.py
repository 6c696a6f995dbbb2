"""HBM images and activation layouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kc_plena.mx import dequantise, host_quantise
from kc_plena.packing import (
    build_image,
    ceil64,
    from_column_blocks,
    pack_tensor,
    packed_bytes,
    to_column_blocks,
    unpack_tensor,
)

pytestmark = pytest.mark.filterwarnings("error")

SHAPES = st.lists(st.integers(1, 5), max_size=2).flatmap(lambda s: st.integers(1, 80).map(lambda n: (*s, n)))


def normal(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("n", "up"), [(0, 0), (1, 64), (63, 64), (64, 64), (65, 128), (4608, 4608)])
def test_ceil64(n, up):
    assert ceil64(n) == up


@pytest.mark.parametrize(
    ("n", "size"),
    [(0, 0), (8, 128), (64, 128), (256, 320), (512, 576), (520, 576 + 128), (4096, 4608), (65536, 73728)],
)
def test_packed_bytes(n, size):
    assert packed_bytes(n) == size


@pytest.mark.parametrize("n", range(64, 8192, 64))
def test_packed_bytes_of_whole_rows_is_nine_eighths_rounded_up(n):
    assert packed_bytes(n) == ceil64(n * 9 // 8)


def test_image_of_the_smallest_gemm():
    a, b = normal((4, 64), 1), normal((64, 64), 2)
    image = build_image([("A", a), ("B", b)])
    assert dict(image.offsets) == {"A": 0, "B": 320}
    assert dict(image.scales) == {"A": 256, "B": 4416}
    assert (image.data.size, image.data.dtype) == (4928, np.uint8)
    codes, scales = host_quantise(a)
    np.testing.assert_array_equal(image.data[:256], codes.ravel())
    np.testing.assert_array_equal(image.data[256:288], scales.ravel())
    assert not image.data[288:320].any()
    codes, scales = host_quantise(b)
    np.testing.assert_array_equal(image.data[320:4416], codes.ravel())
    np.testing.assert_array_equal(image.data[4416:4928], scales.ravel())
    np.testing.assert_array_equal(image.values["B"], dequantise(codes, scales))


def test_scale_register_of_a_tensor_reached_from_base_zero():
    image = build_image([(name, normal((64, 64))) for name in "QKV"])
    assert (image.offsets["K"], image.scales["K"]) == (4608, 8704)
    assert image.scales["K"] - image.offsets["K"] // 8 == 8128


def test_elements_and_scales_lie_in_natural_order():
    x = np.zeros((2, 24), np.float32)
    x[0, :] = 2.0 ** np.repeat([0, 1, 2], 8)
    x[1, :] = 2.0 ** np.repeat([3, 4, 5], 8) * np.tile([1, 1.125, 1.25, 1.375, -1, -1.5, 0.5, 0], 3)
    data = pack_tensor(x)
    assert data.size == 128
    assert data[:24].tolist() == [0x38] * 24
    assert data[24:48].tolist() == [0x38, 0x39, 0x3A, 0x3B, 0xB8, 0xBC, 0x30, 0x00] * 3
    assert data[64:70].tolist() == [127, 128, 129, 130, 131, 132]
    assert not data[48:64].any()
    assert not data[70:].any()


def test_rows_are_padded_to_whole_blocks():
    x = normal((3, 10))
    data = pack_tensor(x)
    assert data.size == packed_bytes(3 * 16) == 128
    elements = data[:48].reshape(3, 16)
    assert not elements[:, 10:].any()
    wide = np.zeros((3, 16), np.float32)
    wide[:, :10] = x
    np.testing.assert_array_equal(data, pack_tensor(wide))
    np.testing.assert_array_equal(unpack_tensor(data, (3, 10)), unpack_tensor(data, (3, 16))[:, :10])


def test_one_dimension_is_one_row_and_leading_axes_are_flattened():
    x = normal((2, 3, 16))
    np.testing.assert_array_equal(pack_tensor(x), pack_tensor(x.reshape(6, 16)))
    np.testing.assert_array_equal(pack_tensor(x[0, 0]), pack_tensor(x[0, :1]))


@given(SHAPES, st.integers(0, 2**32 - 1), st.integers(-20, 20))
@settings(max_examples=150, deadline=None)
def test_packed_tensor_reads_back_as_its_quantised_values(shape, seed, exponent):
    x = normal(shape, seed) * np.float32(2.0**exponent)
    data = pack_tensor(x)
    values = unpack_tensor(data, shape)
    assert (values.shape, values.dtype) == (shape, np.float32)
    columns = -(-shape[-1] // 8) * 8
    padded = np.pad(x, [(0, 0)] * (len(shape) - 1) + [(0, columns - shape[-1])])
    np.testing.assert_array_equal(values, dequantise(*host_quantise(padded))[..., : shape[-1]])
    image = build_image([("first", np.ones(8)), ("x", x)])
    np.testing.assert_array_equal(image.values["x"], values)
    np.testing.assert_array_equal(image.data[image.offsets["x"] :], data)
    np.testing.assert_array_equal(unpack_tensor(image.data[image.offsets["x"] :], shape), values)
    if exponent >= 0:
        np.testing.assert_array_equal(pack_tensor(values), pack_tensor(unpack_tensor(pack_tensor(values), shape)))


@given(st.lists(SHAPES, max_size=5))
@settings(max_examples=60, deadline=None)
def test_tensors_follow_each_other_aligned(shapes):
    image = build_image([(f"t{i}", np.ones(shape)) for i, shape in enumerate(shapes)])
    end = 0
    for i, shape in enumerate(shapes):
        elements = int(np.prod(shape[:-1], dtype=int)) * (-(-shape[-1] // 8) * 8)
        assert image.offsets[f"t{i}"] == end
        assert image.scales[f"t{i}"] == end + ceil64(elements)
        end += packed_bytes(elements)
        assert end % 64 == 0
    assert image.data.size == end


def test_image_takes_any_input_that_numpy_does():
    image = build_image(iter([("list", [1, 2, 4]), ("double", np.full((2, 8), 0.5))]))
    assert image.values["list"].tolist() == [1, 2, 4]
    assert image.values["double"].tolist() == [[0.5] * 8] * 2


@pytest.mark.parametrize("x", [1.0, [np.nan, 0], [[1, np.inf]]])
def test_what_cannot_be_packed(x):
    with pytest.raises(ValueError, match=r"dimension|finite"):
        pack_tensor(x)


def test_names_are_unique():
    with pytest.raises(ValueError, match="'A' occurs twice"):
        build_image([("A", [1.0]), ("A", [2.0])])


def test_unpacking_needs_all_bytes():
    with pytest.raises(ValueError, match="takes 128 bytes, there are 127"):
        unpack_tensor(np.zeros(127, np.uint8), (8,))


# -------------------------------------------------------------------------------------------------------- column blocks


@given(st.integers(1, 9), st.integers(1, 5))
@settings(max_examples=45, deadline=None)
def test_column_blocks(b, blocks):
    h = 64 * blocks
    x = np.arange(b * h, dtype=np.float32).reshape(b, h)
    rows = to_column_blocks(x)
    assert (rows.shape, rows.dtype) == ((blocks * b, 64), np.float32)
    r, c = np.indices((b, h))
    np.testing.assert_array_equal(rows.ravel()[(c // 64) * b * 64 + r * 64 + c % 64], x)
    np.testing.assert_array_equal(from_column_blocks(rows, b, h), x)
    rows[...] = 0
    assert x.any()


def test_one_block_is_row_major():
    x = normal((5, 64))
    np.testing.assert_array_equal(to_column_blocks(x), x)


@pytest.mark.parametrize("shape", [(64,), (2, 65), (2, 2, 64)])
def test_activations_have_whole_blocks(shape):
    with pytest.raises(ValueError, match="multiple of 64"):
        to_column_blocks(np.zeros(shape, np.float32))


@pytest.mark.parametrize(("shape", "b", "h"), [((4, 64), 4, 128), ((4, 64), 4, 65), ((4, 32), 4, 64), ((256,), 4, 64)])
def test_rows_must_hold_the_activation(shape, b, h):
    with pytest.raises(ValueError, match="do not hold"):
        from_column_blocks(np.zeros(shape, np.float32), b, h)
