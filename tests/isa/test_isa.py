"""`Isa` as a whole: names, sizes, digest, immutability, extension rules."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import (
    Array,
    Bytes,
    Extension,
    Imm,
    Placeholder,
    Pseudo,
    Reg,
    RegFile,
    Rows,
    Scalar,
    Words,
    pure,
)
from kernelcraft_core.isa.syntax import parse_form

FMA = {"syntax": "FMA rd:x, rs1:x", "encoding": "-{6} rs1 rd 0101", "semantics": "x[rd] = x[rd] + x[rs1]"}


def extension(hard: SimpleNamespace, *instrs: Any, **more: Any) -> Extension:
    """Return an extension of the ISA with the given instructions."""
    return Extension(**({"name": "Xmore", "extends": "hard", "instrs": instrs} | more))


# --- declarations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        Reg("k", bits=0, prefix="k"),
        Reg("k", bits=-1, prefix="k"),
        Reg("k", bits=10**9, prefix="k"),
        Reg("k", bits=3, prefix="k", count=9),
        Reg("k", bits=3, prefix="k", count=0),
        Reg("k", bits=3, prefix="k", count=-5),
        Reg("k", bits=3, prefix=""),
        Reg("k", bits=3, prefix="k k"),
        Reg("k", bits=3, prefix="k,"),
        Reg("k", bits=3, prefix="k", names={"sp": 8}),
        Reg("k", bits=3, prefix="k", names={"s p": 1}),
        Reg("k", bits=3, prefix="k", file="nothing"),
        Reg("k", bits=3, prefix="k", file="ram"),
        Imm("k", bits=0),
        Imm("k", bits=-3),
        Imm("k", bits=10**9),
        Imm("k", bits=4, align=0),
        Imm("k", bits=4, align=-2),
        Imm("k", bits=4, align=32),
        Imm("k", bits=4, max=16),
        Imm("k", bits=4, min=-1),
        Imm("k", bits=4, signed=True, max=8),
        Imm("k", bits=4, min=7, max=5),
        Imm("k", bits=4, align=8, min=1, max=7),
        Placeholder("k", ()),
        Placeholder("k", ("",)),
        Placeholder("k", ("a b",)),
    ],
)
def test_impossible_kind_is_refused(hard: SimpleNamespace, kind: Any) -> None:
    kinds = (*hard.isa.kinds, kind)
    assert hard.codes(hard.make, kinds=kinds) == ["KC0108"]


@pytest.mark.parametrize(
    "state",
    [
        RegFile("s", count=8),
        RegFile("s", count=8, bits=8, dtype="f16"),
        RegFile("s", count=0, bits=8),
        RegFile("s", count=10**12, bits=8),
        RegFile("s", count=8, bits=0),
        RegFile("s", count=8, bits=10**12),
        RegFile("s", count=8, bits=8, zero=8),
        RegFile("s", count=8, dtype="f17"),
        Scalar("s", bits=8, reset=256),
        Scalar("s", bits=8, reset=-1),
        Scalar("s", bits=8, reset=0.5),
        Scalar("s"),
        Array("s", "f32", ()),
        Array("s", "f32", (0,)),
        Array("s", "f32", (1, 2, 3, 4, 5)),
        Array("s", "f32", (1 << 20, 1 << 20)),
        Array("s", "object", (2,)),
        Words("s", count=0, bits=8),
        Words("s", count=1 << 60, bits=8),
        Rows("s", "bf16", ("N",), 0),
        Rows("s", "bf16", (-4,), 4),
        Rows("s", "bf16", ("N",), 1 << 40),
        Bytes("s", 0),
        Bytes("s", 1 << 60),
        Bytes("s", 64, base=-1),
    ],
)
def test_impossible_state_is_refused(hard: SimpleNamespace, state: Any) -> None:
    assert hard.codes(hard.make, state=(*hard.isa.state, state)) == ["KC0108"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"state": (Bytes("s", "SIZE"),)}, "KC0105"),
        ({"state": (RegFile("x", 4, 8), RegFile("x", 4, 8))}, "KC0104"),
        ({"state": (RegFile("pc", 4, 8),)}, "KC0104"),
        ({"state": (RegFile("N", 4, 8),)}, "KC0104"),
        ({"state": (RegFile("rsum", 4, 8),)}, "KC0104"),
        ({"state": (RegFile("lambda", 4, 8),)}, "KC0104"),
        ({"state": (RegFile("a b", 4, 8),)}, "KC0104"),
        ({"state": (RegFile("ж", 4, 8),)}, "KC0104"),
        ({"params": {"pc": 1}}, "KC0104"),
        ({"params": {"a-b": 1}}, "KC0104"),
        ({"kinds": (Imm("k", 4), Imm("k", 5))}, "KC0104"),
        ({"primitives": (pure("p", (), "int", int), pure("p", (), "int", int))}, "KC0104"),
        ({"primitives": (pure("load", (), "int", int),)}, "KC0104"),
    ],
)
def test_name_or_size_without_meaning_is_refused(hard: SimpleNamespace, changes: dict[str, Any], code: str) -> None:
    parts: dict[str, Any] = {"instrs": (), "state": (), "kinds": (), "params": {"N": 8}} | changes
    if "primitives" not in changes:
        parts["primitives"] = (pure("rsum", ("array",), "f32", sum),)
    assert hard.codes(hard.make, **parts)[0] == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"syntax": ""}, "KC0101"),
        ({"syntax": "1ADD rd:x"}, "KC0101"),
        ({"syntax": "ADD rd:x; rs1:x"}, "KC0101"),
        ({"syntax": "ADD rd"}, "KC0101"),
        ({"syntax": "ÄDD rd:x, rs1:x"}, "KC0101"),
        ({"syntax": "ADD rd:x, rs1:x" + " " * 1000}, "KC0101"),
        ({"syntax": "ADD " + ", ".join(f"r{i}:x" for i in range(5000))}, "KC0101"),
        ({"syntax": "T rd:y, rs1:x"}, "KC0102"),
        ({"syntax": "T rd:x, rd:x"}, "KC0103"),
        ({"syntax": "T rd:x=9, rs1:x=1"}, "KC0103"),
        ({"syntax": "T rd:x=1, rs1:x"}, "KC0103"),
        ({"syntax": "T rd:x=" + "9" * 400}, "KC0103"),
        ({"syntax": "T rd:x, rs1:x, o:w8=2"}, "KC0103"),
        ({"syntax": "T rd:x, rs1:zero"}, "KC0103"),
        ({"syntax": "T rd:x, _:x"}, "KC0103"),
        ({"syntax": "T pc:x, rs1:x"}, "KC0103"),
        ({"syntax": "T status:x, rs1:x"}, "KC0103"),
        ({"syntax": "T N:x, rs1:x"}, "KC0103"),
        ({"syntax": "T load:x, rs1:x"}, "KC0103"),
        ({"syntax": "T if:x, rs1:x"}, "KC0103"),
        ({"also": ("T rd:x",)}, "KC0103"),
        ({"also": ("T rd:x, rs1:x, rs2:x",)}, "KC0103"),
        ({"also": ("T rd:x, rs1:g",)}, "KC0103"),
        ({"category": "aluu"}, "KC0107"),
        ({"delay": -1}, "KC0107"),
        ({"delay": 10**9}, "KC0107"),
        ({"encoding": "0{16}"}, "KC0112"),
        ({"latency": "-1"}, "KC0130"),
        ({"interval": "nothing"}, "KC0124"),
        ({"name": "ADD"}, "KC0104"),
    ],
)
def test_wrong_instruction_gives_its_code(hard: SimpleNamespace, changes: dict[str, Any], code: str) -> None:
    assert hard.codes(lambda: hard.make(hard.instr(**changes)))[0] == code


def test_findings_of_several_instructions_are_collected(hard: SimpleNamespace) -> None:
    wrong = [hard.instr(f"W{i} rd:x, rs1:x", category="none") for i in range(3)]
    assert hard.codes(hard.make, *wrong) == ["KC0107"] * 3


def test_usage_shows_ranges_and_optional_operands(hard: SimpleNamespace) -> None:
    form = parse_form("T rd:x, off:w8(rs1:g), mode:flag=0", {k.name: k for k in hard.isa.kinds}, "T")
    assert form.usage() == "T rd:x0-x7, off:0..100(rs1:g0-g5)[, mode:0..1]"


# --- what is read off the semantics --------------------------------------------------------------------------------


def test_roles_and_touched_state_are_read_off_the_semantics(hard: SimpleNamespace) -> None:
    load = hard.isa["LDW"]
    assert load.roles == {"rd": "destination", "off": "immediate", "rs1": "source"}
    assert load.touches == {"x": "rw", "ram": "r"}
    assert hard.isa["BEQ"].jumps
    assert not load.jumps


# --- immutable, with a digest --------------------------------------------------------------------------------------


def test_isa_cannot_be_changed(hard: SimpleNamespace) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        hard.isa.name = "other"
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        hard.isa["ADD"].record.latency = "0"


def test_isa_keeps_its_own_copy_of_what_it_was_built_from(hard: SimpleNamespace) -> None:
    params = {"N": 8, "COST": 4}
    isa = hard.make(params=params)
    params["N"] = 99
    assert isa.params["N"] == 8


def test_digest_is_stable_and_depends_on_what_gives_meaning(hard: SimpleNamespace) -> None:
    base = hard.make()
    assert base.digest == hard.make().digest == hard.make().digest
    assert len(base.digest) == 64
    documented = [attrs.evolve(i, doc="words", source="a", note="b", examples=("c",)) for i in base.instrs]
    assert hard.make(instrs=documented).digest == base.digest
    assert base.with_params({"N": 16}).digest == base.digest
    for changes in ({"latency": "2"}, {"semantics": "x[rd] = imm + 1"}, {"unit": "other"}, {"delay": 1}):
        changed = [attrs.evolve(i, **changes) if i.syntax.startswith("MOVS") else i for i in base.instrs]
        assert hard.make(instrs=changed).digest != base.digest


def test_digest_does_not_depend_on_the_process() -> None:
    from kernelcraft_core.isa import Instr, Isa

    isa = Isa("tiny", (), (), (Instr("NOP", "0{8}", "", "alu", "alu"),))
    assert isa.digest == Isa("tiny", [], [], [Instr("NOP", "0{8}", "", "alu", "alu")]).digest
    assert isa.canonical() == copy.deepcopy(isa.canonical())


def test_latency_means_the_same_as_number_and_as_text(hard: SimpleNamespace) -> None:
    assert hard.make(hard.instr(latency=3)).digest == hard.make(hard.instr(latency="3")).digest


# --- extensions ----------------------------------------------------------------------------------------------------


def test_extension_makes_a_new_isa_and_leaves_the_old(hard: SimpleNamespace) -> None:
    before = hard.isa.digest
    extended = hard.isa.extended(extension(hard, hard.instr(**FMA)))
    assert "FMA" in extended
    assert "FMA" not in hard.isa
    assert hard.isa.digest == before != extended.digest
    assert extended["FMA"].extension == "Xmore"
    assert extended["ADD"].extension == ""


def test_extension_brings_kinds_state_params_and_pseudos(hard: SimpleNamespace) -> None:
    more = extension(
        hard,
        hard.instr("SETQ rd:q, i:u2", "q[rd] = i + BIAS", encoding="-{7} i rd 0101"),
        kinds=(Reg("q", bits=3, prefix="q"), Imm("u2", bits=2)),
        state=(RegFile("q", count=8, bits=16),),
        params={"BIAS": 7},
        pseudos=(Pseudo("CLRQ rd:q", ("SETQ {rd}, 0",)),),
    )
    isa = hard.isa.extended(more)
    assert isa.params["BIAS"] == 7
    assert isa.pseudo("CLRQ")
    assert "CLRQ" in isa.mnemonics


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"extends": "other"}, "KC0140"),
        ({"requires": ("Xbefore",)}, "KC0140"),
        ({"params": {"N": 3}}, "KC0141"),
        ({"params": {"rd": 3}}, "KC0141"),
        ({"state": (RegFile("rs1", 2, 8),)}, "KC0141"),
        ({"kinds": (Imm("s12", bits=3),)}, "KC0141"),
        ({"state": (RegFile("x", 2, 8),)}, "KC0141"),
        ({"state": (RegFile("q", 2, 8), RegFile("q", 2, 8))}, "KC0141"),
        ({"pseudos": (Pseudo("ADD rd:x", ("NOP16",)),)}, "KC0141"),
        ({"pseudos": (Pseudo("MV rd:x", ("NOP16",)),)}, "KC0141"),
    ],
)
def test_extension_that_does_not_fit_is_refused(hard: SimpleNamespace, changes: dict[str, Any], code: str) -> None:
    assert hard.codes(hard.isa.extended, extension(hard, **changes)) == [code]


def test_extension_is_applied_once(hard: SimpleNamespace) -> None:
    once = extension(hard)
    assert hard.codes(hard.isa.extended, once, once) == ["KC0140"]


def test_extension_with_the_name_of_a_base_instruction_is_refused(hard: SimpleNamespace) -> None:
    again = hard.instr("ADD rd:x, rs1:x", encoding=FMA["encoding"])
    assert hard.codes(hard.isa.extended, extension(hard, again)) == ["KC0104"]


def test_instruction_with_the_name_of_a_base_pseudo_is_refused(hard: SimpleNamespace) -> None:
    assert hard.codes(hard.isa.extended, extension(hard, hard.instr("MV rd:x, rs1:x"))) == ["KC0141"]
    other = hard.instr(also=("MV rd:x, rs1:x",))
    assert hard.codes(hard.isa.extended, extension(hard, other)) == ["KC0141"]


def test_extension_that_overlaps_is_refused_and_names_both(hard: SimpleNamespace) -> None:
    clash = hard.instr("CLASH", "", encoding="0{12} 0011")
    with pytest.raises(IsaError, match=r"NOP16 and CLASH") as caught:
        hard.isa.extended(extension(hard, clash))
    assert caught.value.code == "KC0114"


def test_replaced_instruction_is_gone_and_its_encoding_may_be_used(hard: SimpleNamespace) -> None:
    new = hard.instr("NOPX", "status = 1", encoding="0{12} 0011", replaces="NOP16")
    isa = hard.isa.extended(extension(hard, new))
    assert "NOP16" not in isa
    assert isa.decode(3).definition.name == "NOPX"


@pytest.mark.parametrize("name", ["NOTHING", "FMA", ""])
def test_replacing_what_is_not_there_is_refused(hard: SimpleNamespace, name: str) -> None:
    new = hard.instr(**FMA, replaces=name)
    assert hard.codes(hard.isa.extended, extension(hard, new)) == ["KC0142"]


def test_replacing_one_instruction_twice_is_refused(hard: SimpleNamespace) -> None:
    one = hard.instr("A", "", encoding="0{12} 0011", replaces="NOP16")
    two = hard.instr("B", "", encoding="0{11} 1 0011", replaces="NOP16")
    assert hard.codes(hard.isa.extended, extension(hard, one, two)) == ["KC0142"]


def test_extensions_of_extensions_apply_in_order(hard: SimpleNamespace) -> None:
    first = extension(hard, hard.instr(**FMA), name="Xfirst")
    second = extension(
        hard, hard.instr(**{**FMA, "syntax": "FMB rd:x, rs1:x"}, replaces="FMA"), name="Xsecond", requires=("Xfirst",)
    )
    isa = hard.isa.extended(first, second)
    assert "FMB" in isa
    assert "FMA" not in isa
    assert [e.name for e in isa.extensions] == ["Xfirst", "Xsecond"]
    assert hard.codes(hard.isa.extended, second, first) == ["KC0140"]


def test_wrong_pseudo_is_refused(hard: SimpleNamespace) -> None:
    assert hard.codes(hard.make, pseudos=(Pseudo("P rd:nothing", ("NOP16",)),)) == ["KC0102"]
