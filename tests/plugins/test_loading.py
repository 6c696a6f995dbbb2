"""Loading plug-ins: what is broken, why it is called so, and that everything else works."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import kernelcraft_core
from kernelcraft_core import plugins
from kernelcraft_core.diagnostics import PluginError
from kernelcraft_core.plugins import ENV_FILES, ENV_LOCAL, ENV_NAMES, PluginRecord, load, registry

BROKEN = sorted((Path(__file__).parents[1] / "fixtures" / "broken").glob("*.py"))
WORKING = """
from kernelcraft_core import TargetInfo, hookimpl
KC_API = 1
@hookimpl
def kc_targets():
    return [TargetInfo({name!r}, "A title")]
"""


def only(records: tuple[PluginRecord, ...]) -> PluginRecord:
    (record,) = records
    return record


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_broken_plugin_is_listed_with_its_reason_and_stops_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = re.match(rb"# (KC\d{4}): (.*)\n", path.read_bytes())
    assert expected is not None
    monkeypatch.setenv(ENV_FILES, str(path))
    found = registry()
    assert list(found.targets) == ["toy"]
    toy, broken = found.plugins
    assert (toy.status, broken.status, broken.targets) == ("ok", "broken", ())
    assert (broken.code, broken.name) == (expected[1].decode(), path.name)
    assert broken.reason is not None
    assert expected[2].decode() in broken.reason
    assert "\n" not in broken.reason
    assert found.hook.kc_isa(target="toy").name == "toy"


def test_traceback_of_a_broken_plugin_shows_its_own_frames_only(fixtures: Path) -> None:
    record = only(load([fixtures / "broken" / "raises.py"], names=()).plugins)
    text = "\n".join(record.traceback)
    assert 'raises.py", line 9, in <module>' in text
    assert "in table" in text
    assert text.endswith("ZeroDivisionError: integer division or modulo by zero")
    assert "importlib" not in text
    assert "kernelcraft_core" not in text


def test_all_broken_plugins_together_leave_the_working_ones(fixtures: Path) -> None:
    noisy = fixtures / "one_file" / "noisy.py"
    found = load([*BROKEN, noisy], names=["toy"])
    assert sorted(found.targets) == ["noisy", "toy"]
    assert len(found.broken) == len(BROKEN)
    assert [record.name for record in found.plugins] == ["toy", *(p.name for p in BROKEN), "noisy.py"]


def test_interrupt_while_importing_is_passed_on(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load([tmp_path / "slow.py"], names=())


# --- installed distributions ---------------------------------------------------------------------------------------


def test_toy_is_found_by_its_entry_point() -> None:
    record = only(load(names=["toy"]).plugins)
    assert (record.name, record.distribution, record.targets) == ("toy", "kc-toy", ("toy",))
    assert record.version == metadata.version("kc-toy")
    assert record.source == "entry point toy = kc_toy.plugin"


def test_targets_carry_distribution_and_plugin(distributions: Any) -> None:
    distributions.add("kc-one", {"one": "one_plugin"}, one_plugin=WORKING.format(name="one-target"))
    info = load(names=["one"]).targets["one-target"]
    assert (info.distribution, info.plugin) == ("kc-one", "one")


def test_unknown_name_is_listed_as_broken(distributions: Any) -> None:
    distributions.add("kc-one", {"one": "one_plugin"}, one_plugin=WORKING.format(name="one"))
    found = load(names=["one", "nobody"])
    assert list(found.targets) == ["one"]
    record = only(found.broken)
    assert (record.name, record.code) == ("nobody", "KC0301")
    assert "one" in str(record.reason)


def test_clash_of_targets_keeps_the_first_by_name(distributions: Any) -> None:
    distributions.add("kc-b", {"b": "b_plugin"}, b_plugin=WORKING.format(name="same"))
    distributions.add("kc-a", {"a": "a_plugin"}, a_plugin=WORKING.format(name="same"))
    found = load(names=["b", "a"])
    assert [(r.name, r.status) for r in found.plugins] == [("a", "ok"), ("b", "broken")]
    reason = "it announces the target 'same', which plug-in a of kc-a announced before it"
    assert (found.broken[0].code, found.broken[0].reason) == ("KC0307", reason)
    assert found.targets["same"].distribution == "kc-a"


def test_same_name_in_two_distributions_is_listed_twice(distributions: Any) -> None:
    distributions.add("kc-b", {"dup": "b_plugin"}, b_plugin=WORKING.format(name="b"))
    distributions.add("kc-a", {"dup": "a_plugin"}, a_plugin=WORKING.format(name="a"))
    found = load(names=["dup"])
    assert [(r.distribution, r.status) for r in found.plugins] == [("kc-a", "ok"), ("kc-b", "broken")]
    assert found.broken[0].code == "KC0308"
    assert "'dup' (kc-a)" in str(found.broken[0].reason)
    assert list(found.targets) == ["a"]


def test_same_module_under_two_names_is_listed_twice(distributions: Any) -> None:
    distributions.write("kc-a", "one = a_plugin\ntwo = a_plugin\n", a_plugin=WORKING.format(name="a"))
    found = load(names=["one", "two"])
    assert [(r.name, r.code) for r in found.plugins] == [("one", None), ("two", "KC0308")]


def test_entry_point_may_name_an_object(distributions: Any) -> None:
    source = """
