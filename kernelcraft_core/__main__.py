"""`python -m kernelcraft_core` is `kc`."""

from __future__ import annotations

from kernelcraft_core.cli.main import main

if __name__ == "__main__":
    main(prog_name="kc")
