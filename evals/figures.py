"""The tables of docs/figures.md that are measured in seconds."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from ana.embedders import build_embedder
from ana.handles import LOCAL_EMBEDDERS
from ana.settings import PROJECT, load_settings
from evals.cli.eval import play
from evals.pages import draw_table
from evals.policies.data import HALVES, SETS
from evals.policies.measure import count_cases, judge_cases
from evals.retrieval import measure as retrieval
from evals.retrieval.context import Presence, measure_presence
from evals.tasks.scores import Report
from evals.tasks.task import load_tasks

PAGE = PROJECT / "docs" / "figures.md"
CAPABLE = PROJECT / "evals" / "data" / "capable"


def render_recall(every: dict[retrieval.Set, retrieval.Scores] | None = None, embedder: str = "wordllama") -> str:
    """Return a table of recall@10 on the held-out halves of evals/data, by kind of query.

    Args:
        every: The scores, by set; None measures them.
        embedder: The embedder to measure.
    """
    every = every or retrieval.score_sets(embedder)
    rows = []
    for name, scores in every.items():
        for kind, hybrid in scores["hybrid"].items():
            alone = (f"{scores[leg][kind].recall10:.2f}" for leg in ("dense", "lexical"))
            rows.append((f"{name}, {kind} ({hybrid.count})", *alone, f"**{hybrid.recall10:.2f}**"))
    return draw_table(("queries", "vectors", "words", "both, and days"), rows)


def render_policies() -> str:
    """Return a table of what the policies miss and send back, by set of drafts; `python -m evals.policies` has more."""
    head, rows = ["drafts"], []
    for half in HALVES:
        head += [f"missed, {half}", f"sent back wrongly, {half}"]
    for name in SETS:
        row = [name]
        for half in HALVES:
            honest, alarms, false, missed = count_cases(judge_cases(half, name))
            row += [f"{missed} of {false}", f"{alarms} of {honest}"] if honest + false else ["–", "–"]
        rows.append(row)
    return draw_table(head, rows)


def render_tasks(report: Report | None = None) -> str:
    """Return a table of how the offline reader does the tasks of evals/tasks.yaml, by group.

    Args:
        report: What came of them; None plays them.
    """
    if report is None:
        settings = load_settings({"LLM_PROVIDER": "offline", "ANA_EMBEDDINGS": "wordllama"})
        report = play(settings, load_tasks(), 1).whole()
    columns = {"tasks": "n", "right": "success_rate", "score": "score", "wrong writes": "wrong_writes"}
    columns |= {"model calls": "avg_lm_calls", "tool calls": "avg_tool_calls"}
    rows = []
    for group, figures in report.groups.items():
        values = (figures[name] for name in columns.values())
        cells = (str(figure) if isinstance(figure, int) else f"{figure:.2f}" for figure in values)
        rows.append((group.replace("_", " "), *cells))
    return draw_table(("group", *columns), rows)


def render_context(every: dict[str, Presence] | None = None) -> str:
    """Return a table of how many lines that decide a question reach the model, in the prompt and as items.

    Args:
        every: The shares by embedder; None measures them.
    """
    every = every or {n: measure_presence(build_embedder(load_settings({}), n)) for n in LOCAL_EMBEDDERS}
    head = ("embedder", "in the prompt", "an item, the question is searched", "an item, preferences are searched")
    rows = (
        (name, f"**{shares.in_prompt:.2f}**", f"{shares.by_question:.2f}", f"{shares.by_preference:.2f}")
        for name, shares in every.items()
    )
    return draw_table(head, rows)


def render_capable() -> str:
    """Return a table of the sets of tasks that a capable model played twice, wrong writes before what was right."""
    plays = [json.loads(line) for line in (CAPABLE / "plays.jsonl").read_text(encoding="utf-8").splitlines()]
    requests = json.loads((CAPABLE / "requests.json").read_text(encoding="utf-8"))
    head = ("set", "tasks", "plays", "wrong writes", "right", "pass^2", "requests a play", "tokens a request")
    sets = groupby(plays, lambda play: play["set"])
    return draw_table(head, [(name, *_count_plays(list(some), requests[name])) for name, some in sets])


def _count_plays(plays: Sequence[Mapping[str, Any]], requests: Mapping[str, int]) -> list[str]:
    wrong = {play["task"] for play in plays if play["faults"]}
    tasks = {play["task"] for play in plays}
    right = sum(not play["faults"] for play in plays)
    return [
        str(len(tasks)),
        str(len(plays)),
        str(sum(play["wrong_writes"] for play in plays)),
        f"{right} ({right / len(plays):.2f})",
        f"{len(tasks - wrong)} ({len(tasks - wrong) / len(tasks):.2f})",
        f"{requests['requests'] / len(plays):.1f}",
        f"{requests['tokens_in'] / requests['requests']:,.0f}",
    ]
