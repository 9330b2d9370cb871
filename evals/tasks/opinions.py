"""What a model says of answers in free text, and how often the exact checks say the same."""

import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from ana.errors import BudgetReached, ModelFailed
from ana.models.call import complete
from ana.models.fence import fence
from ana.models.prices import cost
from ana.models.providers import model_name
from ana.settings import Settings
from ana.spending.total import Spending
from ana.tracing.schema import Tokens
from evals.tasks.scores import RUBRICS, mean
from evals.tasks.stage import MOST_FAILURES, Run
from evals.tasks.task import Task
from nodes.usage import Purse, no_usage
from prompts import render

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

BEST = 2
"""The highest score; 0 is no, 1 partly, 2 yes."""
COMPARED = "right"
"""The rubric that asks what the exact checks of an answer ask."""
UNREADABLE, UNANSWERED = "not the scores that were asked for", "no reply"
UNPAID = "not asked, because ANA_DAILY_BUDGET_USD is spent"
"""Why an answer is not scored."""

Pair = tuple[bool, bool]


@dataclass(frozen=True)
class Opinion:
    """What a judge says of one answer.

    Args:
        task: The task's id.
        repeat: Which time it was played.
        scores: From 0 to BEST by rubric; None if the answer is not scored.
        fault: Why it is not; empty if it is.
        cost_usd: What asking cost; None where no price is known.
        exact: What the exact checks say of the answer; None where the task has none for it.
    """

    task: str
    repeat: int
    scores: Mapping[str, int] | None
    fault: str
    cost_usd: float | None
    exact: bool | None


