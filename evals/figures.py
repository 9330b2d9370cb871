"""The tables of docs/figures.md, and those figures of them that its first one shows."""

from functools import cache

from ana.embedders import build_embedder
from ana.handles import LOCAL_EMBEDDERS
from ana.settings import PROJECT, load_settings
from evals.cli.eval import play
from evals.pages import read_cell
from evals.policies.data import HALVES, SETS
from evals.policies.measure import rows as policy_rows
from evals.retrieval import measure as retrieval
from evals.retrieval.context import Presence, measure_presence
from evals.tasks.scores import Report
from evals.tasks.task import load_tasks

PAGE = PROJECT / "docs" / "figures.md"


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
            three = (f"{scores[leg][kind].recall10:.2f}" for leg in ("dense", "lexical"))
            rows.append(f"| {name}, {kind} ({hybrid.count}) | {' | '.join(three)} | **{hybrid.recall10:.2f}** |")
    return "\n".join(["| queries | vectors | words | both, and days |", "| --- | --- | --- | --- |", *rows])


_NO_DRAFTS = "– | –"


def render_policies() -> str:
    """Return a table of what the policies miss and send back, by set of drafts; `python -m evals.policies` has more."""
    rows = []
    for name in SETS:
        cells = []
        for half in HALVES:
            for kind, language, honest, alarms, false, missed in policy_rows(half, name):
                if kind == language == "all":
                    cells.append(f"{missed} of {false} | {alarms} of {honest}" if honest + false else _NO_DRAFTS)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    head = "| drafts | missed, tuning | sent back wrongly, tuning | missed, held-out | sent back wrongly, held-out |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *rows])


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
        shown = (figures[name] for name in columns.values())
        cells = (str(figure) if isinstance(figure, int) else f"{figure:.2f}" for figure in shown)
        rows.append(f"| {group.replace('_', ' ')} | {' | '.join(cells)} |")
    return "\n".join([f"| group | {' | '.join(columns)} |", f"|{' --- |' * (len(columns) + 1)}", *rows])


@cache
def measure_context() -> dict[str, Presence]:
    """Return by embedder how many lines that decide a question reach the model."""
    return {name: measure_presence(build_embedder(load_settings({}), name)) for name in LOCAL_EMBEDDERS}


def render_context(every: dict[str, Presence] | None = None) -> str:
    """Return a table of how many lines that decide a question reach the model, in the prompt and as items.

    Args:
        every: The shares by embedder; None measures them.
    """
    every = every or measure_context()
    rows = [f"| {name} | **{p.in_prompt:.2f}** | {p.found:.2f} | {p.found_wider:.2f} |" for name, p in every.items()]
    head = "| embedder | in the prompt | an item, the question is searched | an item, preferences are searched |"
    return "\n".join([head, "| --- | --- | --- | --- |", *rows])


SUMMARY = (
    ("writes that were acknowledged and lost by kill -9", "runs", "`make crash`", 2, "`make crash`"),
    ("texts that give orders, obeyed by a gullible model: harm done", "runs", "`make attack`", 2, "`make attack`"),
    (
        "false drafts of a stranger that pass, 15 of them claims, which the record contradicts",
        "policies",
        "stranger2 |",
        3,
        "`python -m evals.policies`",
    ),
    ("honest drafts of the stranger that are sent back", "policies", "stranger2 |", 4, "`python -m evals.policies`"),
    ("tasks that the offline reader does right", "tasks", "all |", 2, "`ana eval`"),
    ("its wrong writes", "tasks", "all |", 4, "`ana eval`"),
    (
        "paraphrases without a shared word, found among ten, of 46 (goal 0.90)",
        "found-minilm",
        "blind, paraphrase",
        3,
        "`make bench`",
    ),
    ("process start to prompt (goal 0.3 s)", "speed", "process start to prompt", 1, "`make bench`"),
    ("process start to first answer (goal 2 s)", "speed", "process start to first answer", 1, "`make bench`"),
    (
        "Enter to a search's answer, 10,000 items (goal 0.2 s)",
        "speed",
        "Enter to answer, 10,000 items: find",
        1,
        "`make bench`",
    ),
    ("a turn with one tool call, beside create_agent's (goal 1.4)", "speed", "ratio (goal", 1, "`make bench`"),
    (
        "hybrid query at 10,000 items, beside raw Chroma's vectors (goal 2)",
        "speed",
        "hybrid query (goal 2) at 10,000",
        1,
        "`make bench`",
    ),
    ("the same beside sqlite-vec's", "speed", "hybrid query (goal below 1) at 10,000", 1, "`make bench`"),
)
"""What the first table shows: what was measured, the part, row and column of docs/figures.md, and the command."""


def render_summary() -> str:
    rows = [f"| {what} | {read_cell(PAGE, part, row, column)} | {by} |" for what, part, row, column, by in SUMMARY]
    return "\n".join(["| what | figure | by |", "| --- | --- | --- |", *rows])
