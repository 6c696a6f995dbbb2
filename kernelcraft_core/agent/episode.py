"""An episode: one attempt at a workload, as a folder that survives its process being killed.

```text
episode.json     what is worked on, with which machine, and every evaluation so far (schema kc.episode/1)
kernel.asm       the kernel that the tools write and check
evaluated.asm    the kernel that was evaluated last
best.asm         the fastest kernel that was right on the development inputs
extensions/      ISA extensions that were given as files
lock             held by the process that works on it
```

The tools see development inputs only; secret ones are drawn when the episode is scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from kernelcraft_core import __version__
from kernelcraft_core.agent.errors import fail
from kernelcraft_core.diagnostics import ResultsError
from kernelcraft_core.evaluation import DEVELOPMENT, Evaluation, Evaluator, new_salt
from kernelcraft_core.evaluation.seeds import MIN_DRAWS
from kernelcraft_core.isa import Extension
from kernelcraft_core.results.files import Lock, sync_folder, write_whole
from kernelcraft_core.results.schema import pages, readable
from kernelcraft_core.tasks import Task, Workload
from kernelcraft_core.tasks.catalogue import Catalogue

SCHEMA = "kc.episode/1"
RECORD, KERNEL, EVALUATED, BEST, LOCK = "episode.json", "kernel.asm", "evaluated.asm", "best.asm", "lock"
NEXT = "best.next.asm"
"""The new best kernel, until the record names it."""
MAX_RECORD = 64 << 20
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "target": str,
    "task": str,
    "config": str,
    "machine": dict,
    "extensions": list,
    "isa_digest": str,
    "suite": dict,
    "budget": int,
    "draws": int,
    "settings": dict,
    "history": list,
    "best": (dict, type(None)),
    "baseline": (dict, type(None)),
    "finished": bool,
}


class Episode:
    """One attempt at a workload. Use `create` or `open`, and `close` (or a `with` block) to let others work on it.

    Attributes:
        folder: where it is kept. evaluator: what runs kernels. workload: what they must compute.
        record: what `episode.json` holds.
    """

    def __init__(
        self, folder: Path, evaluator: Evaluator, workload: Workload, record: dict[str, Any], lock: Lock | None
    ) -> None:
        """Use `create` or `open`."""
        self.folder = folder
        self.evaluator = evaluator
        self.workload = workload
        self.record = record
        self._lock = lock

    # --- starting and opening -----------------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        folder: Path,
        evaluator: Evaluator,
        workload: Workload,
        *,
        settings: Mapping[str, Any] | None = None,
        budget: int | None = None,
        draws: int = MIN_DRAWS,
    ) -> Episode:
        """Return a new episode, its folder made and locked.

        Args:
            folder: must not exist, or be empty.
            evaluator: with the machine parameters and extensions that the episode is to have.
            workload: what is to be computed.
            settings: plain data, kept as it is. The tools heed `documents` (names of the pages that `grep_docs` searches;
                None: all), `max_evaluations` (None: any number) and `baseline` (true: tell speedups over the baseline).
            budget: iterations; the task's by default.
            draws: sets of development inputs of an evaluation.

        Raises:
            EpisodeError: KC0700. KernelCraftError: the target cannot be opened as asked.
        """
        folder = Path(folder).resolve()
        setup = _setup(evaluator, workload)
        task = evaluator.catalogue.task(workload.task)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise fail("KC0700", f"{folder} is not empty", "name a new folder for the episode")
            lock = Lock(folder / LOCK)
            extensions = _keep_extensions(folder, evaluator)
        except OSError as error:
            raise fail("KC0700", f"{folder} cannot be written: {error.strerror or error}") from error
        record = {
            "target": workload.target,
            "task": workload.task,
            "config": workload.config,
            **setup,
            "extensions": extensions,
            "overrides": dict(evaluator.overrides),
            "budget": task.budget if budget is None else budget,
            "draws": draws,
            "salt": DEVELOPMENT,
            "settings": dict(settings or {}),
            "history": [],
            "best": None,
            "baseline": None,
            "finished": False,
        }
        episode = cls(folder, evaluator, workload, record, lock)
        episode._save()
        return episode

    @classmethod
    def open(cls, folder: Path, catalogue: Catalogue, *, read_only: bool = False) -> Episode:
        """Return an episode that was started earlier.

        Args:
            folder: of the episode.
            catalogue: tasks and workloads; the target must be the one that the episode was started with.
            read_only: take no lock; nothing may then be changed.

        Raises:
            EpisodeError: KC0701, KC0702, KC0703, KC0704. KernelCraftError: the target cannot be opened.
        """
        folder = Path(folder).resolve()
        _read_record(folder)  # a folder that is none gets no lock file
        lock = None if read_only else _locked(folder)
        record = _read_record(folder)
        extensions = [folder / name if name.endswith(".toml") else name for name in record["extensions"]]
        evaluator = Evaluator(catalogue, record["overrides"], extensions)
        workload = catalogue.workload(record["target"], record["task"], record["config"])
        for key, value in _setup(evaluator, workload).items():
            if json.loads(pages({"": value})) != json.loads(pages({"": record[key]})):
                raise fail(
                    "KC0703",
                    f"{folder}: the {key.replace('_', ' ')} of {workload.target} is not what it was at the start",
                    "install the versions it was started with, or start a new episode",
                )
        episode = cls(folder, evaluator, workload, record, lock)
        if not read_only:
            episode._finish_interrupted_write()
        return episode

    def close(self) -> None:
        """Let other processes work on it."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Episode:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- what it holds ------------------------------------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task."""
        return self.evaluator.catalogue.task(self.workload.task)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings it was started with."""
        found: Mapping[str, Any] = self.record["settings"]
        return found

    @property
    def budget(self) -> int:
        """Iterations that an agent has."""
        return int(self.record["budget"])

    @property
    def kernel_text(self) -> str | None:
        """The kernel as the tools last wrote it; None before that."""
        return _text(self.folder / KERNEL)

    @property
    def evaluated_text(self) -> str | None:
        """The kernel that was evaluated last; None before that, or when the machine stopped before it was safe."""
        text = _text(self.folder / EVALUATED) if self.history else None
        return text if text is not None and digest(text) == self.history[-1]["sha256"] else None

    @property
    def best_text(self) -> str | None:
        """The fastest kernel that was right on the development inputs; None without one."""
        if self.record["best"] is None:
            return None
        for name in (BEST, NEXT):
            text = _text(self.folder / name)
            if text is not None and digest(text) == self.record["best"]["sha256"]:
                return text
        raise fail("KC0702", f"{self.folder / BEST} is not the kernel that {RECORD} names")

    @property
    def final_text(self) -> str | None:
        """The kernel that counts: the best one, else the last one; None when none was ever written."""
        best = self.best_text
        return self.kernel_text if best is None else best

    @property
    def best_cycles(self) -> int | None:
        """Cycles of the best kernel on the development inputs; None without one."""
        return None if self.record["best"] is None else int(self.record["best"]["cycles"])

    @property
    def history(self) -> list[dict[str, Any]]:
        """Every evaluation, in order: `index` from 1, `sha256`, `status`, `match_rate`, `rel_l2`, `cycles`, `instret`, `mix`."""
        found: list[dict[str, Any]] = self.record["history"]
        return found

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""
        return len(self.history)

    @property
    def first_correct(self) -> int | None:
        """Index, from 1, of the first evaluation that passed; None without one."""
        return next((entry["index"] for entry in self.history if entry["status"] == "passed"), None)

    @property
    def finished(self) -> bool:
        """Whether it was scored with secret inputs, after which the tools refuse to go on."""
        return bool(self.record["finished"])

    # --- changing it --------------------------------------------------------------------------------------------------

    def write_kernel(self, text: str) -> None:
        """Replace the kernel; when the machine stops before `settle`, it may be lost.

        Raises:
            OSError: the file cannot be written. UnicodeEncodeError: the text holds a lone surrogate.
        """
        write_whole(self.folder / KERNEL, text.encode("utf-8"), lasting=False)

    def settle(self) -> None:
        """Make the kernel last, whatever happens to the machine; the best one does already. Raises: OSError."""
        text = self.kernel_text
        if text is not None and text != self.best_text:
            write_whole(self.folder / KERNEL, (self.folder / KERNEL).read_bytes())

    def note_evaluation(self, text: str, score: Evaluation) -> dict[str, Any]:
        """Count an evaluation and keep its kernel when it is the best so far; return its entry of the history.

        Raises:
            OSError: a file cannot be written.
        """
        entry = {
            "index": self.evaluations + 1,
            "sha256": digest(text),
            "status": score.status,
            "match_rate": score.match_rate,
            "rel_l2": score.rel_l2,
            "cycles": score.cycles,
            "instret": score.instret,
            "mix": dict(score.mix),
        }
        data = text.encode("utf-8")
        write_whole(self.folder / EVALUATED, data, lasting=False)
        better = score.passed and (self.best_cycles is None or (score.cycles or 0) < self.best_cycles)
        best = self.record["best"]
        if better:  # the record names it only once it is safe under another name, so that none of the two is ever lost
            write_whole(self.folder / NEXT, data)
            best = {key: entry[key] for key in ("index", "sha256", "cycles")}
        self.record = {**self.record, "history": [*self.history, entry], "best": best}
        self._save()
        if better:
            self._promote()
        return entry

    def note_baseline(self, kind: str, cycles: int | None) -> None:
        """Keep the cycles of the baseline on the development inputs; None when it did not pass. Raises: OSError."""
        self.record = {**self.record, "baseline": {"kind": kind, "cycles": cycles}}
        self._save()

    def score(self, salt: str | None = None, draws: int = MIN_DRAWS, *, baseline: bool = True) -> Evaluation:
        """Return the score of the kernel that counts on secret inputs; the tools refuse to go on afterwards.

        Args:
            salt: of the inputs; a fresh one by default.
            draws: sets of inputs.
            baseline: run the baseline as well, for the speedup.

        Raises:
            EpisodeError: KC0705. KernelCraftError: as `Evaluator.evaluate`. OSError: the record cannot be written.
        """
        text, salt = self.final_text, new_salt() if salt is None else salt
        if text is None:
            raise fail("KC0705", f"{self.folder} holds no kernel", "write one first: `kc tool write_code`")
        kernels = self.evaluator.catalogue.kernels(self.workload) if baseline else ()
        beside = (
            self.evaluator.evaluate(self.workload, kernels[0].source(), salt=salt, draws=draws) if kernels else None
        )
        kind = kernels[0].kind if kernels else None
        score = self.evaluator.evaluate(
            self.workload, text, salt=salt, draws=draws, filename=BEST, baseline=beside, baseline_kind=kind
        )
        self.record = {**self.record, "finished": True}
        self._save()
        return score

    def _save(self) -> None:
        write_whole(self.folder / RECORD, pages({"schema": SCHEMA, "version": __version__, **self.record}))

    def _promote(self) -> None:
        (self.folder / NEXT).replace(self.folder / BEST)
        sync_folder(self.folder)

    def _finish_interrupted_write(self) -> None:
        """Put the best kernel in its place where a process was killed between naming and moving it."""
        best, waiting = self.record["best"], self.folder / NEXT
        text = _text(waiting)
        if text is not None and best is not None and digest(text) == best["sha256"]:
            self._promote()
        else:
            waiting.unlink(missing_ok=True)
        self.best_text  # noqa: B018 (raises when it is lost)


def digest(text: str) -> str:
    """Return the SHA-256 of a kernel, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _setup(evaluator: Evaluator, workload: Workload) -> dict[str, Any]:
    """Return what must not change while an episode lasts."""
    opened = evaluator.target(workload)
    suite = evaluator.catalogue.suite_of(workload.task)
    return {
        "machine": {"name": opened.machine.name, "values": dict(opened.machine.values)},
        "isa_digest": opened.isa.digest,
        "suite": {"name": suite.name, "version": suite.version},
    }


