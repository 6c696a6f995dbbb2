"""What other tools build on: names of registers and memories, presets by address, the parts of a program, whole programs."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import kernelcraft_core as kc
from kc_coral.isa.state import DTCM, DTCM_BYTES, EXTERNAL, EXTERNAL_BYTES, ITCM, ITCM_BYTES
from kernelcraft_core.cli.main import main

MEMORIES = {"itcm": (ITCM, ITCM_BYTES), "dtcm": (DTCM, DTCM_BYTES), "external": (EXTERNAL, EXTERNAL_BYTES)}
HALT = ".word 0x08000073"
WHOLE = f"""
        .text
        .globl  _start
_start: lui     sp, 0x18
        addi    sp, sp, -256
        li      a0, 0x20000000
        la      a1, table
        call    twice
        {HALT}
1:      j       1b

twice:  lw      t0, 0(a0)
        lw      t1, 4(a1)
        mul     t0, t0, t1
        la      t2, result
        sw      t0, 0(t2)
        ret

        .rodata
table:  .word   7, 2
        .data
        .byte   1
        .bss
result: .zero   4
"""


@pytest.fixture(scope="module")
def coral() -> kc.Target:
    return kc.target("coral")


def test_registers_have_the_names_and_shapes_of_the_machine(coral: kc.Target) -> None:
    state = coral.simulate(coral.assemble(HALT)).state
    assert (state["x"].shape, state["x"].dtype) == ((32,), np.uint32)
    assert (state["v"].shape, state["v"].dtype) == ((32, 16), np.uint8)
    assert not state["x"].any()
    assert not state["v"].any()


@pytest.mark.parametrize(("name", "place"), MEMORIES.items())
def test_memory_is_preset_and_read_by_address(coral: kc.Target, name: str, place: tuple[int, int]) -> None:
    base, size = place
    program = coral.assemble(HALT)
    data = bytes(range(1, 17))
    for address in (base + 64, base + size - 16):
        memory = coral.simulate(program, {name: {address: data}}).state[name]
        assert len(memory) == size
        assert bytes(memory.at(address, 16)) == data
        assert bytes(memory[address - base : address - base + 16]) == data
    with pytest.raises(kc.MachineError) as caught:
        coral.simulate(program, {name: {base + size - 15: data}})
    assert caught.value.code == "KC0513"


def test_registers_are_preset_by_number(coral: kc.Target) -> None:
    program = coral.assemble(f"vsetivli t0, 16, e8, m1\nvadd.vx v2, v1, a0\n{HALT}")
    row = np.arange(16, dtype=np.uint8)
    for given in ({1: row}, np.vstack([row * 0, row, *[row * 0] * 30])):
        state = coral.simulate(program, {"x": {10: 5}, "v": given}).state
        assert state["v"][2].tolist() == (row + 5).tolist()
    assert state["x"][5] == 16


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ({"x": {0: 1}}, "KC0512"),
        ({"x": {32: 1}}, "KC0512"),
        ({"v": {32: [0] * 16}}, "KC0512"),
        ({"v": {1: [0] * 15}}, "KC0511"),
        ({"v": {1: [256] * 16}}, "KC0512"),
        ({"external": {DTCM: b"x"}}, "KC0513"),
        ({"mem": {DTCM: b"x"}}, "KC0511"),
        ({"ram": b"x"}, "KC0510"),
    ],
)
def test_wrong_preset_is_named(coral: kc.Target, state: dict[str, object], code: str) -> None:
    with pytest.raises(kc.MachineError) as caught:
        coral.simulate(coral.assemble(HALT), state)
    assert caught.value.code == code


def test_whole_program_with_its_own_stub_runs_as_it_is(coral: kc.Target) -> None:
    program = coral.assemble(WHOLE)
    result = coral.simulate(program, {"external": {EXTERNAL: (21).to_bytes(4, "little")}})
    assert (result.status, result.trap) == ("halted", None)
    where = program.symbols["result"]
    assert int.from_bytes(bytes(result.state["dtcm"].at(where, 4)), "little") == 42
    assert result.state["x"][2] == 0x1_7F00


def test_parts_of_a_program_lie_where_the_machine_loads_them(coral: kc.Target) -> None:
    program = coral.assemble(WHOLE)
    text, *data = program.sections
    assert program.entry == program.symbols["_start"] == ITCM
    assert (text.name, text.base, text.code) == (".text", ITCM, True)
    assert [(s.name, s.base) for s in data] == [(".rodata", DTCM), (".data", DTCM + 16), (".bss", DTCM + 32)]
    assert text.data == b"".join(word.to_bytes(4, "little") for word in program.words)
    assert program.words[0] == 0x0001_8137  # lui sp, 0x18
    assert data[0].data == (7).to_bytes(4, "little") + (2).to_bytes(4, "little")
    itcm = coral.simulate(program).state["itcm"]
    assert bytes(itcm.at(ITCM, len(text.data))) == text.data


def test_run_starts_at_the_label_start_or_else_at_the_first_instruction(coral: kc.Target) -> None:
    assert coral.assemble(f"nop\n{HALT}").entry == ITCM
    late = coral.assemble(f"other: ebreak\n_start: {HALT}")
    assert late.entry == ITCM + 4
    assert coral.simulate(late).status == "halted"
    assert coral.simulate(late, {"pc": ITCM}).status == "trap"


def test_latency_is_an_override_of_the_target(coral: kc.Target) -> None:
    quick = kc.target("coral", overrides={"RL": 2, "WL": 2})
    text = f"lui a0, 0x20000\nlw a1, 0(a0)\nadd a2, a1, a1\n{HALT}"
    assert coral.simulate(coral.assemble(text)).cycles == quick.simulate(quick.assemble(text)).cycles + 1
    assert quick.isa.digest == coral.isa.digest


def test_words_of_a_program_are_a_program(coral: kc.Target) -> None:
    program = coral.assemble(WHOLE)
    again = coral.assemble("\n".join(f".word {word:#010x}" for word in program.words))
    state = {"external": {EXTERNAL: (21).to_bytes(4, "little")}, "dtcm": {s.base: s.data for s in program.data}}
    first, second = coral.simulate(program, state), coral.simulate(again, state)
    assert (first.status, first.cycles) == (second.status, second.cycles) == ("halted", first.cycles)
    assert np.array_equal(first.state["x"], second.state["x"])


@pytest.mark.parametrize("option", [("--preset", "a0=3"), ("--show", "a0")])
def test_register_named_as_in_the_abi_is_pointed_to_its_number(option: tuple[str, str]) -> None:
    done = CliRunner().invoke(main, ["sim", "-", "--target", "coral", *option], input="mpause")
    assert done.exit_code == 2
    assert "did you mean x[10]?" in done.stderr
