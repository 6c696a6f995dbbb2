"""Workloads of PLENA: the tasks of KernelCraft that this target carries, in the configurations of table 12.

The records are cheap; inputs and golden results are computed when a case is drawn, and the code for it is imported
then.

Source: KernelCraft, arXiv 2603.08721, table 12 (shapes), section C (tolerance), section G (get_transfer_index).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kc_plena.shapes import SHAPES, Layout, layout
from kc_plena.workloads.bound import bound
from kc_plena.workloads.describe import describe
from kc_plena.workloads.families import FAMILIES
from kernelcraft_core.tasks import Case, Family, Output, Tolerance, Workload

TRANSFER = "get_transfer_index"
"""The one task that needs the diffusion-LLM instructions; its results are integers."""

FLAGS: Mapping[str, Mapping[str, Any]] = {
    "gelu": {"approx": "sigmoid"},
    "swiglu": {"gate_on": "up"},
    "mha": {"out_proj": False},
    "gqa": {"out_proj": False},
    "mqa": {"out_proj": False},
    "decoder_llama": {"gate_on": "up"},
}
"""Task -> flags in which PLENA's form differs from the task's default."""

TOLERANCE = Tolerance(
    atol=0.012,
    rtol=0.01,
    rel_l2=0.02,
    dtype="bf16",
    reason="KernelCraft, arXiv 2603.08721, section C.2: absolute 0.012, relative 0.01, every element; a bfloat16 step is "
    "0.0039 to 0.0078 of a value. The relative L2 error of the whole result is this project's addition: it "
    "rejects results that are wrong everywhere by less than 0.012.",
)
EVERY_FAMILY = ("silu", "relu", "gelu", "softmax", "layernorm", "rmsnorm")
"""Tasks whose score takes a draw of every family: single families tell near misses apart there, and a draw is quick."""
EXACT = Tolerance(dtype="u32", reason="integers; the drawn logits have a ranking that rounding cannot change")


def workloads() -> tuple[Workload, ...]:
    """Return every workload, by task and configuration."""
    return tuple(_workload(task, config) for task, configs in SHAPES.items() for config in configs)


def _workload(task: str, config: str) -> Workload:
    place, parameters = layout(task, config), SHAPES[task][config]
    transfer = task == TRANSFER

    def draw(seed: int, family: Family) -> Case:
        from kc_plena.workloads.cases import draw as draw_case

        return draw_case(workload, place, seed, family)

    workload = Workload(
        target="plena",
        task=task,
        config=config,
        parameters=parameters,
        outputs=_token_outputs(place) if transfer else (_output(place),),
        tolerance=EXACT if transfer else TOLERANCE,
        draw=draw,
        bound=partial(bound, task, config),
        flags=FLAGS.get(task, {}),
        machine="dllm" if transfer else "kc",
        requires=("Xdllm",) if transfer else (),
        families=FAMILIES[task],
        draws=len(FAMILIES[task]) if task in EVERY_FAMILY else 2,
        layout=describe(task, config),
    )
    return workload


def _output(place: Layout) -> Output:
    """Return the result in VRAM; cases are read with numpy, which is imported then."""

    def read(state: Mapping[str, Any]) -> Any:
        from kc_plena.workloads.cases import read_vram

        return read_vram(place)(state)

    rows, columns = place.shape
    where = f"VRAM from element {place.output} on, column blocks of {rows} rows"
    if place.batch > 1:
        where += f", {place.batch} results one behind the other"
    return Output("Y", (place.batch * rows, columns), "float32", read, where)


def _token_outputs(place: Layout) -> tuple[Output, ...]:
    """Return the two arrays of tokens in INT_MEM."""

    def reader(index: int) -> Any:
        def read(state: Mapping[str, Any]) -> Any:
            from kc_plena.workloads.cases import read_words

            return read_words(place, index)(state)

        return read

    size = place.shape[0] * place.shape[1]
    return tuple(
        Output(name, place.shape, "uint32", reader(index), f"INT_MEM words {size * index} to {size * (index + 1) - 1}")
        for index, name in enumerate(("x", "x0"))
    )