from types import SimpleNamespace
from kernelcraft_core import TargetInfo, hookimpl
class Plugin:
    KC_API = 1
    @hookimpl
    def kc_targets(self):
        return [TargetInfo("object", "Object")]
plugin = Plugin()
class Unhashable(Plugin):
    __hash__ = None
other = Unhashable()
"""
    distributions.write(
        "kc-o", "good = o_plugin:plugin\nbad = o_plugin:other\nnone = o_plugin:missing\n", o_plugin=source
    )
    found = {record.name: record for record in load(names=["good", "bad", "none"]).plugins}
    assert found["good"].targets == ("object",)
    assert (found["bad"].code, found["none"].code) == ("KC0303", "KC0301")


def test_damaged_metadata_hides_only_its_own_plugins(distributions: Any) -> None:
    from kernelcraft_core import discovery

    distributions.add("kc-good", {"good": "good_plugin"}, good_plugin=WORKING.format(name="good"))
    info = distributions.add("kc-bad", {"bad": "bad_plugin"})
    (info / "entry_points.txt").write_bytes(b"[kernelcraft]\nbad = \xff\xfe\n")
    assert list(load(names=["good"]).targets) == ["good"]
    assert any("kc_bad" in message for message in discovery.installed().unreadable)


def test_distribution_found_twice_counts_once(distributions: Any, tmp_path: Path, monkeypatch: Any) -> None:
    from kernelcraft_core import discovery

    distributions.add("kc-one", {"one": "one_plugin"}, one_plugin=WORKING.format(name="one"))
    monkeypatch.syspath_prepend(str(tmp_path / "older"))
    type(distributions)(tmp_path / "older").add("kc-one", {"one": "one_plugin"}, version="0.9")
    found = load(names=["one"])
    assert [(r.status, r.version) for r in found.plugins] == [("ok", "0.9")]
    assert discovery.installed().shadowed == ("kc-one",)


# --- files and folders ---------------------------------------------------------------------------------------------


def test_file_has_the_version_it_states(fixtures: Path) -> None:
    record = only(load([fixtures / "one_file" / "noisy.py"], names=()).plugins)
    assert (record.distribution, record.version) == (None, "7.1")


@pytest.mark.parametrize("name", ["missing.py", "folder.py", "text.txt", "\0.py", "x" * 5000, "bad name.py"])
def test_unusable_path_is_listed_as_broken(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "text.txt").touch()
    (tmp_path / "bad name.py").touch()
    record = only(load([f"{tmp_path}/{name}"], names=()).plugins)
    assert (record.status, record.code) == ("broken", "KC0301")


def test_same_file_twice_is_listed_twice(fixtures: Path) -> None:
    path = fixtures / "one_file" / "noisy.py"
    found = load([path, path.parent / ".." / "one_file" / "noisy.py"], names=())
    assert [(r.status, r.code) for r in found.plugins] == [("ok", None), ("broken", "KC0308")]


def test_file_does_not_hide_a_module_of_its_name(tmp_path: Path) -> None:
    import json

    path = tmp_path / "json.py"
    path.write_text(WORKING.format(name="jason"))
    assert list(load([path], names=()).targets) == ["jason"]
    assert json.dumps(1) == "1"


def test_files_of_one_name_are_two_plugins(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "isa.py", tmp_path / "b" / "isa.py"]
    for path, name in zip(paths, ("first", "second"), strict=True):
        path.parent.mkdir()
        path.write_text(WORKING.format(name=name))
    found = load(paths, names=())
    assert [r.name for r in found.plugins] == ["isa.py", str(paths[1])]
    assert list(found.targets) == ["first", "second"]


def test_folder_is_loaded_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kernelcraft_plugins"
    folder.mkdir()
    (folder / "mine.py").write_text(WORKING.format(name="mine"))
    (folder / "_helper.py").write_text("raise RuntimeError\n")
    monkeypatch.chdir(tmp_path)
    assert list(registry().targets) == ["toy"]
    monkeypatch.setenv(ENV_LOCAL, "1")
    assert list(registry().targets) == ["mine", "toy"]
    monkeypatch.delenv(ENV_LOCAL)
    plugins.configure(local=True)
    assert list(registry().targets) == ["mine", "toy"]
    monkeypatch.chdir("/")
    assert list(registry().targets) == ["toy"]


# --- the default registry ------------------------------------------------------------------------------------------


def test_registry_is_loaded_once() -> None:
    assert registry() is registry()


@pytest.mark.parametrize("value", ["", "none", " , "])
def test_environment_can_load_nothing(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(ENV_NAMES, value)
    assert registry().plugins == ()
    with pytest.raises(PluginError) as caught:
        kernelcraft_core.target("toy")
    assert caught.value.code == "KC0305"


def test_environment_names_files(monkeypatch: pytest.MonkeyPatch, fixtures: Path) -> None:
    import os

    folder = fixtures / "one_file"
    monkeypatch.setenv(ENV_FILES, os.pathsep.join([str(folder / "noisy.py"), str(folder / "intruder.py")]))
    assert sorted(registry().targets) == ["intruder", "noisy", "toy"]
