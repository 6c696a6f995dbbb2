"""The root command: global options, lazy subcommands, errors and exit codes, plug-ins' commands."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

import kernelcraft_core
from kernelcraft_core.cli.main import COMMANDS, SECTIONS, main
from kernelcraft_core.cli.output import colour, dump, table
from kernelcraft_core.diagnostics import AssemblyError, Diagnostic, MachineError, PluginError, Span

KC = [sys.executable, "-m", "kernelcraft_core"]
HEAVY = "numpy lark litellm hypothesis pytest"


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Return a function that makes `kc trial` call a function; it knows --json."""

    def install(body: Callable[[], Any]) -> None:
        @click.command("trial")
        @click.option("--json", "as_json", is_flag=True)
        def trial(as_json: bool) -> Any:
            return body()

        monkeypatch.setattr(main, "get_command", lambda ctx, name: trial if name == "trial" else None)

    return install


def raising(error: BaseException) -> Callable[[], Any]:
    def body() -> Any:
        raise error

    return body


# --- finding commands ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_line_in_the_help_is_the_commands_own(name: str) -> None:
    module, line = COMMANDS[name]
    command = importlib.import_module(f"kernelcraft_core.cli.{module}").command
    assert command.name == name
    assert command.help is not None
    own = command.get_short_help_str(200)
    assert own.split()[0] == line.split()[0]
    assert any("--json" in p.opts for c in [command, *getattr(command, "commands", {}).values()] for p in c.params)


