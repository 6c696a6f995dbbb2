"""Workloads: what there is, that draws depend on their seed alone, and that results are read where kernels leave them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from kc_plena.baseline import program
from kc_plena.packing import to_column_blocks, unpack_tensor
from kc_plena.shapes import SHAPES, layout
from kc_plena.workloads import workloads
from kc_plena.workloads.bound import least_masked
from kc_plena.workloads.draws import angles, rotate_half, rotation_matrix
from kc_tasks.suite import SUITE
from kernelcraft_core.tasks import standard_families

WORKLOADS = {w.name: w for w in workloads()}
TASKS = {task.slug: task for task in SUITE.tasks}
FAMILIES = {family.name: family for family in standard_families()}
STANDARD = FAMILIES["standard"]
SMALL = [name for name in WORKLOADS if name.endswith("/C1")]

# Tensors with their byte addresses, output address, rows and columns: counted by hand from the task's parameters.
ADDRESSES = [
    ("silu/C2", {"X": 0}, 0, (8, 128)),
    ("layernorm/C1", {"X": 0, "w": 320}, 0, (4, 64)),
    ("gemv/C1", {"A": 0, "x": 36_864}, 512, (1, 64)),
    ("gemm/C1", {"A": 0, "B": 320}, 256, (4, 64)),
    ("linear/C1", {"X": 0, "W": 320, "bias": 4_928}, 256, (4, 64)),
    ("batch_matmul/C1", {"A": 0, "W": 576}, 0, (8, 64)),
    ("swiglu/C1", {"X": 0, "Wup": 320, "Wgate": 9_536, "Wdown": 18_752}, 0, (4, 64)),
    ("sdpa/C1", {"Q": 0, "K": 2_304, "V": 4_608}, 0, (32, 64)),
    ("gqa/C1", {"X": 0, "Wq": 4_608, "Wk": 23_040, "Wv": 32_256}, 0, (32, 128)),
    ("rope/C1", {"X": 0, "XROT": 2_304, "COS": 4_608, "SIN": 6_912}, 0, (32, 64)),
    ("get_transfer_index/C1", {"logits": 0, "mask": 36_864}, 0, (2, 64)),
]


def test_there_is_a_workload_for_each_task_and_configuration():
    expected = {f"{task}/{config}" for task, configs in SHAPES.items() for config in configs}
    assert set(WORKLOADS) == expected
    assert len(workloads()) == len(expected) == 20 * 5 + 1
    for workload in WORKLOADS.values():
        assert (workload.target, workload.machine) == (
            "plena",
            "dllm" if workload.task == "get_transfer_index" else "kc",
        )


def test_workloads_reach_the_plug_in_host():
    from kernelcraft_core.plugins import registry

    found = [w for part in registry().hook.kc_workloads(target="plena") for w in part or ()]
    assert {w.name for w in found} >= set(WORKLOADS)
    from kc_plena.plugin import kc_workloads

    assert kc_workloads(target="another") is None


def test_listing_workloads_does_not_import_the_code_that_draws():
    code = (
        "import sys; from kc_plena.workloads import workloads; workloads();"
        "print([m for m in ('kc_tasks', 'kc_plena.packing', 'kc_plena.workloads.goldens') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_workload_names_what_its_task_knows(name):
    workload = WORKLOADS[name]
    task = TASKS[workload.task]
    assert workload.families[0] == "standard"
    assert set(workload.families) <= set(task.family_names)
    assert dict(task.resolved(workload.flags)).items() >= dict(workload.flags).items()
    assert set(workload.parameters) == set(task.parameters)
    assert [o.name for o in workload.outputs] == [t.name for t in task.outputs]
    assert [o.shape for o in workload.outputs] == [t.dimensions(workload.parameters) for t in task.outputs]


@pytest.mark.parametrize(("name", "addresses", "output", "shape"), ADDRESSES)
def test_addresses_and_layout_text_equal_the_hand_count(name, addresses, output, shape):
    workload = WORKLOADS[name]
    place = layout(workload.task, workload.config)
    assert (place.addresses, place.output, workload.outputs[0].shape) == (addresses, output, shape)
    for tensor, address in addresses.items():
        dimensions = " x ".join(str(n) for n in dict(place.tensors)[tensor])
        assert f"| {tensor} | {dimensions} | {address} |" in workload.layout
    for line in (f"[0] = {place.fp_mem[0]:g}", "Golden result", "Result:", f"from {place.hbm_bytes} on is free"):
        assert line in workload.layout


# ------------------------------------------------------------------------------------------------------------------ draws


def _bytes(case) -> bytes:
    return case.state["hbm"][0].tobytes() + repr(case.state.get("int_mem")).encode()


@pytest.mark.parametrize("name", SMALL)
def test_draw_depends_on_seed_and_family_alone(name):
    workload = WORKLOADS[name]
    case, again = workload.draw(7, STANDARD), workload.draw(7, STANDARD)
    assert _bytes(case) == _bytes(again)
    for variant, golden in case.goldens.items():
        for output, values in golden.items():
            assert np.array_equal(values, again.goldens[variant][output])
    assert _bytes(workload.draw(8, STANDARD)) != _bytes(case)
    assert _bytes(workload.draw(2**64 - 1, STANDARD)) != _bytes(case)
    other = FAMILIES[workload.families[-1]]
    assert _bytes(workload.draw(7, other)) != _bytes(case)


@pytest.mark.parametrize("name", SMALL)
def test_memory_holds_the_inputs_and_nothing_else(name):
    workload = WORKLOADS[name]
    case, place = workload.draw(1, STANDARD), layout(workload.task, workload.config)
    ((start, data),) = case.state["hbm"].items()
    assert (start, data.size) == (0, place.hbm_bytes + place.padding)
    assert not data[place.hbm_bytes :].any()
    for tensor, shape in place.tensors:
        assert np.array_equal(unpack_tensor(data[place.addresses[tensor] :], shape), case.inputs[tensor])
    assert case.state["fp_mem"] == list(place.fp_mem)
    assert set(case.state) - {"hbm", "fp_mem"} == ({"int_mem"} if name == "get_transfer_index/C1" else set())


@pytest.mark.parametrize("name", list(WORKLOADS))
def test_every_family_gives_finite_goldens_of_the_stated_shape(name):
    workload = WORKLOADS[name]
    families = workload.families if workload.config in ("C1", "C2") else workload.families[:1]
    for family in families:
        case = workload.draw(3, FAMILIES[family])
        for golden in case.goldens.values():
            for output in workload.outputs:
                values = golden[output.name]
                assert (values.shape, values.dtype) == (output.shape, np.dtype(output.dtype))
                assert np.isfinite(values).all()


@pytest.mark.parametrize(
    ("name", "tensor", "deviation"),
    [
        ("gemm/C5", "A", 1.0),
        ("gemm/C5", "B", 256**-0.5),
        ("batch_matmul/C4", "W", 256**-0.5),
        ("linear/C5", "bias", 0.1),
        ("ffn/C4", "Wdown", 512**-0.5),
        ("decoder_llama/C4", "Wq", 0.5 * 256**-0.5),
        ("decoder_t5/C4", "Wq", 0.5 * 256**-0.5 / 8),
        ("decoder_t5/C4", "Wk", 0.5 * 256**-0.5),
        ("get_transfer_index/C1", "logits", 3.0),
    ],
)
def test_tensors_have_the_stated_deviation(name, tensor, deviation):
    values = WORKLOADS[name].draw(2, STANDARD).inputs[tensor]
    assert values.std() == pytest.approx(deviation, rel=0.08)
    assert abs(values.mean()) < 0.15 * deviation


def test_weights_do_not_follow_the_family():
    name, family = "gemm/C4", FAMILIES["offset"]
    inputs = WORKLOADS[name].draw(2, family).inputs
    assert inputs["A"].mean() == pytest.approx(2.0, abs=0.1)
    assert abs(inputs["B"].mean()) < 0.01


@pytest.mark.parametrize("name", ["layernorm/C1", "rmsnorm/C3"])
def test_one_row_of_the_norms_is_zero_in_every_family_but_the_standard_one(name):
    workload = WORKLOADS[name]
    for family in workload.families:
        empty = np.flatnonzero(~workload.draw(5, FAMILIES[family]).inputs["X"].any(axis=1))
        assert len(empty) == (0 if family == "standard" else 1), family


def test_rotation_tables_turn_pairs_of_columns():
    inputs = WORKLOADS["rope/C2"].draw(1, STANDARD).inputs
    assert np.array_equal(inputs["XROT"], np.concatenate([-inputs["X"][:, 64:], inputs["X"][:, :64]], axis=1))
    for table in ("COS", "SIN"):
        assert np.array_equal(inputs[table][:, :64], inputs[table][:, 64:])
    assert np.allclose(inputs["COS"] ** 2 + inputs["SIN"] ** 2, 1, atol=0.2)
    assert angles((3, 64))[2, :2].tolist() == pytest.approx([2.0, 2 * 10_000 ** (-1 / 32)])
    x = np.arange(64.0)[None]
    assert np.array_equal(x @ rotation_matrix(), rotate_half(x))


def test_transfer_index_has_enough_masked_positions():
    workload = WORKLOADS["get_transfer_index/C1"]
    counts = [workload.draw(seed, STANDARD).inputs["mask"].sum(axis=1) for seed in range(20)]
    assert np.min(counts) >= least_masked(workload.parameters) == 32
    assert np.max(counts) < workload.parameters["L"]


# ---------------------------------------------------------------------------------------------------------------- results


@pytest.mark.parametrize("name", [n for n in SMALL if n != "get_transfer_index/C1"] + ["batch_matmul/C2", "mha/C2"])
def test_result_is_read_back_from_vector_memory(plena, name):
    workload = WORKLOADS[name]
    place, (output,) = layout(workload.task, workload.config), workload.outputs
    golden = next(iter(workload.draw(4, STANDARD).goldens.values()))["Y"]
    rows, columns = place.shape
    blocks = np.concatenate([to_column_blocks(part) for part in golden.reshape(place.batch, rows, columns)])
    state = {"vram": {place.output // 64 + i: row for i, row in enumerate(blocks)}}
    result = plena.simulate(plena.assemble("S_ADDI_INT gp1, gp0, 1"), state, fill="pattern", seed=1)
    values = output.read(result.state)
    assert (values.shape, values.dtype) == (output.shape, np.float32)
    assert np.array_equal(values, golden)


def test_tokens_are_read_back_from_integer_memory(dllm):
    workload = WORKLOADS["get_transfer_index/C1"]
    case = workload.draw(4, STANDARD)
    golden = case.goldens["exact"]
    words = np.concatenate([golden["x"].ravel(), golden["x0"].ravel()]).tolist()
    result = dllm.simulate(dllm.assemble("S_ADDI_INT gp1, gp0, 1"), {"int_mem": words})
    for output in workload.outputs:
        values = output.read(result.state)
        assert (values.shape, values.dtype) == (output.shape, np.uint32)
        assert np.array_equal(values, golden[output.name])


@pytest.mark.parametrize("name", ["silu/C1", "gelu/C2", "layernorm/C1", "rmsnorm/C2", "gemm/C2", "linear/C1", "ffn/C1"])
def test_baseline_passes_on_undefined_memory(plena, name):
    workload = WORKLOADS[name]
    for family in workload.families:
        case = workload.draw(11, FAMILIES[family])
        text = program(workload.task, workload.config)
        result = plena.simulate(plena.assemble(text), case.state, fill="pattern", seed=5)
        assert result.status == "halted"
        values, golden = workload.outputs[0].read(result.state), case.goldens["bf16"]["Y"]
        tolerance = workload.tolerance
        assert (np.abs(values - golden) <= tolerance.atol + tolerance.rtol * np.abs(golden)).all(), family
        assert np.linalg.norm(values - golden) <= tolerance.rel_l2 * np.linalg.norm(golden), family


@pytest.mark.parametrize("task", ["silu", "relu", "gelu", "softmax", "layernorm", "rmsnorm"])
def test_element_wise_tasks_and_norms_are_scored_on_every_family(task):
    """Near misses (GELU with 1.75, softmax without its maximum) fail on one or two families only."""
    for workload in workloads():
        if workload.task == task:
            assert workload.draws == len(workload.families) >= 6


def test_undefined_vram_holds_nan_so_that_zeros_cannot_be_made_of_it(plena):
    """A row minus itself, or times 0, is no row of zeros unless the kernel has written it before."""
    program = plena.assemble("S_ADDI_INT gp1, gp0, 8192\n" + "V_SUB_VV gp1, gp1, gp1, 0\nS_ADDI_INT gp1, gp1, 64\n" * 8)
    result = plena.simulate(program, fill="pattern", seed=5)
    left = np.asarray(result.state["vram"].at(8192, 512))
    assert np.isnan(left).any()
    assert (left[~np.isnan(left)] == 0).all()
