"""What a run of models would take: prompts counted by estimate, and an upper estimate of tokens and price.

Nothing is asked of a model. Real episodes take less where a model finishes early, and more where it writes at greater length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict, define, field, frozen

from kernelcraft_core.agent.cells import MODEL
from kernelcraft_core.agent.models import open_model
from kernelcraft_core.agent.models.service import ServiceModel
from kernelcraft_core.agent.prompt import Template
from kernelcraft_core.agent.protocol import Model
from kernelcraft_core.agent.scoring import prompt_of
from kernelcraft_core.bench.plan import Cell
from kernelcraft_core.evaluation import Evaluator
from kernelcraft_core.results import canonical
from kernelcraft_core.tasks import Workload

REPLY = 3_000
"""Tokens of a reply, reasoning included. Source: 2,157 to 2,671 per iteration in KernelCraft, arXiv 2603.08721, table 7."""
ANSWER = 1_000
"""Tokens of a tool's answer; the tools keep theirs below."""
PRIVATE = ("scripted", "replay", "baseline")
"""Models that cost nothing and give the same again at any time."""
PriceOf = Callable[[Model, int, int], float | None]


@frozen
class Estimate:
    """What an episode would take at most, about.

    Attributes:
        prompt: tokens of the prompt. iterations: replies it may have.
        input_tokens, output_tokens: read and written in all turns; no cache is counted on.
        price_usd: None when nobody knows.
    """

    prompt: int
    iterations: int
    input_tokens: int
    output_tokens: int
    price_usd: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def costs(name: str) -> bool:
    """Whether the results of a model cannot be had again for nothing, so that they must be kept."""
    return name.partition(":")[0] not in PRIVATE


def estimates(cells: Iterable[Cell], evaluator: Evaluator) -> Iterator[tuple[Cell, Estimate]]:
    """Yield each cell of a model with its estimate.

    Raises:
        KernelCraftError: a prompt cannot be built.
    """
    estimator = _Estimator(evaluator)
    for cell in cells:
        if cell.kind == MODEL:
            yield cell, estimator.of(cell)


@define(eq=False)
class _Estimator:
    evaluator: Evaluator
    _prompts: dict[str, int] = field(factory=dict)
    _models: dict[str, Model] = field(factory=dict)

    def of(self, cell: Cell) -> Estimate:
        limits = cell.agent["limits"]
        task = self.evaluator.catalogue.task(cell.task)
        turns = task.budget if limits["iterations"] is None else limits["iterations"]
        prompt = self.prompt(cell)
        model = self.model(cell.agent["model"])
        reply = getattr(model, "options", {}).get("max_output_tokens") or REPLY
        written = turns * reply
        read = turns * prompt + (reply + ANSWER) * turns * (turns - 1) // 2
        if limits["output_tokens"] is not None:
            written = min(written, limits["output_tokens"] + reply)
        if limits["tokens"] is not None:
            read = min(read, max(0, limits["tokens"] - written) + prompt)
        price = price_of(model, read, written)
        if price is not None and limits["price"] is not None:
            price = min(price, limits["price"])
        return Estimate(prompt, turns, read, written, price)

    def prompt(self, cell: Cell) -> int:
        key = canonical([cell.target, cell.task, cell.config, cell.agent["prompt"]])
        if key not in self._prompts:
            workload = self.evaluator.catalogue.workload(cell.target, cell.task, cell.config)
            made = prompt_of(self.evaluator, workload, cell.agent, _unmeasured)
            self._prompts[key] = sum(made.tokens().values())
        return self._prompts[key]

    def model(self, chosen: Mapping[str, Any]) -> Model:
        key = canonical(chosen)
        if key not in self._models:
            registry = self.evaluator.catalogue.registry
            self._models[key] = open_model(chosen["name"], chosen["settings"], plugins=registry)
        return self._models[key]


def price_of(model: Model, read: int, written: int) -> float | None:
    """Return the price in US dollars of so many tokens: as set, or as in litellm's local table; None: unknown."""
    if not costs(model.name):
        return 0.0
    if not isinstance(model, ServiceModel):
        return None
    price = model.options.get("price")
    if price is not None:
        return float(read * price["input"] + written * price["output"]) / 1e6
    if model.price_as is None:
        return None
    from kernelcraft_core.agent.models.call import load

    try:
        parts = load().cost_per_token(model=model.price_as, prompt_tokens=read, completion_tokens=written)
        return float(sum(parts)) or None
    except Exception:  # litellm is not installed, or does not know the model
        return None


def _unmeasured(evaluator: Evaluator, workload: Workload) -> Template:
    """Return the kernel to be improved without running it: its cycles do not change the size of a prompt."""
    kernel = evaluator.catalogue.kernel(workload)
    return Template(kernel.source(), 0, kernel.kind)
