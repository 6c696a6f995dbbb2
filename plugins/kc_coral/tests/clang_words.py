"""The machine code that clang's own assembler makes of the compiled kernels: an oracle for ours.

`python plugins/kc_coral/tests/clang_words.py` writes `vectors/compiled_words.csv`; it needs ziglang. Words with a relocation are
left out: a linker fills them.
"""

from __future__ import annotations

import csv
import hashlib
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kc_coral import baseline
from kc_coral.shapes import CONFIGS, TASKS

FILE = Path(__file__).parent / "vectors" / "compiled_words.csv"
TARGET = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d", "-mno-relax")
HEADER = """\
# Machine code of the compiled kernels as clang's own assembler makes it: number of words, indices of words with a relocation,
# SHA-256 of the others (little endian, in order). Made by clang_words.py with {version}.
"""


def digest(words: Sequence[int], relocated: Sequence[int]) -> str:
    """Return the SHA-256 of the words that have no relocation."""
    left = [word for index, word in enumerate(words) if index not in set(relocated)]
    return hashlib.sha256(struct.pack(f"<{len(left)}I", *left)).hexdigest()


def text_of(elf: bytes) -> tuple[list[int], list[int]]:
    """Return the words of `.text` in a 32-bit object file, and the indices of those with a relocation.

    Source: ELF specification 1.2 (section headers, Elf32_Rela).
    """
    start, size, count, names = struct.unpack_from("<I10xHHH", elf, 32)
    headers = [struct.unpack_from("<10I", elf, start + size * index) for index in range(count)]
    strings = headers[names][4]
    label = {elf[strings + h[0] : elf.index(b"\0", strings + h[0])].decode(): h for h in headers}
    text = label[".text"]
    words = struct.unpack_from(f"<{text[5] // 4}I", elf, text[4])
    moved = label.get(".rela.text")
    entries = range(moved[4], moved[4] + moved[5], 12) if moved else ()
    return list(words), sorted({struct.unpack_from("<I", elf, entry)[0] // 4 for entry in entries})


def assembled(text: str) -> tuple[list[int], list[int]]:
    """Return the words that clang makes of an assembly text, and the indices of those with a relocation."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "kernel.s", Path(folder) / "kernel.o"
        source.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "ziglang", "cc", *TARGET, "-c", str(source), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True)
        return text_of(made.read_bytes())


def main() -> None:
    """Write the file."""
    rows = []
    for task in TASKS:
        for config in CONFIGS:
            words, relocated = assembled(baseline.text(task, config))
            rows.append([task, config, len(words), " ".join(map(str, relocated)), digest(words, relocated)])
    version = baseline.provenance(baseline.text("relu", "C1"))["compiler"]
    with FILE.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(HEADER.format(version=version))
        csv.writer(stream, lineterminator="\n").writerows([["task", "config", "words", "relocated", "sha256"], *rows])


if __name__ == "__main__":
    main()
