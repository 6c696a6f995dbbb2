"""The reference interpreter itself: quirks, traps and refused uses that the measured programs do not show.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), behaviour measured on the generated RTL; RVV 1.0.
"""

from __future__ import annotations

from typing import Any

import pytest
from coral_reference.errors import Rejected, Trap
from coral_reference.machine import Machine

MPAUSE = 0x0800_0073
A0 = 10


def vset(avl: int, vtype: int) -> int:
    """Return vsetivli x0, avl, vtype."""
    return 0xC000_7057 | vtype << 20 | avl << 15


def opv(funct6: int, funct3: int, vd: int, vs2: int, vs1: int, vm: int = 1) -> int:
    return funct6 << 26 | vm << 25 | vs2 << 20 | vs1 << 15 | funct3 << 12 | vd << 7 | 0x57


def load(vd: int, *, nf: int = 1, mop: int = 0, vs2: int = 0, vm: int = 1, store: bool = False) -> int:
    """Return an e8 vector load or store at (a0)."""
    return (nf - 1) << 29 | mop << 26 | vm << 25 | vs2 << 20 | A0 << 15 | vd << 7 | (0x27 if store else 0x07)


def run(*words: int, **start: Any) -> Machine:
    core = Machine()
    core.x[A0] = 0x10000
    for name, value in start.items():
        setattr(core, name, value)
    core.preset(0, b"".join(word.to_bytes(4, "little") for word in (*words, MPAUSE)))
    assert core.run() == "halted"
    return core


