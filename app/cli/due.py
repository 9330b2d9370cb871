"""`ana due`: what is overdue, due today and due in the next seven days."""

from typing import Annotated

import typer

from ana.handles import open_data
from ana.output import tell, write_json
from app.due import describe_groups, group_due, group_due_locally, show_due
from app.reminding import describe_failing
from app.startup import start

SOMETHING_DUE = 4
"""Exit code when something is overdue or due today, so that cron jobs and shell scripts can act on it."""


def due(
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is overdue, not marked, today's and in the next seven days. Exit code 4 if anything but the last is."""
    with open_data(start(), "ana due") as handles:
        groups = group_due(handles) if json_ else group_due_locally(handles)
        year = handles.clock.now().year
        failing = describe_failing(handles.workspace)
    for sentence in failing:
        tell(sentence)
    if json_:
        write_json(describe_groups(groups))
    else:
        show_due(groups, year=year)
    if any(groups[name].items for name in ("overdue", "unmarked", "today")):
        raise typer.Exit(SOMETHING_DUE)
