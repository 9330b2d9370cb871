"""`ana today`: what is overdue, today's and the next days', on one screen."""

from ana.handles import open_data
from app.due import show_today
from app.startup import start


def today() -> None:
    """Show the day at a glance: what is overdue, today with its times, then the next days, on one screen."""
    with open_data(start(), "ana today") as handles:
        show_today(handles)
