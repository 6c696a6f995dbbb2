"""The tools as models see them: names, descriptions and JSON schemas in the form of the OpenAI chat interface.

The same records say how arguments are checked, so that what is promised and what is accepted cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_SOURCE = 1 << 20
"""Largest kernel, in bytes of UTF-8."""
MAX_QUERY = 500
"""Longest query, in characters."""
VIEWS = ("statistics", "got", "expected", "difference")


def _tool(
    name: str, description: str, required: tuple[str, ...] = (), **properties: Mapping[str, Any]
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {key: dict(value) for key, value in properties.items()},
        "required": list(required),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


_RANGE = "`first:end` (end not included, counted from 0, as in `0:8`) or one number; the first 16 by default"

TOOLS: tuple[dict[str, Any], ...] = (
    _tool(
        "write_code",
        "Replace the kernel by the given assembly text. The whole program is stored, not a patch; it is neither assembled "
        "nor run: check_syntax and run_evaluation do that.",
        ("assembly_code",),
        assembly_code={
            "type": "string",
            "maxLength": MAX_SOURCE,
            "description": "The complete program in the target's assembly language, without Markdown fences.",
        },
    ),
    _tool(
        "check_syntax",
        "Assemble the kernel without running it. Answers with the number of instructions, or with up to 20 errors, each "
        "with line, column, code and hint.",
    ),
    _tool(
        "run_evaluation",
        "Assemble and simulate the kernel on the development inputs and compare its results with the expected ones. "
        "Answers with the status, the share of right elements, first and worst wrong elements, traps with their line, and "
        "the cycles. The fastest kernel that was right is kept; the final score uses other inputs.",
    ),
    _tool(
        "view_output",
        "Look at the results of the last evaluated kernel on the development inputs: statistics by row, or a window of "
        "values.",
        output={"type": "string", "maxLength": 200, "description": "Name of the result; the first one by default."},
        rows={"type": "string", "maxLength": 50, "description": f"Rows to show: {_RANGE}."},
        columns={"type": "string", "maxLength": 50, "description": f"Columns to show: {_RANGE}."},
        what={
            "type": "string",
            "enum": list(VIEWS),
            "description": "`statistics` (default): minimum, maximum, zeros and wrong elements by row. `got`, `expected`, "
            "`difference` (got - expected): values.",
        },
    ),
    _tool(
        "get_instruction_size",
        "Count the instructions and bytes of the kernel by category, and what was executed in the last evaluation.",
    ),
    _tool(
        "grep_docs",
        "Search the documents of the target: every instruction, the machine, memory layout, guidance, and the layout of "
        "this task's inputs and results. Plain words, no patterns.",
        ("query",),
        query={"type": "string", "maxLength": MAX_QUERY, "description": "Words, such as `V_ADD_VV` or `row sum`."},
    ),
    _tool(
        "profile_kernel",
        "Show where the cycles of the last evaluated kernel went: hottest lines, units, categories, and reads of memory "
        "that nothing had defined.",
    ),
)
"""The tools, in the order in which an agent meets them."""

NAMES: tuple[str, ...] = tuple(tool["function"]["name"] for tool in TOOLS)
PARAMETERS: Mapping[str, Mapping[str, Any]] = {t["function"]["name"]: t["function"]["parameters"] for t in TOOLS}