def test_help_lists_all_commands_without_importing_them() -> None:
    script = (
        "import sys\nfrom kernelcraft_core.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        f"print(*(n for n in '{HEAVY} kernelcraft_core.cli.sim kernelcraft_core.facade'.split() if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert all(f"\n  {name} " in done.stdout for name in COMMANDS)
    assert done.stdout.splitlines()[-1] == ""


def test_help_lists_each_command_once_under_its_section(kc: Any) -> None:
    lines = kc("--help").stdout.splitlines()
    listed = lines[lines.index(f"{next(iter(SECTIONS))}:") :]
    names = [line.split()[0] for line in listed if line.startswith("  ") and line[2] != " "]
    assert names == [name for part in SECTIONS.values() for name in part]
    assert all(f"{title}:" in lines for title in SECTIONS)


def test_listing_targets_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom kernelcraft_core.cli.main import main\n"
        "try: main(['list-targets', '--json'])\nexcept SystemExit: pass\n"
        f"print(*(n for n in '{HEAVY} kernelcraft_core.sim kernelcraft_core.asm'.split() if n in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, last = done.stdout.splitlines()
    assert [entry["name"] for entry in json.loads(first)["targets"]] == ["toy"]
    assert last == ""


def test_version() -> None:
    done = subprocess.run([*KC, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"kc, version {kernelcraft_core.__version__}\n"


def test_unknown_command_is_a_usage_error_with_a_hint(kc: Any) -> None:
    result = kc("list-targts", exit_code=2)
    assert result.stdout == ""
    assert "no command is called 'list-targts'; did you mean list-targets or list-tasks?" in result.stderr


def test_usage_errors_are_json_where_json_is_asked_for(kc: Any) -> None:
    result = kc("list-targets", "--json", "--nothing", exit_code=2)
    entry = json.loads(result.stdout)
    assert (entry["schema"], entry["version"]) == ("kc.error/1", kernelcraft_core.__version__)
    assert entry["diagnostics"][0]["code"] == "KC0300"
    assert "--nothing" in entry["diagnostics"][0]["message"]


def test_missing_plugin_file_is_a_usage_error(kc: Any) -> None:
    assert "does not exist" in kc("--plugin-file", "nowhere.py", "list-targets", exit_code=2).stderr


def test_command_whose_module_is_missing_exits_with_3(kc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kernelcraft_core.cli.sim", None)
    result = kc("sim", "--help", exit_code=3)
    assert "error[KC0310]: `kc sim` cannot be loaded" in result.stderr


# --- errors and exit codes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (PluginError(Diagnostic("KC0305", "no such target")), 3),
        (AssemblyError(Diagnostic("KC0201", "no such mnemonic", Span("k.asm", 3, 5, 2, "    xy x1"))), 1),
        (MachineError(Diagnostic("KC0501", "no such parameter", hint="look again")), 2),
    ],
)
def test_findings_are_rendered_and_decide_the_exit_code(kc: Any, command: Any, error: Any, code: int) -> None:
    command(raising(error))
    result = kc("trial", exit_code=code)
    assert (result.stdout, result.stderr) == ("", error.diagnostics[0].render() + "\n")
    result = kc("trial", "--json", exit_code=code)
    assert json.loads(result.stdout)["diagnostics"] == [error.diagnostics[0].as_dict()]
    assert result.stderr == ""


@pytest.mark.parametrize(("value", "code"), [(None, 0), (1, 1), (3, 3), (True, 0), ("text", 0)])
def test_command_may_return_its_exit_code(kc: Any, command: Any, value: Any, code: int) -> None:
    command(lambda: value)
    kc("trial", exit_code=code)


@pytest.mark.parametrize(
    ("error", "code"), [(SystemExit(1), 1), (click.exceptions.Exit(3), 3), (KeyboardInterrupt(), 130)]
)
def test_command_may_exit(kc: Any, command: Any, error: Any, code: int) -> None:
    command(raising(error))
    kc("trial", exit_code=code)


def test_mistake_of_ours_keeps_its_traceback_and_is_json_too(kc: Any, command: Any) -> None:
    command(raising(ValueError("ours")))
    with pytest.raises(ValueError, match="ours"):
        kc("trial", "--json")


def test_reader_that_goes_away_is_no_error() -> None:
    script = (
        "import click\nfrom kernelcraft_core.cli.main import main\n"
        "@click.command()\ndef trial():\n for i in range(100000): click.echo(i)\n"
        "type(main).get_command = lambda self, ctx, name: trial\nmain(['trial'])"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_interrupt_exits_with_130(tmp_path: Path) -> None:
    script = (
        "import click, time\nfrom kernelcraft_core.cli.main import main\n"
        "@click.command()\ndef trial():\n print('ready', flush=True); time.sleep(60)\n"
        "type(main).get_command = lambda self, ctx, name: trial\nmain(['trial'])"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        error = process.stderr.read()
    assert process.returncode == 130
    assert b"Traceback" not in error


# --- what plug-ins print and add -----------------------------------------------------------------------------------


def test_what_a_plugin_prints_does_not_reach_standard_output(fixtures: Path) -> None:
    options = ["--plugin-file", str(fixtures / "one_file" / "noisy.py")]
    done = subprocess.run([*KC, *options, "list-targets", "--json"], capture_output=True, text=True, check=True)
    assert [entry["name"] for entry in json.loads(done.stdout)["targets"]] == ["noisy", "toy"]
    assert sorted(done.stderr.splitlines()) == [
        "noise: child",
        "noise: descriptor",
        "noise: hook",
        "noise: print",
        "noise: sys.stdout",
    ]


def test_closed_standard_streams_are_no_reason_to_fail(fixtures: Path) -> None:
    script = f"exec {' '.join(KC)} --plugin-file {fixtures / 'one_file' / 'noisy.py'} list-targets >&- 2>&-"
    assert subprocess.run(["sh", "-c", script], check=False).returncode in (0, 1)


def test_commands_of_plugins_are_listed_and_run(kc: Any, fixtures: Path) -> None:
    options = ("--plugin-file", str(fixtures / "one_file" / "noisy.py"))
    assert kc(*options, "hum").stdout == "hm-hm\n"
    result = kc(*options, "--help")
    assert ["hum", "Hum a tune."] in [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert "warning[KC0310]: plug-in noisy.py: `kc doctor` exists already" in result.stderr
    assert "no command is called 'hum'" in kc("hum", exit_code=2).stderr


def test_plugin_that_cannot_add_commands_is_left_out(kc: Any, fixtures: Path) -> None:
    kc("--plugin-file", str(fixtures / "one_file" / "fails_later.py"), "--help")


def test_plugins_of_one_invocation_are_gone_in_the_next(kc: Any, fixtures: Path) -> None:
    kc("--plugin-file", str(fixtures / "one_file" / "noisy.py"), "list-targets")
    assert "noisy" not in kc("list-targets").stdout


def test_local_plugins_are_loaded_when_asked_for(kc: Any, fixtures: Path, tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "kernelcraft_plugins"
    folder.mkdir()
    (folder / "mine.py").write_bytes((fixtures / "one_file" / "intruder.py").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert "intruder" not in kc("list-targets").stdout
    assert "intruder" in kc("--local-plugins", "list-targets").stdout


# --- output --------------------------------------------------------------------------------------------------------


def test_table_aligns_columns_and_ends_lines_clean() -> None:
    assert table([("a", "bb", ""), ("ccc", "d", "e")], ("X", "Y", "Z")) == "X    Y   Z\na    bb\nccc  d   e"
    assert table([]) == ""


def test_json_is_sorted_and_has_words_for_what_json_lacks() -> None:
    text = dump(
        "kc.trial/1", {"z": float("nan"), "b": [float("inf"), -float("inf"), 0.5], "a": {2: (1,)}, "s": {"y", "x"}}
    )
    assert text == (
        f'{{"a": {{"2": [1]}}, "b": ["Infinity", "-Infinity", 0.5], "s": ["x", "y"], "schema": "kc.trial/1", '
        f'"version": "{kernelcraft_core.__version__}", "z": "NaN"}}'
    )


@pytest.mark.parametrize(
    ("wanted", "name", "value", "expected"),
    [
        (True, "NO_COLOR", "", None),
        (True, "NO_COLOR", "1", False),
        (True, "TERM", "dumb", False),
        (False, "NO_COLOR", "", False),
    ],
)
def test_colour(monkeypatch: pytest.MonkeyPatch, wanted: bool, name: str, value: str, expected: bool | None) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    assert colour(wanted) is expected


def test_module_can_be_run() -> None:
    assert os.path.exists(str(kernelcraft_core.__file__).replace("__init__", "__main__"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_standard_output_is_explained() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kernelcraft_core", "list-targets"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "standard output cannot be written" in done.stderr
