"""`make readme`: the parts of the docs that are generated from the code."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

from starlette.routing import Route

from ana.children import run_python
from ana.settings import PROJECT, PersonalSettings, Settings
from app.cli.main import COMMANDS, find_others, load_command
from app.server.app import NOT_BUILT
from evals import figures, imports
from evals.conversation import render_conversation
from evals.load.server import name_places
from evals.pages import draw_table, replace_parts
from graph.builder import graph
from tools.catalog import TOOLS

LINES = (
    "Remind me to review the quarterly report on Friday",
    "note: the spare key is in the blue tin",
    "due this week",
    "done with the quarterly report",
    "cancel Netflix by Friday",
    "task: cancel Netflix by Friday",
)
LATER_LINES = ("where is the spare key?",)


def render_tools() -> str:
    rows = ((f"`{_format_signature(name)}`", tool.description.splitlines()[0]) for name, tool in TOOLS.items())
    return draw_table(("tool", "what it does"), rows)


def render_settings() -> str:
    rows = []
    deployment_first = sorted(Settings.model_fields.items(), key=lambda each: each[0] in PersonalSettings.model_fields)
    for name, field in deployment_first:
        default = None if field.default_factory else field.default
        default = ", ".join(default) if isinstance(default, list | tuple) else default
        cell = "" if default in (None, "") else f"`{default}`"
        rows.append((f"`{name.upper()}`", cell, str(field.description)))
    return draw_table(("setting", "default", "what it is"), rows)


def render_commands() -> str:
    """Return the commands, and of groups their parts, with the first sentence that `--help` says of each."""
    rows = []
    for name in (*COMMANDS, *sorted(find_others().names)):
        command = load_command(name)
        parts = "\\|".join(getattr(command, "commands", {}))
        text = " ".join(command.help.split()).partition(". ")[0].rstrip(".")
        rows.append((f"`ana {' '.join(filter(None, (name, parts)))}`", text))
    return draw_table(("command", "what it does"), rows)


def render_not_built() -> str:
    """Return what the LangGraph API has and our server has not."""
    paths = [f"`{route.path.replace(':path}', '}')}`" for route in NOT_BUILT if isinstance(route, Route)]
    return ", ".join(paths)


def render_graph() -> str:
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```"


CHAT = """
    import sys
    from datetime import UTC, datetime
    from ana.time import clock
    from app.cli.main import main

    passed = datetime.now(UTC) - datetime(2026, 12, 1, 14, tzinfo=UTC)
    clock._utc_now = lambda: datetime.now(UTC) - passed
    clock.Clock.__init__.__defaults__ = (clock._utc_now,)
    sys.argv = ["ana", "chat"]
    main()
"""
"""`ana chat` on a Tuesday at two: what is due this week is another thing on a Friday."""

Run = Callable[[str, dict[str, str]], str]
"""Runs CHAT: takes what is typed and the environment, returns what it prints."""


def start_chat(text: str, env: dict[str, str]) -> str:
    done = run_python("-c", dedent(CHAT), stdin=text, env=env)
    done.check_returncode()
    return done.stdout


def record_transcript(run: Run = start_chat) -> str:
    """Return the output of `ana chat` on an empty folder for LINES, and for LATER_LINES after starting again."""
    with tempfile.TemporaryDirectory() as name:
        env = name_places(Path(name), ANA_TIMEZONE="UTC")
        transcript = "\n".join(run("\n".join(lines) + "\n", env) for lines in (LINES, LATER_LINES))
        return f"```\n{transcript.rstrip().replace(name, '').replace('data in /data', 'data in .data')}\n```"


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "docs/figures.md": {
        "found": figures.render_recall,
        "found-minilm": lambda: figures.render_recall(embedder="minilm"),
        "policies": figures.render_policies,
        "tasks": figures.render_tasks,
        "capable": figures.render_capable,
        "context": figures.render_context,
    },
    "docs/using.md": {"transcript": record_transcript, "conversation": render_conversation},
    "docs/commands.md": {"commands": render_commands},
    "docs/server.md": {"not-built": render_not_built},
    "docs/tools.md": {"tools": render_tools},
    "docs/settings.md": {"settings": render_settings},
    "docs/architecture.md": {"graph": render_graph, "imports": imports.draw},
}
"""The generated parts of each page."""


def main() -> None:
    for name, parts in PARTS.items():
        path = PROJECT / name
        path.write_text(replace_parts(path, {part: make() for part, make in parts.items()}), encoding="utf-8")


def _format_signature(name: str) -> str:
    arguments = TOOLS[name].args
    parts = [
        a if "default" not in spec else f"{a}={_format_default(spec['default'])}"
        for a, spec in arguments.items()
        if a != "call"
    ]
    return f"{name}({', '.join(parts)})"


def _format_default(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


if __name__ == "__main__":
    main()
