"""Answers of tools as plain data and as the compact text that a model sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kernelcraft_core.agent.episode import Episode
from kernelcraft_core.agent.trial import Trial
from kernelcraft_core.agent.window import coordinates, first_wrong, number, pattern
from kernelcraft_core.diagnostics import Diagnostic, printable
from kernelcraft_core.evaluation import Mismatch
from kernelcraft_core.facade import Target
from kernelcraft_core.isa import Program
from kernelcraft_core.tasks import Workload

MAX_FINDINGS = 20
HOTTEST = 10
SHOWN_WARNINGS = 3


# --- write_code and check_syntax --------------------------------------------------------------------------------------


def code_notes(code: str) -> list[str]:
    """Return remarks on text that is hardly a program as it stands."""
    notes = []
    lines = code.splitlines()
    fenced = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith("```")]
    if fenced:
        notes.append(f"note: line {fenced[0]} is a Markdown fence, which is no assembly; send the program only")
    if not code.strip():
        notes.append("note: the program is empty")
    elif len(lines) == 1 and "\\n" in code:
        notes.append("note: the text holds the two characters \\n where line breaks are probably meant")
    return notes


def finding(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a finding as plain data."""
    entry: dict[str, Any] = {"code": diagnostic.code, "severity": diagnostic.severity, "message": diagnostic.message}
    if diagnostic.span is not None:
        entry |= {"line": diagnostic.span.line, "column": diagnostic.span.column}
        if diagnostic.span.text is not None:
            entry["source"] = printable(diagnostic.span.text.strip(), 120)
    if diagnostic.hint:
        entry["hint"] = diagnostic.hint
    if diagnostic.notes:
        entry["notes"] = [printable(note, 300) for note in diagnostic.notes[:2]]
    return entry


def _finding_lines(entry: Mapping[str, Any]) -> list[str]:
    where = f"line {entry['line']}, column {entry['column']}: " if "line" in entry else ""
    out = [f"{where}{entry['code']} {entry['severity']}: {entry['message']}"]
    if entry.get("source"):
        out.append(f"    {entry['source']}")
    if entry.get("hint"):
        out.append(f"    hint: {entry['hint']}")
    return out + [f"    note: {note}" for note in entry.get("notes", ())]


