"""Targets that many tests use."""

from __future__ import annotations

import pytest

import kernelcraft_core as kc


@pytest.fixture(scope="module")
def plena() -> kc.Target:
    return kc.target("plena")


@pytest.fixture(scope="module")
def dllm() -> kc.Target:
    return kc.target("plena", machine="dllm")
