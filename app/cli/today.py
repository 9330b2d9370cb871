"""`ana today`: what is overdue, today's and the next days', on one screen."""

from ana.handles import open_data_folder
from app.startup import start
from app.today import show_today


def today() -> None:
    """Show the day at a glance: what is overdue, today with its times, then the next days, on one screen."""
    with open_data_folder(start(), "ana today") as handles:
        show_today(handles)
