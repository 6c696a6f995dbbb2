"""Machine parameters: what is taken, what is refused and how."""

from __future__ import annotations

from typing import Any

import pytest

from kernelcraft_core.diagnostics import MachineError
from kernelcraft_core.sim import Machine, Param

MACHINE = Machine(
    "m",
    (
        Param("SIZE", 64, min=4, max=1024, doc="bytes of a row"),
        Param("MODEL", "exact", choices=("exact", "simple")),
        Param("WAYS", 2, choices=(1, 2, 4)),
        Param("LANES", 8, fixed=True, doc="the datapath is built for it"),
    ),
)


def test_overrides_make_a_new_machine() -> None:
    other = MACHINE.override({"SIZE": "0x80", "MODEL": "simple", "WAYS": 4, "LANES": 8})
    assert dict(other.params) == {"SIZE": 128, "MODEL": "simple", "WAYS": 4, "LANES": 8}
    assert (MACHINE["SIZE"], other.number("SIZE"), other.name) == (64, 128, "m")
    assert other.override({"SIZE": 4})["MODEL"] == "simple"


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("SIZES", 1, "KC0501"),
        (5, 1, "KC0501"),
        ("SIZE", 3, "KC0502"),
        ("SIZE", -1, "KC0502"),
        ("SIZE", 1025, "KC0502"),
        pytest.param("SIZE", 10**5000, "KC0502", id="huge"),
        pytest.param("SIZE", "9" * 5000, "KC0502", id="many-digits"),
        ("SIZE", 64.0, "KC0502"),
        ("SIZE", True, "KC0502"),
        ("SIZE", None, "KC0502"),
        ("SIZE", "many", "KC0502"),
        pytest.param("SIZE", "x" * 10_000, "KC0502", id="long"),
        ("MODEL", "exactly", "KC0502"),
        ("MODEL", 1, "KC0502"),
        ("WAYS", 3, "KC0502"),
        ("LANES", 16, "KC0503"),
    ],
)
def test_wrong_overrides_are_refused(name: Any, value: Any, code: str) -> None:
    with pytest.raises(MachineError) as caught:
        MACHINE.override({name: value})
    assert caught.value.code == code
    assert len(str(caught.value)) < 300


def test_hints() -> None:
    with pytest.raises(MachineError, match="did you mean SIZE"):
        MACHINE.override({"SIZES": 1})
    with pytest.raises(MachineError, match=r"is in 4\.\.1024"):
        MACHINE.override({"SIZE": 1})
    with pytest.raises(MachineError, match="the datapath is built for it"):
        MACHINE.override({"LANES": 1})
