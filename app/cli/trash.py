"""`ana trash`: what was deleted, brought back or forgotten for ever."""

from ana.handles import opened
from ana.memory.receipts import receipt
from ana.settings import Settings
from app.cli.ages import moment_before
from app.show.tables import show_table
from app.show.text import change_line, say, short


def show_trash(settings: Settings) -> None:
    """Print what lies in the trash, the one deleted last first."""
    from ana.memory.trash import list_deleted

    with opened(settings, "ana trash") as handles:
        gone = list_deleted(handles.memory)
    rows = [(each.item.id, short(each.item.content, 160), each.ts[:16].replace("T", " ")) for each in gone]
    if rows:
        show_table(("id", "content", "deleted (UTC)"), rows, fixed=("id", "deleted (UTC)"), first=1)
    else:
        say("The trash is empty.")


def restore(settings: Settings, id: str) -> None:
    """Bring a deleted item back.

    Raises:
        UserError: It does not lie in the trash.
    """
    from ana.memory.trash import restore as bring_back

    with opened(settings, "ana trash") as handles:
        say(f"  {change_line(receipt(bring_back(handles.memory, id)))}")


def purge(settings: Settings, older_than: str) -> int:
    """Forget for ever what was deleted longer ago than this: 30d, 4w; how many items that were.

    Raises:
        UserError: The age is none.
    """
    from ana.memory.trash import purge as forget

    with opened(settings, "ana trash") as handles:
        before = moment_before(older_than, handles.clock)
        return len(forget(handles.memory, before.isoformat(timespec="microseconds")))
