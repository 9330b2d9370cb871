"""`ana today`: overdue items, today and the next days, on one screen."""

from typing import Annotated

import typer

from ana.handles import open_data
from ana.output import write_json
from app.due import describe_groups, group_due, show_today
from app.following import list_calendar_news
from app.startup import start


def today(
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the day on one screen: overdue items, today with its times, and the next days."""
    with open_data(start(), "ana today") as handles:
        if json_:
            day = {"day": handles.clock.now().date().isoformat()}
            write_json(day | describe_groups(group_due(handles)) | {"calendars": list_calendar_news(handles)})
        else:
            show_today(handles)
