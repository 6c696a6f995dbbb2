"""The conformance kit on PLENA, profile kc and with Xdllm."""

from __future__ import annotations

from typing import ClassVar

from kc_plena.random_programs import PlenaPrograms
from kernelcraft_core.testing.conformance import TargetConformance

FREE_INTO_F0 = {
    "V_RED_SUM",
    "V_RED_MAX",
    "S_ADD_FP",
    "S_SUB_FP",
    "S_MAX_FP",
    "S_MUL_FP",
    "S_EXP_FP",
    "S_RECI_FP",
    "S_SQRT_FP",
}
"""Arithmetic into f0 is dropped and takes no time; nothing else is free."""


class TestPlena(TargetConformance):
    target_name = "plena"
    source = PlenaPrograms
    zero_cost: ClassVar[set[str]] = FREE_INTO_F0
    not_alone: ClassVar[set[str]] = {"C_LOOP_START", "C_LOOP_END"}
    programs = 2000


class TestPlenaDllm(TargetConformance):
    target_name = "plena"
    target_options: ClassVar[dict[str, object]] = {"machine": "dllm"}
    source = PlenaPrograms
    zero_cost: ClassVar[set[str]] = {*FREE_INTO_F0, "V_RED_MAX_IDX", "S_SELECT_INT", "S_MAP_V_FP"}
    not_alone: ClassVar[set[str]] = {"C_LOOP_START", "C_LOOP_END"}
    programs = 160


class TestPlenaSimpleHbm(TargetConformance):
    target_name = "plena"
    target_options: ClassVar[dict[str, object]] = {"overrides": {"HBM_MODEL": "simple", "MAX_LOOP_INSTRUCTIONS": 7}}
    source = PlenaPrograms
    zero_cost: ClassVar[set[str]] = FREE_INTO_F0
    not_alone: ClassVar[set[str]] = {"C_LOOP_START", "C_LOOP_END"}
    programs = 80
    least_halting = 0.0  # most programs meet the small loop limit, in both engines alike