VADD = (0, 0)
E8, E16, E32, M2, M4, M8, MF4, MF2 = 0, 8, 16, 1, 2, 3, 6, 7
REFUSED = {
    "vl is 0": (vset(0, E8), opv(*VADD, 8, 1, 2)),
    "misaligned source": (vset(16, E8 | M2), opv(*VADD, 8, 3, 4)),
    "misaligned result": (vset(16, E8 | M2), opv(*VADD, 9, 4, 6)),
    "misaligned for LMUL though vl is small": (vset(4, E8 | M8), opv(*VADD, 9, 16, 16)),
    "widening at SEW 32": (vset(4, E32), opv(0b110001, 2, 8, 2, 3)),
    "widening at LMUL 8": (vset(4, E8 | M8), opv(0b110001, 2, 8, 16, 24)),
    "narrowing at SEW 32": (vset(4, E32), opv(0b101100, 3, 8, 2, 1)),
    "vwredsum at SEW 32": (vset(4, E32), opv(0b110001, 0, 8, 2, 3)),
    "vzext.vf4 to 16 bits": (vset(4, E16), opv(0b010010, 2, 8, 2, 4)),
    "wide result over the low half": (vset(4, E8), opv(0b110001, 2, 8, 8, 3)),
    "wide result over a fractional source": (vset(4, E8 | MF2), opv(0b110001, 2, 9, 9, 3)),
    "narrow result over the high half": (vset(4, E8), opv(0b101100, 3, 9, 8, 1)),
    "compare result inside a source": (vset(20, E8 | M2), opv(0b011000, 0, 9, 8, 10)),
    "vslideup over its source": (vset(4, E8), opv(0b001110, 3, 8, 8, 1)),
    "vrgather over its indices": (vset(4, E8), opv(0b001100, 0, 8, 9, 8)),
    "vcompress over its mask": (vset(4, E8), opv(0b010111, 2, 8, 9, 8)),
    "masked result in v0": (vset(4, E8), opv(*VADD, 0, 1, 2, vm=0)),
    "masked load into v0": (vset(4, E8), load(0, vm=0)),
    "segments run past v31": (vset(16, E8), load(31, nf=2)),
    "too many segment registers": (vset(31, E8 | M2), load(8, nf=5)),
    "segment with unused registers": (vset(8, E8 | M2), load(8, nf=2)),
    "segments over their indices": (vset(4, E8), load(8, nf=2, mop=1, vs2=9)),
    "element between reduced group and VLMAX": (vset(8, E8 | M2), opv(0b001111, 3, 8, 4, 10)),
    "EMUL above 8": (vset(4, E8 | M8), 0x0205_5407),  # vle16
    "vstart written": (0x0080_D073,),  # csrwi vstart, 1
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_use_that_hangs_or_surprises_is_refused(words: tuple[int, ...]) -> None:
    with pytest.raises(Rejected):
        run(*words)


ACCEPTED = {
    "wide result over the high half": (vset(4, E8), opv(0b110001, 2, 8, 9, 3)),
    "narrow result over the low half": (vset(4, E8), opv(0b101100, 3, 8, 8, 1)),
    "compare result at the start of a source": (vset(20, E8 | M2), opv(0b011000, 0, 8, 8, 10)),
    "compare result in v0 under mask": (vset(4, E8), opv(0b011000, 0, 0, 8, 10, vm=0)),
    "reduction into its source": (vset(4, E8), opv(0b000000, 2, 8, 8, 8)),
    "vslidedown over its source": (vset(16, E8), opv(0b001111, 3, 8, 8, 1)),
    "element at VLMAX": (vset(16, E8), opv(0b001111, 3, 8, 4, 16)),
    "vmv.x.s with vl 0": (vset(0, E8), opv(0b010000, 2, 5, 8, 0)),
    "whole register with vl 0": (vset(0, E8), load(8, vs2=8)),
    "masked store of v0": (vset(4, E8), load(0, vm=0, store=True)),
}


@pytest.mark.parametrize("words", ACCEPTED.values(), ids=ACCEPTED)
def test_use_that_the_rules_allow_runs(words: tuple[int, ...]) -> None:
    assert run(*words).instructions == len(words) + 1


TRAPS = {
    "vector use before any vset": ((opv(*VADD, 8, 1, 2),), 2),
    "vector use after an illegal vtype": ((vset(4, E32 | MF2), opv(*VADD, 8, 1, 2)), 2),
    "vector float": ((vset(4, E32), opv(0, 1, 8, 1, 2)), 2),
    "e64 load": ((vset(4, E32), 0x0205_7407), 2),
    "unknown CSR": ((0xC000_2573,), 2),
    "store to ITCM": ((0x0000_2023,), 7),
    "load between memories": ((0x0000_8537, 0x0005_2503), 5),
    "jump outside ITCM": ((0x0001_0537, 0x0005_0067), 1),
    "misaligned jump": ((0x0020_0067,), 0),
    "ecall": ((0x0000_0073,), 11),
}


@pytest.mark.parametrize(("words", "cause"), TRAPS.values(), ids=TRAPS)
def test_trap_has_the_measured_cause(words: tuple[int, ...], cause: int) -> None:
    with pytest.raises(Trap) as caught:
        run(*words)
    assert caught.value.cause == cause


@pytest.mark.parametrize(
    ("vtype", "avl", "vl"),
    [(E8, 31, 16), (E8 | M2, 31, 31), (E16, 31, 8), (E8 | MF4, 31, 4), (E32, 31, 4), (E16 | MF4, 4, 0), (E8 | 5, 4, 0)],
)
def test_vl_is_the_smaller_of_avl_and_vlmax_and_0_for_an_illegal_vtype(vtype: int, avl: int, vl: int) -> None:
    core = run(vset(avl, vtype))
    assert core.vl == vl
    assert core.vtype >> 31 == (vl == 0)


def test_read_of_vl_gives_0_at_128_but_vsetvli_the_number() -> None:
    core = run(0x0030_72D7, 0xC200_2373)  # vsetvli t0, zero, e8, m8; csrr t1, vl
    assert (core.x[5], core.x[6]) == (128, 0)


def test_move_to_scalar_zero_extends() -> None:
    core = run(vset(4, E8), opv(0b010111, 3, 8, 0, 31), opv(0b010000, 2, 5, 8, 0))  # vmv.v.i v8, -1; vmv.x.s t0, v8
    assert core.x[5] == 0xFF


def test_tail_keeps_its_old_value_whatever_the_policy() -> None:
    core = run(vset(16, E8 | 0xC0), opv(0b010111, 3, 8, 0, 1), vset(4, E8 | 0xC0), opv(0b010111, 3, 8, 0, 2))
    assert list(core.v[8 * 16 : 9 * 16]) == [2] * 4 + [1] * 12


def test_misa_is_fixed_and_cycle_is_four_after_dispatch() -> None:
    core = run(0x3010_2573, 0xB000_25F3, observe=lambda event: 7)
    assert core.x[10:12] == [0x4020_1120, 11]
