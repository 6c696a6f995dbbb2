"""The generated reference: complete, deterministic, and only text whatever a record says."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest

from kc_toy.isa import ISA as TOY
from kernelcraft_core.isa import Extension, Isa, Pseudo, RegFile, cost
from kernelcraft_core.isa.docs import pages, reference
from kernelcraft_core.isa.docs_costs import CostTable
from kernelcraft_core.isa.docs_instructions import instruction_json, instruction_markdown
from kernelcraft_core.isa.semantics import Text, check_cost


def test_reference_has_a_section_and_an_index_line_for_every_instruction() -> None:
    text = reference(TOY)
    for definition in TOY:
        assert f"### {definition.name}\n" in text
        assert f"[{definition.name}](#{definition.name})" in text
        assert definition.record.semantics in text
        assert definition.record.doc.splitlines()[0][:20] in text
        for example in definition.record.examples:
            assert example in text


def test_reference_names_state_parameters_kinds_primitives_and_pseudos() -> None:
    text = reference(TOY)
    for name in (*(s.name for s in TOY.state), *TOY.params, *(k.name for k in TOY.kinds), "load", "store"):
        assert f"`{name}" in text
    assert "### li\n" in text
    assert "addi {rd}, x0, {imm}" in text


def test_reference_is_the_same_each_time() -> None:
    assert reference(TOY) == reference(TOY)
    assert pages(TOY, {"b.md": "b", "a.md": "a"}) == pages(TOY, {"a.md": "a", "b.md": "b"})


def test_encoding_table_shows_the_bits_of_split_fields(hard: SimpleNamespace) -> None:
    text = instruction_markdown(hard.isa["BEQ"])
    assert "| 31 | 30:25 | 24:23 |" in text
    assert "`off[12]`" in text
    assert "`off[10:5]`" in text


def test_section_says_roles_ranges_cost_and_what_is_touched(hard: SimpleNamespace) -> None:
    isa = hard.make(
        hard.instr(
            "T rd:x, off:w8(rs1:g)",
            encoding="off[7:2] -{9} rs1 rd 1000 -{3} 0101",
            latency="COST + 1",
            interval="COST // 2",
            delay=2,
            note="mind the gap",
            source="manual",
        )
    )
    text = instruction_markdown(isa["T"])
    assert "| `rd` | destination | x0 to x7 | 3 |  |" in text
    assert "| `off` | immediate | 0 to 100, a multiple of 4 | 8 |  |" in text
    assert "latency `COST + 1` = 5 cycles" in text
    assert "interval `COST // 2` = 2 cycles" in text
    assert "visible 2 cycles later" in text
    assert "- reads and writes `x`" in text
    assert "mind the gap" in text
    assert "Source: manual" in text


def test_cost_follows_the_parameters_of_the_machine(hard: SimpleNamespace) -> None:
    isa = hard.make(hard.instr(latency="COST")).with_params({"COST": 99})
    assert "latency `COST` = 99 cycles" in instruction_markdown(isa["T"])


def test_costs_of_overlapping_instructions_stand_in_for_the_latencies(hard: SimpleNamespace) -> None:
    isa = hard.make(hard.instr(latency="COST"))
    costs = CostTable("All overlap.", ("result",), {"quick": ("1",)}, {d.name: "quick" for d in isa})
    text = reference(isa, costs)
    assert "## Costs\n\nAll overlap.\n\n| class | result |\n| --- | --- |\n| quick | 1 |\n" in text
    assert "costs as [quick](#costs)" in text
    assert "latency" not in text
    entry = instruction_json(isa["T"], costs)
    assert (entry["latency"], entry["interval"], entry["cost"]) == (None, None, {"class": "quick", "result": "1"})


def test_pseudo_instructions_of_one_name_share_a_table() -> None:
    short = Pseudo("set rd:x", ("addi {rd}, x0, 1",), when="rd == 1", doc="Sets.")
    text = reference(TOY.extended(Extension("Xset", "toy", pseudos=(short, Pseudo("set rd:x", ("addi {rd}, x0, 2",))))))
    section = text.split("### set\n\n")[1].split("###")[0].strip().splitlines()
    assert section[0] == "Sets."
    assert [line.split(" | ")[1:] for line in section[-2:]] == [
        ["`rd == 1`", "`addi {rd}, x0, 1` |"],
        ["", "`addi {rd}, x0, 2` |"],
    ]


def test_extension_page_says_what_came_from_where(hard: SimpleNamespace) -> None:
    new = hard.instr("NOPX", "status = 1", encoding="0{12} 0011", replaces="NOP16")
    extension = Extension(
        "Xnop", "hard", (), {"Q": 1}, (), (RegFile("q", 2, 8),), (new,), (Pseudo("N2", ("NOPX",)),), "Better."
    )
    text = reference(hard.isa.extended(extension))
    assert "### Extension Xnop" in text
    assert "- replaces `NOP16` by [NOPX](#nopx)" in text
    assert "- adds the state `q`" in text
    assert "- adds the parameter `Q`" in text
    assert "- adds the pseudo-instruction `N2`" in text
    assert "Part of the extension **Xnop**; it replaces `NOP16` of the base." in text


@pytest.mark.parametrize(
    "doc", ["# Heading", "<script>alert(1)</script>", "a | b", "- item\n- item", "1. one", "```\ncode", "&lt;"]
)
def test_text_of_a_record_stays_text(hard: SimpleNamespace, doc: str) -> None:
    text = reference(hard.make(hard.instr(doc=doc, note=doc, source=doc)))
    section = text.split("### T\n")[1].split("## Pseudo")[0]
    assert "<script>" not in text
    outside = re.sub(r"```text\n.*?\n```", "", section, flags=re.DOTALL)
    assert not re.search(r"^(# |- item|1\. |```)", outside, re.MULTILINE)
    index = next(line for line in text.splitlines() if line.startswith("| [T](#t)"))
    assert len(re.findall(r"(?<!\\)\|", index)) == 6


def test_fence_is_longer_than_what_it_holds(hard: SimpleNamespace) -> None:
    text = instruction_markdown(hard.make(hard.instr(examples=("T x1, x2 ; ```",)))["T"])
    assert "````text\nT x1, x2 ; ```\n````" in text


def test_pages_keep_the_targets_own_documents() -> None:
    files = pages(TOY, {"memory.md": "# Memory\n\nSmall.", "isa.md": "mine"})
    assert list(files)[:2] == ["index.md", "isa.md"]
    assert "[Memory](memory.md)" in files["index.md"]
    assert files["target-isa.md"] == "mine\n"


def test_instruction_json_is_plain_and_complete(hard: SimpleNamespace) -> None:
    entry = instruction_json(hard.isa["BEQ"])
    assert json.loads(json.dumps(entry)) == entry
    assert entry["encoding"]["width"] == 32
    assert sum(f["high"] - f["low"] + 1 for f in entry["encoding"]["fields"]) == 32
    assert [o["name"] for o in entry["operands"]] == ["rs1", "rs2", "off"]
    assert entry["operands"][2]["relative"]
    assert entry["jumps"]
    assert entry["latency"] == {"text": "1", "low": 1, "high": 1}


def test_empty_isa_has_a_reference() -> None:
    assert reference(Isa("none", (), (), ())).startswith("# none instruction set")


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("COST", 4, 4),
        ("COST // 3 + 2 * COST % 3", 3, 3),
        ("COST if COST > 3 else 9", 4, 4),
        ("max(COST, 7)", 7, 7),
        ("abs(-COST)", 4, 4),
        ("1 if not COST or COST == 4 and 1 else 2", 1, 1),
        ("zext(300, 8)", 44, 44),
        ("max(0, 0 - sext(255, 8))", 1, 1),
        ("(~COST & 7 | 8) ^ 1", 10, 10),
        ("1 << COST >> 1", 8, 8),
        ("imm + COST", 4, 35),
        ("COST if imm else 0", 0, 4),
        ("x[0]", 0, (1 << 32) - 1),
    ],
)
def test_bounds_of_a_cost(hard: SimpleNamespace, text: str, low: int, high: int) -> None:
    from kernelcraft_core.isa import Imm

    expr = check_cost(Text(text, "T"), hard.isa.scope, {"imm": Imm("u5", bits=5)})
    assert cost.bounds(expr) == (low, high)
