"""Run folders: what a benchmark run leaves behind.

`RunFolder` writes and reads one; `load` reads all of one, checked; `sample_id` names a sample. Records are plain data:
this package knows no evaluation, so kernels, models and whatever comes later share the format. It is described in
docs/reference/run-folder.md.
"""

from kernelcraft_core.results.ids import sample_id
from kernelcraft_core.results.loading import SCORES, Run, load, scores_folder, scores_of
from kernelcraft_core.results.schema import RUN, SAMPLE, canonical, plain, readable
from kernelcraft_core.results.store import KERNELS, RunFolder

__all__ = [
    "KERNELS",
    "RUN",
    "SAMPLE",
    "SCORES",
    "Run",
    "RunFolder",
    "canonical",
    "load",
    "plain",
    "readable",
    "sample_id",
    "scores_folder",
    "scores_of",
]
