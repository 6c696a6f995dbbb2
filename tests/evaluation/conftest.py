"""A catalogue and an evaluator of the toy target."""

from __future__ import annotations

import pytest

from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.plugins import registry
from kernelcraft_core.tasks import Workload
from kernelcraft_core.tasks.catalogue import Catalogue


@pytest.fixture
def catalogue(only_toy: None) -> Catalogue:
    return Catalogue(registry())


@pytest.fixture
def evaluator(catalogue: Catalogue) -> Evaluator:
    return Evaluator(catalogue)


@pytest.fixture
def workload(catalogue: Catalogue) -> Workload:
    return catalogue.workload("toy", "triple", "C1")
