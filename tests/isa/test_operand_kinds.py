"""Names of immediates, numbers in relative operands, registers that have no spelling: what they may declare, what they do."""

from __future__ import annotations

from typing import Any

import pytest

from kernelcraft_core.asm import Assembler, Disassembler
from kernelcraft_core.diagnostics import AssemblyError, IsaError
from kernelcraft_core.isa import Imm, Instr, Isa, Reg, RegFile
from kernelcraft_core.isa.docs import pages


def make(**kinds: Any) -> Isa:
    chosen = {
        "reg": Imm("reg", bits=8, names={"status": 3, "mode": 7}),
        "near": Imm("near", bits=16, signed=True, relative=True),
        "far": Imm("far", bits=16, signed=True, relative=True, numbers="address"),
        "label": Imm("label", bits=16, signed=True, relative=True, numbers="none", hint="use near"),
        "opt": Reg("opt", bits=1, prefix="", names={"fast": 0}, partial=True),
    } | kinds
    return Isa(
        "kinds",
        kinds=[Reg("x", bits=3, prefix="x"), *chosen.values()],
        state=[RegFile("x", 8, bits=32)],
        instrs=[
            Instr("get rd:x, r:reg", "10000 rd r 0{16}", "x[rd] = r", "alu", "u"),
            Instr("near off:near", "0{15} 1 off", "", "alu", "u"),
            Instr("far off:far", "0{14} 10 off", "", "alu", "u"),
            Instr("go off:label", "0{14} 11 off", "", "alu", "u"),
            Instr("run rd:x, how:opt=1", "1{8} 0000 rd how 0{16}", "", "alu", "u"),
        ],
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Imm("reg", bits=8, names={"a b": 1}), "cannot be written"),
        (Imm("reg", bits=8, names={"a": 256}), "not legal"),
        (Imm("reg", bits=8, align=2, names={"a": 1}), "not legal"),
        (Imm("reg", bits=8, numbers="address"), "unless it is relative"),
        (Imm("reg", bits=8, relative=True, numbers="both"), "not 'both'"),
        (Reg("opt", bits=1, prefix="", partial=True), "need a name"),
        (Reg("opt", bits=1, prefix="", names={"fast": 0}), "need a name"),
    ],
)
def test_kinds_that_make_no_sense_are_refused(kind: Any, text: str) -> None:
    with pytest.raises(IsaError, match=text):
        make(**{kind.name: kind})


def test_a_named_value_is_written_and_printed_by_its_name() -> None:
    isa = make()
    named, plain = Assembler(isa).assemble("get x1, status\nget x1, 4").words
    assert (named >> 16 & 0xFF, plain >> 16 & 0xFF) == (3, 4)
    assert Disassembler(isa).disassemble([named, plain]).split("\n")[:2] == ["get x1, status", "get x1, 4"]


def test_a_name_of_an_operand_is_no_symbol_elsewhere() -> None:
    program = Assembler(make()).assemble("status: near status\nget x0, status")
    assert [word & 0xFFFF for word in program.words][:1] == [0]
    assert program.words[1] >> 16 & 0xFF == 3


def test_a_number_is_a_distance_an_address_or_nothing() -> None:
    assembler = Assembler(make())
    words = assembler.assemble("near 8\nnear here\nfar 8\nfar here\nhere: go here\nk = 4\nfar k\nfar k - 4").words
    assert [word & 0xFFFF for word in words] == [8, 12, 0, 4, 0, (4 - 20) & 0xFFFF, (0 - 24) & 0xFFFF]
    for text in ("go 8", "k = 8\ngo k", "a: b: go b - a"):
        with pytest.raises(AssemblyError) as caught:
            assembler.assemble(text)
        assert caught.value.diagnostics[0].code == "KC0204"
        assert caught.value.diagnostics[0].hint == "use near"


def test_an_index_without_spelling_is_what_is_left_out() -> None:
    isa = make()
    plain, fast = Assembler(isa).assemble("run x2\nrun x2, fast").words
    assert (plain >> 16 & 1, fast >> 16 & 1) == (1, 0)
    assert Disassembler(isa).disassemble([plain, fast]).split("\n")[:2] == ["run x2", "run x2, fast"]


def test_the_reference_says_what_may_be_written() -> None:
    text = pages(make())["isa.md"]
    assert "`status` = 3, `mode` = 7" in text
    assert "a number is an address" in text
    assert "only a label may be written" in text


def test_the_new_keys_do_not_change_digests_where_they_have_no_use() -> None:
    plain = {"reg": Imm("reg", bits=8), "far": Imm("far", bits=16, signed=True, relative=True)}
    canonical = make(**plain).canonical()
    for kind in canonical["kinds"]:
        assert "partial" not in kind or kind["name"] == "opt"
        assert "numbers" not in kind or kind["name"] == "label"
        assert "names" not in kind or kind["type"] == "Reg"
    assert make(**plain).digest != make().digest
