"""`make readme`: the parts of README.md and docs that are generated from the code."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ana.embedders import build_embedder
from ana.handles import LOCAL_EMBEDDERS
from ana.settings import PROJECT, Settings, load_settings
from app.cli.eval import play
from evals import imports
from evals.conversation import render_conversation
from evals.policies.data import HALVES, SETS
from evals.policies.measure import rows as policy_rows
from evals.retrieval import measure as retrieval
from evals.retrieval.context import Presence, measure_presence
from evals.tasks.scores import Report
from evals.tasks.task import load_tasks
from graph.builder import graph
from tools.catalog import TOOLS

SAID = (
    "Remind me to review the quarterly report on Friday",
    "I need to send the invoice to Acme by tomorrow, urgent #acme",
    "note: the spare key is in the blue tin",
    "I prefer deep work in the mornings",
    "What should I focus on today?",
    "what do I have in the next 7 days?",
    "Acme's invoice is sent",
    "If I spend $12.50 daily for 9 days, what's the total?",
    "What time is it right now? Use UTC.",
)
SAID_LATER = ("where is the spare key?", "What do you know about me?", "/context")
DOORS = (
    ("`make chat`, `ana`", "the REPL: /help /context /items /due /undo /transcript /threads /autonomy /reset /quit"),
    (
        '`ana ask "…" [--thread T] [--json] [--utc] [--max-steps N]`',
        "one turn; piped text is added; exit 0 done, 1 failed or not understood, 2 wrong use, 3 waiting for a decision",
    ),
    (
        "`ana setup`",
        "choose a model (OpenAI, OpenRouter, Ollama, a compatible server, a GGUF file), try it with one message,"
        " write `.env`",
    ),
    (
        r"`ana ask --thread T --decide approve\|reject\|FILE`",
        'decides what a turn waits for; FILE holds {"decisions": [...]}',
    ),
    (
        "`ana threads list\\|show T [--limit N --before TURN]\\|delete T [--yes]\\|restore T\\|drop T`",
        "conversations, read from their traces; a deletion can be taken back until the trash is purged",
    ),
    (
        "`ana items [WORDS] [--where JSON] [--due today\\|week\\|overdue] [--why] [--json]`",
        "what is kept, found by meaning, words and property, as a table",
    ),
    (
        "`ana due [--json]`",
        "what is overdue, due today, in the next seven days; exit 4 if anything is overdue or due today, for cron",
    ),
    ("`ana history [--item ID] [--since DAY] [--json]`", "what was changed, when, and in which turn"),
    (
        "`ana replay ID\\|--path FILE [--index -1] [--rerun [--model M] [--prompt FILE]] [--json]`",
        "tells a recorded turn: steps, timings, cost; runs it again on a copy of the store as it was, or asks another "
        "model; exit 0 the same, 1 different, 2 it cannot be run again",
    ),
    (
        "`ana undo [--turn T] [--force]`",
        "undoes a whole turn, items and Global Context alike; can be undone itself; exit 1 on a conflict",
    ),
    (
        "`ana trash [list\\|restore ID\\|--purge [--older-than 30d] [--with-conversations [--yes]]]`",
        "what was deleted: seen, brought back, or deleted permanently, so that no file of the data folder holds it",
    ),
    (
        "`ana doctor [--repair] [--json]`",
        "proves that everything is readable, found by its own vector and as the journal says; repairs it;"
        " exit 1 if not",
    ),
    (
        "`ana export FILE [--force]`, `ana import FILE [--replace]`",
        "everything as lines of JSON, the same bytes again from an empty folder; takes also Taskwarrior's JSON,"
        " Todoist's CSV and a Chroma folder of the agent-native-app; all or nothing",
    ),
    (
        "`ana backup FILE`, `ana restore FILE`",
        "everything in one file, conversations and traces included, taken while it is in use; and back",
    ),
    ("`ana traces [--older-than 30d [--purge]]`", "the traces: how many turns, how large; old ones forgotten"),
    (
        "`ana cost [--since 7d] [--json]`",
        "what models cost, by day and model, from the traces; lines that cannot be read are named",
    ),
    ("`ana reindex [--embeddings NAME]`", "embeds everything again; the old or the new, never neither"),
    ("`ana describe [-s N] [--json]`", "what the store holds"),
    (
        "`ana eval [--tasks FILE\\|GROUP] [--n N] [--repeat K] [--model M] [--judge M] [--json]`",
        "plays tasks, each on a store that is thrown away, and tells how often they are done right; `--picture FILE`"
        " draws it, beside an earlier `--json` with `--compare FILE`; `--langsmith` uploads it;"
        " `--judge` lets another model score the answers, and tells how often the exact checks say the same",
    ),
    (
        "`ana optimize [--n 12] [--repeat K] [--max-demos 8] [--teacher M] [--save FILE]`",
        "plays tasks, and saves as worked examples those turns that help with tasks they were not made from;"
        " the four nearest to a question are shown to the model",
    ),
    ("`make dev`", "the LangGraph dev server on 127.0.0.1:2024, for Studio and the API"),
    (
        "`POST /ask`",
        "{question, thread_id?, max_steps?} → {answer, thread_id, trace_id, trace_path, steps, usage, cost_usd, "
        "changes, "
        "receipt}, "
        'or {answer: "", thread_id, pending, steps} while a decision is needed; then {decisions, thread_id}',
    ),
    ("`GET /trace/{id}`", "a turn's record, by its id or the newest of a thread"),
    ("`GET /transcript/{thread}?limit=50&before=TURN`", "turns of a conversation, page by page from its traces"),
    ("`GET /health`, `/version`", "whether it answers, and what it is"),
)
_MARKED = r"(<!-- begin:{0} -->\n).*?(<!-- end:{0} -->)"


def render_tools() -> str:
    rows = [f"| `{_format_signature(name)}` | {tool.description.splitlines()[0]} |" for name, tool in TOOLS.items()]
    return "\n".join(["| tool | what it does |", "| --- | --- |", *rows])


def render_settings() -> str:
    rows = []
    for name, field in Settings.model_fields.items():
        default = None if field.default_factory else field.default
        shown = "" if default is None or default in ([], ()) else f"`{default}`"
        rows.append(f"| `{name.upper()}` | {shown} | {field.description} |")
    return "\n".join(["| setting | default | what it is |", "| --- | --- | --- |", *rows])


def render_doors() -> str:
    return "\n".join(["| door | what for |", "| --- | --- |", *(f"| {door} | {what} |" for door, what in DOORS)])


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
    """Return a table of what the policies miss and send back, by set of drafts, by class and by language."""
    rows = []
    for name in SETS:
        by_name: dict[str, list[str]] = {}
        for half in HALVES:
            for kind, language, honest, alarms, false, missed, _ in policy_rows(half, name):
                if "all" in (kind, language):
                    about = kind if language == "all" else language
                    figures = f"{missed} of {false} | {alarms} of {honest}" if honest + false else _NO_DRAFTS
                    by_name.setdefault(about, []).append(figures)
        rows += [
            f"| {name}, {about} | {' | '.join(halves)} |"
            for about, halves in by_name.items()
            if {*halves} != {_NO_DRAFTS}
        ]
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
    """Return by embedder how many lines that decide a question reach the model; two pages show it."""
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


def render_graph() -> str:
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```"


Run = Callable[[str, dict[str, str]], str]
"""Runs `ana chat`: takes what is typed and the environment, returns what it prints."""


def start_chat(given: str, env: dict[str, str]) -> str:
    command = [sys.executable, "-m", "app.cli", "chat"]
    env = os.environ | env
    return subprocess.run(command, input=given, cwd=PROJECT, env=env, capture_output=True, text=True, check=True).stdout


def record_transcript(run: Run = start_chat) -> str:
    """Return the output of `ana chat` on an empty folder for SAID, and for SAID_LATER after starting again."""
    with tempfile.TemporaryDirectory() as name:
        here = {"ANA_DATA_DIR": "data", "TRACES_DIR": "traces", "LOG_FILE_PATH": "ana.log"}
        env = {key: f"{name}/{path}" for key, path in here.items()} | {"LLM_PROVIDER": "offline"}
        shown = "\n".join(run("\n".join(said) + "\n", env) for said in (SAID, SAID_LATER))
        return f"```\n{shown.replace(name, '').replace('data in /data', 'data in .data')}```"


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {
        "transcript": record_transcript,
        "conversation": render_conversation,
        "graph": render_graph,
        "tools": render_tools,
        "doors": render_doors,
        "settings": render_settings,
        "found": render_recall,
        "found-minilm": lambda: render_recall(embedder="minilm"),
        "policies": render_policies,
        "tasks": render_tasks,
        "context": render_context,
    },
    "docs/global-context.md": {"context": render_context},
    "docs/architecture.md": {"graph": render_graph, "imports": imports.draw},
}


def replace_parts(path: Path, parts: dict[str, str]) -> str:
    """Return a file's text with its marked parts replaced."""
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        pattern = re.compile(_MARKED.format(name), re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"{path.name} has no part {name}")
        text = pattern.sub(rf"\g<1>{_escape(part)}\n\g<2>", text)
    return text


def main() -> None:
    for name, parts in PARTS.items():
        path = PROJECT / name
        path.write_text(replace_parts(path, {part: make() for part, make in parts.items()}), encoding="utf-8")


def _escape(part: str) -> str:
    return part.replace("\\", "\\\\")


def _format_signature(name: str) -> str:
    arguments = TOOLS[name].args
    shown = [
        a if "default" not in spec else f"{a}={_format_default(spec['default'])}"
        for a, spec in arguments.items()
        if a != "call"
    ]
    return f"{name}({', '.join(shown)})"


def _format_default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    main()
