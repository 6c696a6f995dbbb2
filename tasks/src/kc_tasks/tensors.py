"""Tensors whose sizes follow from the parameters by more than a product."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kernelcraft_core.tasks import Tensor


def head_columns(parameters: Mapping[str, int]) -> int:
    """Return d = h / nh, the columns of an attention head.

    Raises:
        ValueError: `nh` does not divide `h`.
    """
    d, rest = divmod(parameters["h"], parameters["nh"])
    if rest:
        raise ValueError(f"h = {parameters['h']} columns cannot be divided into nh = {parameters['nh']} heads")
    return d


@frozen
class HeadTensor(Tensor):
    """A tensor whose shape may also name `d` = h / nh, the columns of an attention head."""

    def dimensions(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape in numbers. Raises: KeyError, ValueError as `head_columns`."""
        return super().dimensions({**parameters, "d": head_columns(parameters)})


def convolved_size(size: int, kernel: int, stride: int, padding: int) -> int:
    """Return how many windows of `kernel` fit into `size` with `padding` zeros on both sides, every `stride` steps."""
    return (size + 2 * padding - kernel) // stride + 1


@frozen
class ConvTensor(Tensor):
    """A tensor whose shape may also name `OH` and `OW`, the height and width of a convolution's result."""

    def dimensions(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape in numbers. Raises: KeyError for a parameter that is not given."""
        stride, padding = parameters["stride"], parameters["padding"]
        derived = {
            "OH": convolved_size(parameters["H"], parameters["KH"], stride, padding),
            "OW": convolved_size(parameters["W"], parameters["KW"], stride, padding),
        }
        return super().dimensions({**parameters, **derived})