@dataclass(frozen=True)
class Judged:
    """What a judge says of many answers.

    Args:
        model: The judge.
        opinions: One for each answer.
    """

    model: str
    opinions: Sequence[Opinion]

    @property
    def means(self) -> dict[str, float | None]:
        """The mean score by rubric, as a share of the best."""
        every = [opinion.scores for opinion in self.opinions if opinion.scores is not None]
        return {rubric: mean(scores[rubric] / BEST for scores in every) for rubric in load_rubrics()}

    @property
    def faults(self) -> dict[str, int]:
        """How many answers are not scored, by the reason."""
        return dict(Counter(opinion.fault for opinion in self.opinions if opinion.fault))

    @property
    def pairs(self) -> list[Pair]:
        """Whether an answer is right, as the judge and as the exact checks say, where both do."""
        both = [(opinion.scores, opinion.exact) for opinion in self.opinions]
        return [(scores[COMPARED] == BEST, exact) for scores, exact in both if scores is not None and exact is not None]

    @property
    def agreement(self) -> float | None:
        """The share of these pairs that say the same; None of nothing."""
        return mean(judged == exact for judged, exact in self.pairs)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of these pairs: agreement beyond chance, 1 at most; None where chance alone would agree."""
        if not self.pairs:
            return None
        yes, exact_yes = (sum(side) / len(self.pairs) for side in zip(*self.pairs, strict=True))
        chance = yes * exact_yes + (1 - yes) * (1 - exact_yes)
        share = sum(judged == exact for judged, exact in self.pairs) / len(self.pairs)
        return None if chance == 1 else round((share - chance) / (1 - chance), 4)

    @property
    def cost_usd(self) -> float | None:
        """What the judge cost; None where no price is known."""
        costs = [opinion.cost_usd for opinion in self.opinions]
        return None if None in costs else sum(each for each in costs if each is not None)

    def to_json(self) -> dict[str, Any]:
        names = ("means", "faults", "agreement", "kappa", "cost_usd")
        return asdict(self) | {name: getattr(self, name) for name in names}


class Judge:
    """Asks a model to score answers.

    Args:
        settings: Those that the model was built from; for its name and price.
        model: The model.
        spending: Where its cost counts.
    """

    def __init__(self, settings: Settings, model: "BaseChatModel", spending: Spending) -> None:
        self.name = model_name(settings)
        self._settings = settings
        self._purse = Purse(settings, spending, self.name)
        self._model = model
        self._rubrics = load_rubrics()
        questions = "\n".join(f"- {name}: {question}" for name, question in self._rubrics.items())
        example = json.dumps(dict.fromkeys(self._rubrics, 1))
        self._system = SystemMessage(render("judge", rubrics=questions, example=example))
        self._options: dict[str, Any] = {"extra_body": {"response_format": _build_format(self._rubrics)}}

    def judge(self, tasks: Iterable[Task], runs: Iterable[Run], on_score: Callable[[str], object] = str) -> Judged:
        """Return the opinions of the answers of runs that did not fail; a judge that stays silent is asked no longer.

        Args:
            tasks: The tasks.
            runs: What came of them.
            on_score: Called after each run with its task's id.
        """
        named, opinions, silent = {task.id: task for task in tasks}, list[Opinion](), 0
        for run in runs:
            if run.answer and not run.error:
                opinion = self._score(named[run.task], run) if silent < MOST_FAILURES else _leave_out(run)
                silent = silent + 1 if opinion.fault == UNANSWERED else 0
                opinions.append(opinion)
            on_score(run.task)
        return Judged(self.name, opinions)

    def _score(self, task: Task, run: Run) -> Opinion:
        # the mark is drawn for each answer, so that none can end its own fence
        messages: list[AnyMessage] = [self._system, HumanMessage(fence(_describe(task, run), secrets.token_hex(8)))]
        try:
            reply, usage = self._ask(messages)
        except BudgetReached:
            return _leave_out(run, UNPAID)
        except ModelFailed:
            return _leave_out(run)
        spent, scores = cost(usage, self.name, self._settings), read_scores(reply.text, self._rubrics)
        record = {"model": self.name, "provider": self._settings.provider, "usage": usage, "cost_usd": spent}
        self._purse.spending.keep(record)
        return Opinion(run.task, run.repeat, scores, "" if scores else UNREADABLE, spent, _read_exact(run))

    def _ask(self, messages: list[AnyMessage]) -> tuple[AIMessage, Tokens]:
        ask = partial(complete, self._model, messages, "opinion", options=self._options)
        return self._purse.pay(ask, messages, no_usage())


def load_rubrics(file: Path = RUBRICS) -> dict[str, str]:
    """Return what a judge is asked about an answer, by name."""
    rubrics: dict[str, str] = yaml.safe_load(file.read_text())["rubrics"]
    return rubrics


def read_scores(reply: str, rubrics: Iterable[str]) -> dict[str, int] | None:
    """Return the scores of a reply that holds exactly one for each rubric and nothing else; None for any other."""
    try:
        scores = json.loads(reply, object_pairs_hook=_read_object)
    except (ValueError, RecursionError):
        return None
    if not isinstance(scores, dict) or scores.keys() != {*rubrics}:
        return None
    return scores if all(type(score) is int and 0 <= score <= BEST for score in scores.values()) else None


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object.

    Raises:
        ValueError: It says two things of one key.
    """
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is there twice")
    return dict(pairs)


def _build_format(rubrics: Iterable[str]) -> dict[str, Any]:
    """Return the `response_format` that holds a reply to the scores."""
    properties = {name: {"type": "integer", "enum": [*range(BEST + 1)]} for name in rubrics}
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "scores", "schema": schema, "strict": True}}


def _describe(task: Task, run: Run) -> str:
    """Return what a judge is shown of a run, as JSON; the expectations of the task are not in it."""
    calls = zip(run.trajectory, run.results, strict=True)
    facts = {
        "now": task.clock.now().isoformat(timespec="minutes"),
        "global_context": task.lines,
        "earlier": [{"person": turn.message, "assistant": turn.answer} for turn in task.earlier],
        "person": task.question,
        "calls": [{"tool": tool, "args": args, "result": result} for (tool, args), result in calls],
        "answer": run.answer,
    }
    return json.dumps(facts, ensure_ascii=False, indent=1, default=str)


def _read_exact(run: Run) -> bool | None:
    return not run.faults["answer"] if "answer" in run.faults else None


def _leave_out(run: Run, fault: str = UNANSWERED) -> Opinion:
    return Opinion(run.task, run.repeat, None, fault, 0.0, _read_exact(run))
