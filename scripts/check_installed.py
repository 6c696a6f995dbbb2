#!/usr/bin/env python3
"""Compare wheels with what `kc` says after they were installed.

    python3 scripts/check_installed.py WHEELS targets.json plugins.json

The JSON files are the output of `kc list-targets --json` and `kc plugins --json`. Every entry point of the wheels must be
a working plug-in and nothing else may be there; every target must come from one of them, and every distribution but the
core and the task suite must bring at least one.
"""

from __future__ import annotations

import configparser
import json
import sys
import zipfile
from pathlib import Path

WITHOUT_TARGETS = {"kc-tasks"}


def entry_points(wheel: Path) -> dict[str, str]:
    """Return entry point -> distribution of a wheel's plug-ins."""
    with zipfile.ZipFile(wheel) as archive:
        name = next((n for n in archive.namelist() if n.endswith(".dist-info/entry_points.txt")), None)
        parser = configparser.ConfigParser()
        parser.read_string(archive.read(name).decode() if name else "")
    distribution = wheel.name.split("-")[0].replace("_", "-")
    return dict.fromkeys(parser["kernelcraft"] if "kernelcraft" in parser else (), distribution)


def main(folder: str, targets_file: str, plugins_file: str) -> None:
    """Fail with a message when something differs."""
    wanted: dict[str, str] = {}
    for wheel in sorted(Path(folder).glob("*.whl")):
        wanted |= entry_points(wheel)
    plugins = json.loads(Path(plugins_file).read_text(encoding="utf-8"))["plugins"]
    found = {entry["name"]: entry["distribution"] for entry in plugins}
    broken = [entry for entry in plugins if entry["status"] != "ok"]
    assert not broken, f"broken: {broken}"
    assert found == wanted, f"installed {wanted}, listed {found}"
    targets = json.loads(Path(targets_file).read_text(encoding="utf-8"))["targets"]
    assert {entry["distribution"] for entry in targets} == {*wanted.values()} - WITHOUT_TARGETS, targets
    print("plug-ins:", *sorted(found))
    print("targets:", *sorted(entry["name"] for entry in targets))


if __name__ == "__main__":
    main(*sys.argv[1:])
