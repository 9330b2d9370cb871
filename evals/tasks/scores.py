"""What many runs come to, for each group and for all."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ana.errors import UserError
from ana.values import read_json
from evals.tasks.stage import Run

RUBRICS = Path(__file__).parent.parent / "rubrics.yaml"
ALL = "all"

Figure = float | int | None

FIGURES = (
    "n",
    "success_rate",
    "pass_k",
    "agreement",
    "score",
    "contains_hit_rate",
    "key_hit_rate",
    "wrong_writes",
    "avg_latency_sec",
    "avg_lm_calls",
    "avg_tool_calls",
    "avg_steps",
    "avg_cost_usd",
)
"""The figures of a group, in the order in which they are shown; `count_figures` says what they are."""


@dataclass(frozen=True)
class Report:
    """The figures of a set of runs.

    Args:
        model: The model that was asked.
        embedder: The embedder of the stores.
        repeat: How often each task was played.
        groups: The figures by group, and of all under `all`.
        runs: The runs.
        stop: Why it was cut short: a person stopped it, or the model no longer replied; None if it is whole.
    """

    model: str
    embedder: str
    repeat: int
    groups: Mapping[str, Mapping[str, Figure]]
    runs: Sequence[Run]
    stop: BaseException | None = None

    def whole(self) -> "Report":
        """Return the report; raise why it was cut short, if it was."""
        if self.stop:
            raise self.stop
        return self

    def to_json(self) -> dict[str, Any]:
        named = {"model": self.model, "embedder": self.embedder, "repeat": self.repeat, "n": len(self.runs)}
        named["cut_short"] = self.stop is not None
        return named | {"groups": dict(self.groups), "runs": [run.to_json() for run in self.runs]}


def make_report(
    model: str, embedder: str, repeat: int, runs: Sequence[Run], stop: BaseException | None = None
) -> Report:
    """Count what many runs come to; arguments as of `Report`."""
    weights, by_group = load_weights(), group_by(runs, lambda run: run.group)
    groups = {group: count_figures(each, weights) for group, each in (by_group | {ALL: [*runs]}).items()}
    return Report(model, embedder, repeat, groups, runs, stop)


def count_figures(runs: Sequence[Run], weights: Mapping[str, float]) -> dict[str, Figure]:
    """Return the figures of some runs.

    n: runs. success_rate: share of runs with no fault. pass_k: share of tasks of which every repeat was right.
    agreement: mean over tasks of the largest share of repeats with the same calls and arguments. score: mean of the
    criteria that a task has, weighted by evals/rubrics.yaml. contains_hit_rate and key_hit_rate: share of the runs that
    tell what must be in the answer, or among the steps. wrong_writes: how many. A figure of nothing is None.
    """
    tasks = [*group_by(runs, lambda run: run.task).values()]
    costs = [run.cost_usd for run in runs if run.cost_usd is not None]
    return {
        "n": len(runs),
        "success_rate": mean(run.is_right for run in runs),
        "pass_k": mean(all(run.is_right for run in each) for each in tasks),
        "agreement": mean(_agree(each) for each in tasks),
        "score": mean(score_run(run, weights) for run in runs),
        "contains_hit_rate": mean(run.contains for run in runs if run.contains is not None),
        "key_hit_rate": mean(run.key for run in runs if run.key is not None),
        "wrong_writes": sum(len(run.wrong_writes) for run in runs),
        "avg_latency_sec": mean(run.seconds for run in runs),
        "avg_lm_calls": mean(run.lm_calls for run in runs),
        "avg_tool_calls": mean(run.tool_calls for run in runs),
        "avg_steps": mean(run.steps for run in runs),
        "avg_cost_usd": mean(costs) if len(costs) == len(runs) else None,
    }


def score_run(run: Run, weights: Mapping[str, float]) -> float:
    """Return the weighted share of a run's criteria that hold; 0 for one that failed."""
    total = sum(weights[name] for name in run.faults)
    met = sum(weights[name] for name, faults in run.faults.items() if not faults)
    return 0.0 if run.error or not total else met / total


def load_weights(file: Path = RUBRICS) -> dict[str, float]:
    """Return the weights of the criteria."""
    return {str(name): float(weight) for name, weight in yaml.safe_load(file.read_text())["weights"].items()}


def load_groups(file: Path) -> tuple[str, dict[str, dict[str, Figure]]]:
    """Return the model and the figures by group of a report that was written as JSON.

    Raises:
        UserError: The file is none.
    """
    try:
        report = read_json(file.read_text(encoding="utf-8"))
        return str(report["model"]), {group: dict(figures) for group, figures in report["groups"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise UserError(f"{file} is not a report of `ana eval --json`: {exc!r:.100}.") from exc


def group_by(runs: Iterable[Run], name: Callable[[Run], str]) -> dict[str, list[Run]]:
    """Return runs by a name, in the order in which the names come."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(name(run), []).append(run)
    return groups


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, to four digits; None of nothing."""
    every = [*values]
    return round(sum(every) / len(every), 4) if every else None


def _agree(runs: Sequence[Run]) -> float:
    same = Counter(json.dumps(run.trajectory, sort_keys=True, default=str) for run in runs)
    return max(same.values()) / len(runs)
