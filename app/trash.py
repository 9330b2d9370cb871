"""`ana trash`: what was deleted, brought back or forgotten for ever."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.handles import open_handles
from ana.settings import Settings
from app.show import change_line, say, short
from app.tables import show_table
from tools.call import receipt

if TYPE_CHECKING:
    from ana.handles import Handles

_AGE = re.compile(r"(?P<count>\d{1,5})\s*(?P<unit>[dw])(?:ays?|eeks?)?", re.IGNORECASE)


def show_trash(settings: Settings) -> None:
    """Print what lies in the trash, the one deleted last first."""
    from ana.store.trash import deleted

    with _opened(settings) as handles:
        rows = [(e.item.id, short(e.item.content, 160), e.ts[:16].replace("T", " ")) for e in deleted(handles.memory)]
    if rows:
        show_table(("id", "content", "deleted (UTC)"), rows, fixed=("id", "deleted (UTC)"), first=1)
    else:
        say("The trash is empty.")


def restore(settings: Settings, id: str) -> None:
    """Bring a deleted item back.

    Raises:
        UserError: It does not lie in the trash.
    """
    from ana.store.trash import restore as bring_back

    with _opened(settings) as handles:
        say(f"  {change_line(receipt(bring_back(handles.memory, id)))}")


def purge(settings: Settings, older_than: str) -> int:
    """Forget for ever what was deleted longer ago than this: 30d, 4w; how many items that were.

    Raises:
        UserError: The age is none.
    """
    from ana.store.trash import purge as forget

    age = _AGE.fullmatch(older_than.strip())
    if age is None:
        raise UserError(f"{older_than!r} is no age.", "Write it as 30d or 4w.")
    days = int(age["count"]) * (7 if age["unit"].lower() == "w" else 1)
    with _opened(settings) as handles:
        before = handles.clock.now().astimezone(UTC) - timedelta(days=days)
        return len(forget(handles.memory, before.isoformat(timespec="microseconds")))


@contextmanager
def _opened(settings: Settings) -> "Iterator[Handles]":
    handles = open_handles(settings, "ana trash")
    try:
        yield handles
    finally:
        handles.memory.close()
