"""The conformance kit on Coral."""

from __future__ import annotations

from typing import ClassVar

from kc_coral.random_programs import CoralPrograms
from kernelcraft_core.testing.conformance import TargetConformance


class TestCoral(TargetConformance):
    target_name = "coral"
    source = CoralPrograms
    zero_cost: ClassVar[set[str]] = set()
    programs = 80
