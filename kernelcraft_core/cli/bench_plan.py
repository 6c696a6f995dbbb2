"""`kc bench --dry-run`: what would be run, and what it would take at most."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kernelcraft_core.cli import output

if TYPE_CHECKING:
    from kernelcraft_core.agent.estimate import Estimate
    from kernelcraft_core.bench import Cell, Plan
    from kernelcraft_core.results import RunFolder
    from kernelcraft_core.tasks.catalogue import Catalogue

PLAN = "kc.bench_plan/1"


def dry_run(plan: Plan, catalogue: Catalogue, folder: RunFolder, as_json: bool) -> None:
    """Print what a run would do to finish a run folder, and take at most; no model is asked."""
    from kernelcraft_core.agent.estimate import estimates

    cells = [cell for cell in plan.cells if not folder.scored(cell.id)]
    evaluator = plan.settings.evaluator(catalogue, folder.path)
    found = {cell.id: made for cell, made in estimates(cells, evaluator)}
    totals = _totals(list(found.values()))
    limit = plan.settings.agent.get("limits", {}).get("price") if plan.settings.agent else None
    if as_json:
        entries = [
            {**_cell(cell), "estimate": found[cell.id].as_dict() if cell.id in found else None} for cell in cells
        ]
        output.emit(PLAN, {"ok": True, "cells": entries, "totals": totals, "run_max_price": limit})
        return
    rows = [(*_names(cell), *_row(found.get(cell.id))) for cell in cells]
    header = ("TARGET", "TASK", "SUBJECT", "REPEAT", "PROMPT", "TURNS", "READ <=", "WRITTEN <=", "USD <=")
    click.echo(output.table(rows, header if found else header[:4]))
    if found:
        click.echo(
            f"\n{len(cells)} episodes; upper estimate {totals['input_tokens']:,} tokens read, "
            f"{totals['output_tokens']:,} written, {_price(totals['known_price_usd'])}"
            + (f" and {totals['unpriced']} episodes of unknown price" if totals["unpriced"] else "")
            + ("" if limit is None else f"; the run ends at {_price(limit)}")
            + "\nTokens are estimates: every turn is used, and no cache is counted on."
        )


def _cell(cell: Cell) -> dict[str, Any]:
    entry = {"id": cell.id, "target": cell.target, "task": cell.task, "config": cell.config}
    return {**entry, "subject": dict(cell.subject), "repeat": cell.repeat}


def _names(cell: Cell) -> tuple[str, ...]:
    settings = cell.subject.get("settings") or {}
    more = ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in settings.items()
    )
    name = str(cell.subject.get("model", cell.kind))
    return cell.target, f"{cell.task}/{cell.config}", f"{name} ({more})" if more else name, str(cell.repeat)


def _row(made: Estimate | None) -> tuple[str, ...]:
    from kernelcraft_core.agent.tokens import shown

    if made is None:
        return ()
    read, written = f"{made.input_tokens:,}", f"{made.output_tokens:,}"
    price = "unknown" if made.price_usd is None else f"{made.price_usd:.2f}"
    return shown(made.prompt), str(made.iterations), read, written, price


def _totals(found: Sequence[Estimate]) -> dict[str, Any]:
    prices = [made.price_usd for made in found]
    known = [price for price in prices if price is not None]
    return {
        "episodes": len(found),
        "input_tokens": sum(made.input_tokens for made in found),
        "output_tokens": sum(made.output_tokens for made in found),
        "price_usd": sum(known) if len(known) == len(prices) else None,
        "known_price_usd": sum(known),
        "unpriced": len(prices) - len(known),
    }


def _price(value: float) -> str:
    return f"{value:,.2f} USD"
