#!/usr/bin/env python3
"""Renew constraints.txt: install requirements-dev.txt into a fresh environment without pins and write down what came.

    python3 scripts/refresh_constraints.py            # rewrite constraints.txt
    python3 scripts/refresh_constraints.py --check    # say what would change, exit 1 when something would

Only `name==version` is written: no hashes, no addresses.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEADER = "# Exact versions for development and CI; renewed by scripts/refresh_constraints.py.\n"
LEFT_OUT = {"pip", "setuptools", "wheel"}


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(description="Renew constraints.txt.")
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    pins = "".join(f"{name}=={version}\n" for name, version in resolve())
    old = CONSTRAINTS.read_text(encoding="utf-8") if CONSTRAINTS.exists() else ""
    before, after = set(old.splitlines()), set((HEADER + pins).splitlines())
    for line in sorted(before ^ after, key=lambda text: text.lower()):
        print("-" if line in before else "+", line)
    if check:
        return int(before != after)
    CONSTRAINTS.write_text(HEADER + pins, encoding="utf-8")
    return 0


def resolve() -> list[tuple[str, str]]:
    """Return (name, version) of everything that a fresh installation of requirements-dev.txt brings."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python"))
        pip = [python, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "-q", "-r", "requirements-dev.txt"], cwd=ROOT, check=True)
        listed = subprocess.run(
            [*pip, "list", "--format=json", "--exclude-editable"], check=True, capture_output=True, text=True
        )
    entries = [(entry["name"], entry["version"]) for entry in json.loads(listed.stdout)]
    return sorted((e for e in entries if e[0].lower() not in LEFT_OUT), key=lambda e: e[0].lower())


if __name__ == "__main__":
    sys.exit(main())
