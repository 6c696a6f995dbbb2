"""Address spaces: several memories at their bases, with access rights; what cannot be reached, and how it is reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from kernelcraft_core.diagnostics import IsaError, MachineError
from kernelcraft_core.isa import Bytes, Fault, Imm, Instr, Isa, Program, Reg, RegFile, Region, Section, Space, Trap
from kernelcraft_core.sim import Machine, Simulator
from kernelcraft_core.sim.state import Context, Storage

FAULTS = {"load": Fault("bad load", 5), "store": Fault("bad store", 7), "store_misaligned": Fault("crooked store", 6)}


def make_isa(**changes: Any) -> Isa:
    parts: dict[str, Any] = {
        "kinds": [Reg("x", bits=3, prefix="x"), Imm("u", bits=20)],
        "state": [
            RegFile("x", bits=32, count=8),
            Space("mem", [Region("rom", "rx"), Region("ram", "rw"), Region("odd", "w")], FAULTS),
            Bytes("rom", 64, 0x100, align=False),
            Bytes("ram", 37, 0x200, align=False),
            Bytes("odd", 16, 0x301, align=False),
        ],
        "instrs": [
            Instr("ld rd:x, at:u", "0000 rd at 00000", "x[rd] = load(mem, at, 4)", "load", "m"),
            Instr("st rs:x, at:u", "0001 rs at 00000", "store(mem, at, 4, x[rs])", "store", "m"),
            Instr("sb rs:x, at:u", "0010 rs at 00000", "store(mem, at, 1, x[rs])", "store", "m"),
        ],
        "memory": "mem",
    }
    return Isa("spaces", **{**parts, **changes})


def space(*, align: bool = False, tracked: bool = False) -> SimpleNamespace:
    state = [s if not isinstance(s, Space) else Space("mem", s.regions, s.faults, align) for s in make_isa().state]
    isa = make_isa(state=state)
    storage = Storage(isa, Context(isa, Machine("m"), tracked=tracked))
    return SimpleNamespace(mem=storage["mem"], rom=storage["rom"], ram=storage["ram"], odd=storage["odd"], isa=isa)


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("length", [1, 2, 4, 8])
def test_what_is_stored_can_be_loaded_at_every_address_of_a_memory(tracked: bool, length: int) -> None:
    s = space(tracked=tracked)
    for address in range(0x200, 0x225 - length + 1):
        value = int.from_bytes(bytes(range(address & 0xFF, (address & 0xFF) + length)), "little")
        s.mem.store(address, length, value | 1 << 8 * length)
        assert s.mem.load(address, length) == value
        assert s.ram.data[address - 0x200 : address - 0x200 + length].tobytes() == value.to_bytes(length, "little")
    assert s.ram.dirty == {0}


@pytest.mark.parametrize(
    ("what", "address", "length", "text"),
    [
        ("load", 0x0, 1, "bad load at 0x0: there is no memory"),
        ("load", 0xFE, 4, "bad load at 0xfe..0x101: it leaves rom (0x100..0x13f)"),
        ("load", 0x222, 4, "bad load at 0x222..0x225: it leaves ram (0x200..0x224)"),
        ("load", -1, 1, "bad load at -0x1: there is no memory"),
        ("load", 1 << 64, 8, "bad load at 0x10000000000000000..0x10000000000000007: there is no memory"),
        ("load", 0x305, 1, "bad load at 0x305: no load from odd"),
        ("store", 0x104, 4, "bad store at 0x104..0x107: no store to rom"),
    ],
)
def test_an_access_no_region_allows_faults_with_cause_and_address(
    what: str, address: int, length: int, text: str
) -> None:
    mem = space().mem
    with pytest.raises(Trap) as caught:
        mem.load(address, length) if what == "load" else mem.store(address, length, 0)
    assert (caught.value.kind, caught.value.message) == ("out_of_bounds", text)
    assert caught.value.detail == {"cause": FAULTS[what].cause, "value": address}
    with pytest.raises(Trap):
        (mem.span if what == "load" else mem.target)(address, length)


def test_alignment_is_asked_for_where_the_space_says_so() -> None:
    mem = space(align=True).mem
    mem.store(0x202, 2, 5)
    with pytest.raises(Trap, match="crooked store at 0x203: not a multiple of 2") as caught:
        mem.store(0x203, 2, 5)
    assert caught.value.detail == {"cause": 6, "value": 0x203}
    with pytest.raises(Trap, match="load misaligned at 0x202") as caught:
        mem.load(0x202, 4)
    assert (caught.value.kind, caught.value.detail) == ("misaligned", {"value": 0x202})


@pytest.mark.parametrize("length", [0, 3, 5, 16])
def test_other_lengths_are_refused(length: int) -> None:
    mem = space().mem
    for access in (lambda: mem.load(0x200, length), lambda: mem.store(0x200, length, 1)):
        with pytest.raises(Trap) as caught:
            access()
        assert caught.value.kind == "illegal_operands"


def test_spans_and_targets_are_views_of_the_memory() -> None:
    s = space()
    s.mem.target(0x210, 4)[:] = (1, 2, 3, 4)
    assert s.mem.load(0x210, 4) == 0x04030201
    assert s.mem.span(0x211, 2).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("what", "address", "length", "given"),
    [
        ("load", 0x100, 64, True),  # all of rom, which is defined
        ("load", 0x13F, 2, False),  # it leaves rom
        ("load", 0x200, 4, False),  # nothing has defined ram
        ("store", 0x200, 4, False),
        ("store", 0x100, 4, False),  # not to rom
        ("load", 0x301, 1, False),  # not from odd
        ("store", 0x301, 16, True),
        ("load", 0x500, 1, False),
    ],
)
def test_window_is_given_where_nothing_can_go_wrong_or_must_be_reported(
    what: str, address: int, length: int, given: bool
) -> None:
    s = space(tracked=True)
    s.rom.preset(0x100, memoryview(bytes(range(64))))
    s.odd.target(0x301, 16)[...] = 1
    s.odd.dirty.clear()
    window = s.mem.window(what, address, length)
    assert (window is not None and len(window) == length) == given
    assert s.odd.dirty == ({0} if what == "store" and given else set())
    assert s.rom.context.undefined_count == 0


def test_undefined_reads_are_reported_by_the_memory() -> None:
    s = space(tracked=True)
    s.mem.put(Section(".data", 0x100, b"abcd"))
    s.mem.load(0x100, 4)
    s.mem.load(0x200, 1)
    assert [entry[:2] for entry in s.rom.context.undefined] == [("ram", 0x200)]


@pytest.mark.parametrize(
    ("decl", "text"),
    [
        (Space("mem", []), "at least one region"),
        (Space("mem", [Region("x")]), "'x' is not a byte memory"),
        (Space("mem", [Region("rom", "rq")]), "some of r, w and x"),
        (Space("mem", [Region("rom", "")]), "some of r, w and x"),
        (Space("mem", [Region("rom"), Region("rom")]), "overlap"),
        (Space("mem", [Region("rom")], {"lood": Fault("x", 1)}), "not 'lood'"),
    ],
)
def test_a_space_that_makes_no_sense_is_refused(decl: Space, text: str) -> None:
    state = [s if not isinstance(s, Space) else decl for s in make_isa().state]
    with pytest.raises(IsaError, match=text):
        make_isa(state=state)


def test_the_memory_of_an_isa_must_be_one() -> None:
    with pytest.raises(IsaError, match="no address space"):
        make_isa(memory="x")


def program(isa: Isa, words: list[int], **fields: Any) -> Program:
    addresses = range(0x100, 0x100 + 4 * len(words), 4)
    return Program(isa.name, isa.digest, words, addresses, [0] * len(words), entry=0x100, **fields)


def test_programs_are_loaded_and_run_off_their_end_into_memory() -> None:
    isa = make_isa()
    load = isa["ld"].encode({"rd": 1, "at": 0x100})
    data = isa["ld"].encode({"rd": 2, "at": 0x200})
    code = program(isa, [load, data], data=(Section(".data", 0x200, b"\x07\0\0\0", code=False),))
    for engine in ("closures", "generated"):
        result = Simulator(isa, Machine("m")).run(code, engine=engine)
        assert result.state["x"][[1, 2]].tolist() == [load, 7]
        assert result.trap is not None
        assert (result.trap.kind, result.trap.pc, result.trap.detail) == ("illegal_instruction", 0x108, {"word": 0})


def test_sections_need_a_memory() -> None:
    isa = make_isa()
    with pytest.raises(MachineError, match=r"\.data at 0x240\.\.0x240 does not lie in a memory"):
        Simulator(isa, Machine("m")).run(program(isa, [], data=(Section(".data", 0x240, b"a"),)))
    apart = make_isa(memory="")
    with pytest.raises(MachineError, match="no memory that the section"):
        Simulator(apart, Machine("m")).run(program(apart, [], data=(Section(".data", 0x200, b"a"),)))


def test_an_isa_may_load_programs_into_one_byte_memory() -> None:
    isa = make_isa(memory="rom")
    code = program(isa, [isa["ld"].encode({"rd": 1, "at": 0x100})])
    result = Simulator(isa, Machine("m")).run(code)
    assert result.state["x"][1] == code.words[0]
