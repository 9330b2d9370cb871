"""`ana due`: items overdue, due today and due in the next seven days."""

from typing import Annotated

import typer

from ana.handles import open_data
from ana.output import tell, write_json
from app.due import describe_groups, group_due, group_due_locally, show_due
from app.reminding import describe_failing
from app.startup import start

SOMETHING_DUE = 4
"""Exit code if something is overdue or due today, for cron jobs and shell scripts."""


def due(
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show overdue, unmarked, today's and the next seven days' items. Exit code 4 if any is not in the future."""
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
