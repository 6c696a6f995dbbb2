"""Free encoding space: what it calls free can be used, what it calls taken cannot."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest

from kc_toy.isa import ISA as TOY
from kernelcraft_core.diagnostics import IsaError
from kernelcraft_core.isa import Instr, Isa, Reg, RegFile
from kernelcraft_core.isa.space import Space, bit_ranges, free_encodings

ANYTHING = {"semantics": "", "category": "alu", "unit": "alu"}


def walk(space: Space) -> list[Space]:
    """Return the space and everything below it."""
    return [space, *(inner for below in space.below.values() for inner in walk(below))]


def test_opcode_field_of_the_toy_isa_is_found() -> None:
    (space,) = free_encodings(TOY)
    assert (space.width, space.ranges) == (32, ((3, 0),))
    assert space.free == (0, 9, 10, 11, 12, 13, 14)
    assert space.taken[1] == ("add", "sub", "xor", "mul")
    assert space.below[1].ranges == ((7, 4),)
    assert space.below[1].free == tuple(range(4, 16))


def test_free_values_compose_and_taken_ones_clash(hard: SimpleNamespace) -> None:
    for isa, name in ((TOY, "toy"), (hard.isa, "hard")):
        for space in (inner for top in free_encodings(isa) for inner in walk(top)):
            assert len(space.free) + len(space.taken) == space.total
            for value in range(space.total):
                instr = Instr("PROBE", space.encoding(value), **ANYTHING)
                if value in space.free:
                    assert "PROBE" in extended(isa, name, instr)
                else:
                    with pytest.raises(IsaError, match="overlap"):
                        extended(isa, name, instr)


def extended(isa: Isa, name: str, instr: Instr) -> Isa:
    """Return the ISA with one more instruction."""
    from kernelcraft_core.isa import Extension

    return isa.extended(Extension("Xprobe", name, instrs=(instr,)))


def test_each_word_length_has_its_space(hard: SimpleNamespace) -> None:
    assert [space.width for space in free_encodings(hard.isa)] == [16, 32]


def test_value_taken_by_the_start_of_another_length_has_no_names(hard: SimpleNamespace) -> None:
    long = free_encodings(hard.isa)[1]
    assert long.taken[0b0001] == ()
    assert "another length" in long.text()


def test_field_may_be_chosen() -> None:
    (space,) = free_encodings(TOY, mask=0x7)
    assert space.ranges == ((2, 0),)
    assert space.total == 8


def test_isa_without_operands_is_cut_to_what_tells_instructions_apart() -> None:
    instrs = [Instr(f"I{i}", f"{i * 3 << 20:032b}", **ANYTHING) for i in range(50)]
    start = time.perf_counter()
    (space,) = free_encodings(Isa("fixed", (), (), instrs))
    assert time.perf_counter() - start < 60  # a guard against hangs, not a measurement
    assert space.mask.bit_count() == 12
    assert sorted(name for names in space.taken.values() for name in names) == sorted(f"I{i}" for i in range(50))


def test_isa_that_fixes_no_common_bit_has_no_space_to_list() -> None:
    kinds = (Reg("r", 7, "r", count=100),)
    isa = Isa(
        "odd", kinds, (RegFile("q", 1, 8),), [Instr("A a:r", "a 0", **ANYTHING), Instr("B a:r", "1 a", **ANYTHING)][:1]
    )
    assert free_encodings(isa)[0].total == 2
    assert free_encodings(Isa("none", (), (), ())) == ()


def test_space_is_plain_data_for_json(hard: SimpleNamespace) -> None:
    for space in free_encodings(hard.isa):
        entry = space.as_dict()
        assert json.loads(json.dumps(entry)) == entry
        assert space.text()


@pytest.mark.parametrize(
    ("mask", "split", "expected"),
    [(0, 0, ()), (0b1011, 0, ((3, 3), (1, 0))), (0xFF, 0x0F, ((7, 4), (3, 0))), (1, 1, ((0, 0),))],
)
def test_bit_ranges(mask: int, split: int, expected: tuple[tuple[int, int], ...]) -> None:
    assert bit_ranges(mask, split) == expected
