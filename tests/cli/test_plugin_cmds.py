"""`kc list-targets`, `kc plugins`, `kc doctor`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kernelcraft_core
from kernelcraft_core.cli import doctor
from kernelcraft_core.cli.doctor import within


@pytest.fixture
def broken(fixtures: Path) -> tuple[str, str]:
    """Return the options that load a broken plug-in."""
    return ("--plugin-file", str(fixtures / "broken" / "raises.py"))


# --- list-targets --------------------------------------------------------------------------------------------------


def test_list_targets_prints_a_table(kc: Any) -> None:
    result = kc("list-targets")
    header, line = result.stdout.splitlines()
    assert header.split() == ["NAME", "TITLE", "FROM", "SUMMARY"]
    assert line.startswith("toy   Toy machine  kc-toy ")
    assert result.stderr == ""


def test_list_targets_json(kc: Any) -> None:
    entry = json.loads(kc("list-targets", "--json").stdout)
    assert (entry["schema"], entry["version"], entry["broken"]) == ("kc.targets/1", kernelcraft_core.__version__, [])
    (target,) = entry["targets"]
    assert (target["name"], target["distribution"], target["plugin"]) == ("toy", "kc-toy", "toy")
    assert target["plugin_version"]


def test_list_targets_names_broken_plugins_beside_the_working_targets(kc: Any, broken: Any) -> None:
    result = kc(*broken, "list-targets")
    assert "toy " in result.stdout
    assert "error[KC0301]: plug-in raises.py is broken: it cannot be imported: ZeroDivisionError" in result.stderr
    assert "broken plug-ins: raises.py (`kc plugins` tells why)" in result.stderr
    (entry,) = json.loads(kc(*broken, "list-targets", "--json").stdout)["broken"]
    assert (entry["name"], entry["distribution"]) == ("raises.py", None)


def test_list_targets_without_plugins(kc: Any) -> None:
    result = kc("list-targets", env={"KERNELCRAFT_PLUGINS": "none"})
    assert (result.stdout, result.stderr) == ("", "no targets: install a plug-in, or name one with --plugin-file\n")
    assert json.loads(kc("list-targets", "--json", env={"KERNELCRAFT_PLUGINS": ""}).stdout)["targets"] == []


# --- plugins -------------------------------------------------------------------------------------------------------


def test_plugins_lists_working_and_broken_ones(kc: Any, broken: Any) -> None:
    lines = kc(*broken, "plugins").stdout.splitlines()
    assert lines[1].split()[:3] == ["toy", "ok", "toy"]
    assert lines[2].split()[:2] == ["raises.py", "broken"]
    assert (
        lines[4] == "raises.py: [KC0301] it cannot be imported: ZeroDivisionError: integer division or modulo by zero"
    )
    assert len(lines) == 5
    verbose = kc(*broken, "plugins", "--verbose").stdout
    assert "    ZeroDivisionError: integer division or modulo by zero" in verbose
    assert "in table" in verbose


def test_plugins_json_has_reason_and_traceback(kc: Any, broken: Any) -> None:
    entry = json.loads(kc(*broken, "plugins", "--json").stdout)
    toy, raises = entry["plugins"]
    assert entry["schema"] == "kc.plugins/1"
    assert (toy["status"], toy["code"], toy["reason"], toy["traceback"]) == ("ok", None, None, [])
    assert (raises["status"], raises["code"]) == ("broken", "KC0301")
    assert raises["traceback"][-1].startswith("ZeroDivisionError")


def test_plugins_without_any(kc: Any) -> None:
    result = kc("plugins", env={"KERNELCRAFT_PLUGINS": "none"})
    assert (result.stdout, result.stderr) == ("", "no plug-ins were found\n")


# --- doctor --------------------------------------------------------------------------------------------------------


def statuses(text: str) -> dict[str, list[tuple[str, str]]]:
    entry = json.loads(text)
    assert entry["schema"] == "kc.doctor/1"
    out: dict[str, list[tuple[str, str]]] = {}
    for check in entry["checks"]:
        out.setdefault(check["check"], []).append((check["status"], check["message"]))
    return out


def test_doctor_finds_nothing_wrong_here(kc: Any) -> None:
    found = statuses(kc("doctor", "--json").stdout)
    assert {status for entries in found.values() for status, _ in entries} == {"ok"}
    assert {"python", "core", "dependency", "plug-in toy", "target toy"} <= set(found)
    names = [message.split()[0] for _, message in found["dependency"]]
    assert names == list(doctor.DEPENDENCIES)
    assert "13 instructions, machines: toy" in found["target toy"][0][1]


def test_doctor_text_has_one_line_per_check_and_no_colour(kc: Any) -> None:
    lines = kc("doctor").stdout.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert "\x1b" not in "".join(lines)
    assert "\x1b" in kc("doctor", color=True).stdout
    assert "\x1b" not in kc("--no-color", "doctor", color=True).stdout


def test_doctor_exits_with_1_and_says_what_is_broken(kc: Any, broken: Any) -> None:
    result = kc(*broken, "doctor", "--json", exit_code=1)
    assert not json.loads(result.stdout)["ok"]
    status, message = statuses(result.stdout)["plug-in raises.py"][0]
    assert status == "error"
    assert "[KC0301] it cannot be imported: ZeroDivisionError" in message


def test_doctor_opens_every_target_and_asks_every_hook(kc: Any, fixtures: Path) -> None:
    options = ("--plugin-file", str(fixtures / "one_file" / "fails_later.py"))
    found = statuses(kc(*options, "doctor", "--json", exit_code=1).stdout)
    assert found["target toy"][0][0] == "ok"
    assert "KC0309: plug-in fails_later.py: kc_isa failed: RuntimeError: the ISA is lost" in found["target late"][0][1]
    failures = [message for _, message in found["plug-in fails_later.py"]]
    assert "kc_isa_extensions failed: RuntimeError: the extensions are lost" in failures
    assert "kc_docs failed: RuntimeError: the docs are lost" in failures


def test_doctor_without_plugins_warns_and_is_content(kc: Any) -> None:
    found = statuses(kc("doctor", "--json", env={"KERNELCRAFT_PLUGINS": "none"}).stdout)
    assert found["plug-ins"][0][0] == found["targets"][0][0] == "warning"


def test_doctor_reports_dependencies_that_are_missing_or_out_of_range(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ["attrs>=99,<100", "nobody-has-this>=1,<2", "click>=8.2,<9", "extra>=1; extra == 'x'"]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: wanted)
    found = {f.message.split()[0]: f.status for f in doctor._dependencies()}
    assert found == {"attrs": "error", "click": "ok", "nobody-has-this": "error"}


@pytest.mark.parametrize(
    ("version", "requirement", "expected"),
    [
        ("2.0.0", "numpy>=2.0,<3", True),
        ("1.26.4", "numpy>=2.0,<3", False),
        ("3.0.0rc1", "numpy>=2.0,<3", False),
        ("2.10", "numpy>=2.9", True),
        ("8.2", "click<9,>=8.2", True),
        ("1", "lark", True),
    ],
)
def test_versions_are_compared_by_number(version: str, requirement: str, expected: bool) -> None:
    assert within(version, requirement) is expected
