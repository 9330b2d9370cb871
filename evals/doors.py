"""The doors of the program: commands, as docs/commands.md lists them, and what is not built, as docs/server.md does."""

from starlette.routing import Route

from app.cli.main import COMMANDS, find_others, load_command
from app.server.app import NOT_BUILT


def render_not_built() -> str:
    """Return what the LangGraph API has and our server has not."""
    paths = [f"`{route.path.replace(':path}', '}')}`" for route in NOT_BUILT if isinstance(route, Route)]
    return ", ".join(paths)


def render_commands() -> str:
    """Return the commands, and of groups their parts, with the first sentence that `--help` says of each."""
    rows = []
    for name in (*COMMANDS, *sorted(find_others().names)):
        command = load_command(name)
        parts = "\\|".join(getattr(command, "commands", {}))
        text = " ".join(command.help.split()).partition(". ")[0].rstrip(".")
        rows.append(f"| `ana {' '.join(filter(None, (name, parts)))}` | {text} |")
    return "\n".join(["| command | what it does |", "| --- | --- |", *rows])
