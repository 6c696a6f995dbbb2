"""Calling hooks: whose answer counts, and what an exception does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kernelcraft_core
from kernelcraft_core.diagnostics import IsaError, PluginError
from kernelcraft_core.hooks import explain
from kernelcraft_core.plugins import PluginRegistry, load


@pytest.fixture
def late(fixtures: Path) -> PluginRegistry:
    """Return the toy target together with a plug-in whose hooks all raise."""
    return load([fixtures / "one_file" / "fails_later.py"], names=["toy"])


@pytest.fixture
def intruded(fixtures: Path) -> PluginRegistry:
    """Return the toy target together with a plug-in that answers for it too."""
    return load([fixtures / "one_file" / "intruder.py"], names=["toy"])


@pytest.mark.parametrize(
    ("hook", "more"),
    [
        ("kc_isa", {}),
        ("kc_machines", {}),
        ("kc_assembler", {"isa": None}),
        ("kc_simulator", {"isa": None, "machine": None, "backend": "core"}),
        ("kc_docs", {}),
    ],
)
def test_exception_of_the_owner_is_an_error_that_names_plugin_and_hook(
    late: PluginRegistry, hook: str, more: dict[str, Any]
) -> None:
    with pytest.raises(PluginError, match=f"plug-in fails_later.py: {hook} failed: .* lost") as caught:
        getattr(late.hook, hook)(target="late", **more)
    assert caught.value.code == "KC0309"


def test_exception_of_another_plugin_leaves_it_out(late: PluginRegistry, caplog: pytest.LogCaptureFixture) -> None:
    target = kernelcraft_core.target("toy", registry=late)
    program = target.assemble("addi x1, x0, 5\nhalt\n")
    assert target.simulate(program).status == "halted"
    assert target.documents() == {}
    assert late.hook.kc_isa_extensions() == []
    late.hook.kc_isa_extensions()
    assert [(f.plugin, f.hook) for f in late.hook.failures] == [
        ("fails_later.py", "kc_docs"),
        ("fails_later.py", "kc_isa_extensions"),
    ]
    assert caplog.messages[0] == "plug-in fails_later.py is left out: kc_docs failed: RuntimeError: the docs are lost"
    assert len(caplog.messages) == 2


def test_isa_and_machines_are_the_owners_alone(intruded: PluginRegistry) -> None:
    assert intruded.hook.kc_isa(target="toy").name == "toy"
    assert [m.name for m in intruded.hook.kc_machines(target="toy")] == ["toy"]
    assert intruded.hook.kc_isa(target="intruder") == "intruder's ISA for intruder"
    assert intruded.hook.kc_isa(target="nobody") is None


def test_core_answers_before_other_plugins_and_after_the_owner(intruded: PluginRegistry) -> None:
    isa = intruded.hook.kc_isa(target="toy")
    assert type(intruded.hook.kc_assembler(target="toy", isa=isa)).__name__ == "Assembler"
    assert intruded.hook.kc_assembler(target="intruder", isa=isa) == "intruder's assembler for intruder"
    (machine,) = intruded.hook.kc_machines(target="toy")
    core = intruded.hook.kc_simulator(target="toy", isa=isa, machine=machine, backend="core")
    assert type(core).__name__ == "Simulator"
    rtl = intruded.hook.kc_simulator(target="toy", isa=isa, machine=machine, backend="rtl")
    assert rtl == "intruder's rtl for toy"


def test_answers_of_all_are_collected_the_owners_last(tmp_path: Path) -> None:
    source = """
from kernelcraft_core import TargetInfo, hookimpl
KC_API = 1
@hookimpl
def kc_targets():
    return [TargetInfo("{name}", "A title")]
@hookimpl
def kc_docs(target):
    return {{"page.md": "{name}"}}
"""
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(source.format(name=name))
    found = load([tmp_path / "one.py", tmp_path / "two.py"], names=())
    for name in ("one", "two"):
        assert found.hook.kc_docs(target=name)[-1] == {"page.md": name}


def test_error_about_a_description_passes_through_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(
        """
from kernelcraft_core import TargetInfo, hookimpl
from kernelcraft_core.isa import Isa
KC_API = 1
@hookimpl
def kc_targets():
    return [TargetInfo("wrong", "Wrong")]
@hookimpl
def kc_isa(target):
    return Isa("wrong", kinds=[], state=[], instrs=[], params={"not a name": 1})
"""
    )
    with pytest.raises(IsaError) as caught:
        kernelcraft_core.target("wrong", registry=load([tmp_path / "wrong.py"], names=()))
    assert caught.value.code == "KC0104"


def test_arguments_are_given_by_name_and_complete() -> None:
    hook = load(names=["toy"]).hook
    with pytest.raises(TypeError, match="kc_isa takes the arguments target, by name"):
        hook.kc_isa()
    with pytest.raises(AttributeError):
        hook.kc_nothing  # noqa: B018
    with pytest.raises(AttributeError):
        hook.other  # noqa: B018


def test_explain_is_one_line() -> None:
    assert explain(ValueError("a\n  b")) == "ValueError: a b"
    assert explain(ValueError()) == "ValueError"
    assert explain(SystemExit(2)) == "it called sys.exit(2)"