def _keep_extensions(folder: Path, evaluator: Evaluator) -> list[str]:
    """Return the extensions by name, those that are no names as files inside the folder."""
    from kernelcraft_core.isa.extension import load_extension
    from kernelcraft_core.isa.write import extension_to_toml

    out = []
    for index, item in enumerate(evaluator.extensions):
        if not isinstance(item, Extension) and not str(item).endswith(".toml") and not isinstance(item, Path):
            out.append(str(item))
            continue
        extension = item if isinstance(item, Extension) else load_extension(Path(item))
        name = f"extensions/{index}.toml"
        (folder / "extensions").mkdir(exist_ok=True)
        write_whole(folder / name, extension_to_toml(extension).encode("utf-8"))
        out.append(name)
    return out


def _locked(folder: Path) -> Lock:
    try:
        return Lock(folder / LOCK)
    except BlockingIOError:
        raise fail("KC0704", f"another process works on {folder}", "wait for it, or end it") from None
    except OSError as error:
        raise fail("KC0701", f"{folder} cannot be locked: {error.strerror or error}") from error


def _read_record(folder: Path) -> dict[str, Any]:
    path = folder / RECORD
    try:
        if path.stat().st_size > MAX_RECORD:
            raise fail("KC0702", f"{path} is too large to be a record of an episode")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise fail("KC0701", f"{folder} holds no episode: {RECORD}: {reason}", "`kc episode start`") from None
    try:
        record = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise fail("KC0702", f"{path} is damaged: it is not JSON") from None
    if not isinstance(record, dict):
        raise fail("KC0702", f"{path} is damaged: it holds no JSON object")
    try:
        readable(record.get("schema"), SCHEMA, str(path))
    except ResultsError as error:
        raise fail("KC0702", error.diagnostics[0].message, error.diagnostics[0].hint) from None
    record.setdefault("overrides", {})
    for key, kind in _KEYS.items():
        if not isinstance(record.get(key), kind):
            raise fail("KC0702", f"{path} is damaged: {key!r} is missing or of the wrong type")
    if not all(isinstance(e, dict) and isinstance(e.get("status"), str) for e in record["history"]):
        raise fail("KC0702", f"{path} is damaged: 'history' holds something that is no evaluation")
    return {key: value for key, value in record.items() if key not in ("schema", "version")}


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
