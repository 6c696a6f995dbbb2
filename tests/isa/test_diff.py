"""Differences between instruction sets: nothing is replaced or changed unseen."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import attrs

from kernelcraft_core.isa import Extension, Imm, Pseudo, RegFile, Words, pure
from kernelcraft_core.isa.diff import diff


def changed(hard: SimpleNamespace, name: str, **changes: Any) -> Any:
    """Return the ISA with some fields of one instruction changed."""
    instrs = [attrs.evolve(i, **changes) if i.syntax.split()[0] == name else i for i in hard.isa.instrs]
    return hard.make(instrs=instrs, pseudos=hard.isa.pseudos)


def test_equal_isas_have_no_differences(hard: SimpleNamespace) -> None:
    found = diff(hard.isa, hard.make(pseudos=hard.isa.pseudos))
    assert not found
    assert found.text().endswith("no differences")


def test_added_and_removed_are_each_others_mirror(hard: SimpleNamespace) -> None:
    more = hard.make(
        hard.instr(),
        kinds=(*hard.isa.kinds, Imm("k9", 9)),
        state=(*hard.isa.state, Words("w2", 4, bits=8)),
        params={"N": 8, "COST": 4, "P": 1},
        primitives=(*hard.isa.primitives, pure("twice", ("int",), "int", int)),
        pseudos=(*hard.isa.pseudos, Pseudo("P2", ("NOP16",))),
    )
    there, back = diff(hard.isa, more), diff(more, hard.isa)
    assert [(c.what, c.name) for c in there.of("added")] == [(c.what, c.name) for c in back.of("removed")]
    names = {"T", "k9", "w2", "P", "twice", "P2"}
    assert {c.name for c in there.of("added")} == names
    assert all(c.action == "added" for c in there.changes)


def test_changed_field_is_shown_with_both_values(hard: SimpleNamespace) -> None:
    found = diff(hard.isa, changed(hard, "ADD", latency="2"))
    (change,) = found.changes
    assert (change.what, change.name, change.action) == ("instruction", "ADD", "changed")
    assert change.fields == {"latency": ("1", "2")}
    assert not change.only_documentation
    assert "~ instruction ADD" in found.text()


def test_change_of_documentation_is_called_that(hard: SimpleNamespace) -> None:
    found = diff(hard.isa, changed(hard, "ADD", doc="new words"))
    assert found.changes[0].only_documentation
    assert found.a_digest == found.b_digest
    assert "(documentation only)" in found.text()


def test_changed_kind_state_and_parameter_are_shown(hard: SimpleNamespace) -> None:
    kinds = [attrs.evolve(k, max=19) if k.name == "u5" else k for k in hard.isa.kinds]
    state = [attrs.evolve(s, size=8192) if s.name == "ram" else s for s in hard.isa.state]
    other = hard.make(kinds=kinds, state=state, params={"N": 16, "COST": 4}, pseudos=hard.isa.pseudos)
    found = diff(hard.isa, other)
    assert [(c.what, c.name, dict(c.fields)) for c in found.changes] == [
        ("parameter", "N", {"value": (8, 16)}),
        ("operand kind", "u5", {"max": (20, 19)}),
        ("state", "ram", {"size": (4096, 8192)}),
    ]


def test_kind_of_another_class_is_a_change_of_type(hard: SimpleNamespace) -> None:
    state = [RegFile("words", 8, 16) if s.name == "words" else s for s in hard.isa.state]
    found = diff(hard.isa, hard.make(state=state, pseudos=hard.isa.pseudos))
    assert found.changes[0].fields == {"type": ("Words", "RegFile")}


def test_replaced_instruction_is_named_even_under_the_same_name(hard: SimpleNamespace) -> None:
    for name in ("NOPX", "NOP16"):
        new = hard.instr(name, "status = 1", encoding="0{12} 0011", replaces="NOP16")
        found = diff(hard.isa, hard.isa.extended(Extension("Xn", "hard", instrs=(new,))))
        (change,) = found.of("replaced")
        assert (change.name, change.replaces) == (name, "NOP16")
        assert "semantics" in change.fields
        assert not found.of("removed")
        assert f"! instruction {name} replaces NOP16" in found.text()


def test_settings_of_the_isa_are_compared(hard: SimpleNamespace) -> None:
    found = diff(hard.isa, hard.make(ends="halt", pc_unit=2, pseudos=hard.isa.pseudos))
    assert found.changes[0].fields == {"pc_unit": (1, 2), "ends": ("trap", "halt")}


def test_pseudos_of_one_mnemonic_are_told_apart(hard: SimpleNamespace) -> None:
    two = (Pseudo("P rd:x", ("NOP16",), "rd > 1"), Pseudo("P rd:x", ("NOP16",)))
    one = hard.make(pseudos=two)
    other = hard.make(pseudos=(two[0], attrs.evolve(two[1], expansion=("NOP16", "NOP16"))))
    (change,) = diff(one, other).changes
    assert change.name == "P (2)"


def test_json_is_plain_and_has_a_schema(hard: SimpleNamespace) -> None:
    entry = diff(hard.isa, changed(hard, "ADD", latency="2", examples=("ADD x1, x2, x3",))).as_dict()
    assert json.loads(json.dumps(entry)) == entry
    assert entry["schema"] == "kc.isa-diff/1"
    assert entry["a"]["digest"] != entry["b"]["digest"]