def syntax_errors(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the text of the findings that keep a kernel from being assembled."""
    shown = [finding(d) for d in diagnostics[:MAX_FINDINGS]]
    more = "" if len(diagnostics) < MAX_FINDINGS else " (or more)"
    head = f"does not assemble: {len(shown)}{more} error{'s' if len(shown) != 1 else ''}"
    return "\n".join([head, *(line for entry in shown for line in _finding_lines(entry))])


def assembles(instructions: int, warnings: Sequence[Diagnostic]) -> str:
    """Return the text for a kernel that assembles."""
    out = [f"assembles: {instructions:,} instructions"]
    if warnings:
        out[0] += f", {len(warnings)} warnings"
        out += [line for d in warnings[:MAX_FINDINGS] for line in _finding_lines(finding(d))]
    return "\n".join(out)


# --- run_evaluation ---------------------------------------------------------------------------------------------------


def evaluation(episode: Episode, trial: Trial, baseline: tuple[str, int] | None) -> dict[str, Any]:
    """Return an evaluation as plain data; `baseline` is the kind and cycles of the kernel that speedups go by."""
    score, workload, comparison = trial.score, episode.workload, trial.score.comparison
    ran = None if not score.draws else score.draws[-1].status
    entry: dict[str, Any] = {
        "status": score.status,
        "evaluation": episode.evaluations,
        "draws": [{"family": d.draw.family, "status": d.status} for d in score.draws],
        "diagnostics": [finding(d) for d in score.diagnostics[:MAX_FINDINGS]],
        "undefined_reads": _undefined(trial, 3),
        "best": episode.record["best"],
    }
    if comparison is not None and ran in ("passed", "mismatch"):
        entry["comparison"] = {
            "family": trial.family,
            "match_rate": comparison.match_rate,
            "matching": comparison.matching,
            "elements": comparison.elements,
            "rel_l2": comparison.rel_l2,
            "max_rel_l2": workload.tolerance.rel_l2,
            "max_abs_error": comparison.max_abs_error,
            "atol": workload.tolerance.atol,
            "rtol": workload.tolerance.rtol,
            "problem": comparison.problem,
        }
        if not score.passed:
            entry["outputs"] = _outputs(workload, trial)
            entry["worst"] = [_mismatch(m) for m in comparison.worst]
    if score.cycles is not None:
        entry["cycles"] = score.cycles
        entry["latency_ns"] = score.latency_ns
        entry["instructions_executed"] = score.instret
    if score.bound is not None and score.passed:
        entry["lower_bound"] = {"cycles": score.bound.cycles, "share": score.bound_share}
    if baseline is not None and score.cycles:
        entry["baseline"] = {"kind": baseline[0], "cycles": baseline[1], "speedup": baseline[1] / score.cycles}
    return entry


def _mismatch(mismatch: Mismatch) -> dict[str, Any]:
    return {
        "output": mismatch.output,
        "index": list(mismatch.index),
        "expected": mismatch.expected,
        "got": mismatch.got,
        "error": mismatch.abs_error,
    }


def _outputs(workload: Workload, trial: Trial) -> list[dict[str, Any]]:
    """Return, by output, where it lies, its first wrong elements, and the pattern of the wrong ones."""
    out = []
    for output in workload.outputs:
        if trial.got is None or trial.expected is None or trial.got[output.name].shape != output.shape:
            continue
        got, expected = trial.got[output.name], trial.expected[output.name]
        out.append(
            {
                "output": output.name,
                "shape": list(output.shape),
                "where": output.where,
                "first_wrong": first_wrong(got, expected, workload.tolerance),
                "pattern": pattern(got, expected, workload.tolerance),
            }
        )
    return out


def evaluation_text(entry: Mapping[str, Any]) -> str:
    """Return the text of an evaluation."""
    families = ", ".join(f"{d['family']} {d['status']}" for d in entry["draws"])
    out = [f"status: {entry['status']}" + (f" (inputs: {families})" if families else "")]
    fatal = [f for f in entry["diagnostics"] if f["severity"] == "error"]
    warnings = [f for f in entry["diagnostics"] if f["severity"] != "error"][:SHOWN_WARNINGS]
    out += [line for f in (*fatal, *warnings) for line in _finding_lines(f)]
    if "comparison" in entry:
        out += _comparison_lines(entry["comparison"])
    for output in entry.get("outputs", ()):
        out += _output_lines(output)
    if entry.get("worst") and any(o["pattern"]["wrong"] > len(o["first_wrong"]) for o in entry["outputs"]):
        out.append("worst:")
        out += [f"  {m['output']}{_wrong(m)}" for m in entry["worst"]]
    out += _undefined_lines(entry["undefined_reads"])
    if "cycles" in entry:
        time = "" if entry["latency_ns"] is None else f" ({number(entry['latency_ns'])} ns)"
        out.append(f"cycles: {entry['cycles']:,}{time}, {entry['instructions_executed']:,} instructions executed")
    if "lower_bound" in entry:
        bound = entry["lower_bound"]
        share = "" if bound["share"] is None else f", {100 * bound['share']:.1f} % of it reached"
        out.append(f"lower bound: {bound['cycles']:,} cycles{share}")
    if "baseline" in entry:
        known = entry["baseline"]
        out.append(f"speedup: {known['speedup']:.3f} over {known['kind']} ({known['cycles']:,} cycles)")
    best = entry["best"]
    shown = "none yet" if best is None else f"{best['cycles']:,} cycles, of evaluation {best['index']}"
    return "\n".join([*out, f"best correct kernel: {shown}", f"evaluations so far: {entry['evaluation']}"])


def _comparison_lines(entry: Mapping[str, Any]) -> list[str]:
    if entry["problem"]:
        return [f"problem: {entry['problem']}"]
    most = "" if entry["max_rel_l2"] is None else f" (at most {number(entry['max_rel_l2'])})"
    allowed = (
        f"{number(entry['atol'])} + {number(entry['rtol'])} * |expected|" if entry["atol"] or entry["rtol"] else "0"
    )
    return [
        f"match rate: {entry['match_rate']:.4f} ({entry['matching']:,} of {entry['elements']:,} elements), "
        f"{entry['family']} inputs",
        f"largest error: {number(entry['max_abs_error'])}, allowed {allowed}; "
        f"relative L2 error: {number(entry['rel_l2'])}{most}",
    ]


def _output_lines(entry: Mapping[str, Any]) -> list[str]:
    shape = " x ".join(map(str, entry["shape"]))
    out = [f"result {entry['output']} ({shape}): {entry['where']}"]
    found = entry["pattern"]
    if not found["wrong"]:
        return [*out, "  all elements right"]
    where = f" in {found['wrong_rows']:,} of {found['rows']:,} rows and" if found["rows"] > 1 else " in"
    out.append(
        f"  wrong: {found['wrong']:,} elements{where} {found['wrong_columns']:,} of {found['columns']:,} columns"
    )
    zeros = f"{found['zeros']:,} zeros, {found['not_finite']:,} not finite"
    out.append(f"  got: {zeros}; expected: {found['golden_zeros']:,} zeros")
    return [*out, "  first wrong:", *(f"    {_wrong(m)}" for m in entry["first_wrong"])]


def _wrong(entry: Mapping[str, Any]) -> str:
    return f"{coordinates(entry['index'])}: expected {number(entry['expected'])}, got {number(entry['got'])}"


# --- reads of undefined memory ----------------------------------------------------------------------------------------


def _undefined(trial: Trial, most: int) -> dict[str, Any]:
    reads = [{"memory": r.memory, "address": r.address, "line": r.line} for r in trial.undefined[:most]]
    return {"count": trial.undefined_count, "first": reads}


def _undefined_lines(entry: Mapping[str, Any]) -> list[str]:
    if not entry["count"]:
        return []
    out = [f"reads of memory that nothing had defined: {entry['count']:,}"]
    return out + [f"  line {r['line']}: {r['memory']} at {r['address']}" for r in entry["first"]]


# --- get_instruction_size ---------------------------------------------------------------------------------------------


def size(opened: Target, program: Program, ran: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return static counts of a program by category and, when it `ran`, those of its evaluation."""
    counts: Counter[str] = Counter()
    for index, word in enumerate(program.words):
        if index not in program.data_items:
            decoded = opened.isa.decode(word, strict=False)
            counts[decoded.definition.record.category if decoded else "?"] += 1
    return {
        "instructions": len(program) - len(program.data_items),
        "data_words": len(program.data_items),
        "bytes": len(program.image),
        "by_category": dict(counts.most_common()),
        "executed": None if ran is None else ran["instret"],
        "executed_by_category": None if ran is None else dict(Counter(ran["mix"]).most_common()),
    }


def size_text(entry: Mapping[str, Any]) -> str:
    """Return the text of instruction counts."""
    data = f" and {entry['data_words']:,} data words" if entry["data_words"] else ""
    out = [f"instructions: {entry['instructions']:,}{data}, {entry['bytes']:,} bytes"]
    if entry["by_category"]:
        out.append(f"by category: {_counts(entry['by_category'])}")
    if entry["executed"] is None:
        return "\n".join([*out, "executed: not known; run_evaluation counts it"])
    out.append(f"executed in the last evaluation: {entry['executed']:,} ({_counts(entry['executed_by_category'])})")
    return "\n".join(out)


def _counts(entry: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in entry.items())


# --- profile_kernel ---------------------------------------------------------------------------------------------------


def profile(trial: Trial) -> dict[str, Any]:
    """Return where the cycles of a trial went, as plain data."""
    found = trial.profile
    assert found is not None
    source = trial.text.splitlines()
    total = sum(found.by_unit.values())
    lines = [
        {
            "line": line.line,
            "source": printable(source[line.line - 1].strip(), 80) if 0 < line.line <= len(source) else line.mnemonic,
            "count": line.count,
            "cycles": line.cycles,
            "share": line.cycles / total if total else 0.0,
        }
        for line in found.hottest(HOTTEST)
    ]
    return {
        "status": trial.score.status,
        "family": trial.family,
        "cycles": total,
        "hottest": lines,
        "by_unit": dict(Counter(found.by_unit).most_common()),
        "by_category": dict(Counter(found.by_category).most_common()),
        "counts": dict(Counter(found.counts).most_common()),
        "undefined_reads": _undefined(trial, HOTTEST),
    }


def profile_text(entry: Mapping[str, Any]) -> str:
    """Return the text of a profile."""
    out = [f"cycles by line: {entry['cycles']:,} in all ({entry['family']} inputs, {entry['status']})"]
    out += [
        f"  line {line['line']}: {line['cycles']:,} cycles ({100 * line['share']:.1f} %), {line['count']:,} x {line['source']}"
        for line in entry["hottest"]
    ]
    out.append(f"by unit: {_counts(entry['by_unit'])}")
    out.append(f"by category: {_counts(entry['by_category'])}")
    out.append(f"executed: {_counts(dict(list(entry['counts'].items())[:HOTTEST]))}")
    return "\n".join(out + _undefined_lines(entry["undefined_reads"]))


# --- grep_docs --------------------------------------------------------------------------------------------------------


def passages_text(entry: Mapping[str, Any]) -> str:
    """Return the text of what was found in the documents."""
    if not entry["passages"]:
        near = f" Did you mean {', '.join(entry['near'])}?" if entry["near"] else ""
        return f"nothing found for {printable(entry['query'])!r}.{near} Pages: {', '.join(entry['pages'])}"
    shown = [f"--- {p['page']}: {p['heading']}\n{p['text']}" for p in entry["passages"]]
    more = entry["found"] - len(entry["passages"])
    return "\n".join(shown) + (f"\n--- {more} more passages; use more words to narrow it down" if more > 0 else "")
