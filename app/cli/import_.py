"""`ana import`: an export, or another program's file, brought in as one change."""

from datetime import tzinfo
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated
from zipfile import is_zipfile

import typer

from ana.addresses import list_own_mail
from ana.errors import UserError
from ana.handles import open_data
from ana.output import tell
from app.show.confirm import ask, can_ask
from app.show.text import pluralize, say
from app.startup import spell_user, start

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.transfer.bundle import Bundle
    from ana.transfer.importer import ImportResult
    from ana.transfer.whose import Whose

SHOWN = 10
"""How many ids of conflicting records are printed."""


def import_(
    source: Annotated[str, typer.Argument(help="A file, a folder, or the address of a calendar.")],
    replace: Annotated[bool, typer.Option("--replace", help="Where something else is here, take the file's.")] = False,
    mine: Annotated[bool | None, typer.Option("--mine/--from-others", help="Whose words it holds.")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Read the calendar at this address every hour.")] = False,
    name: Annotated[str, typer.Option(help="What a calendar that is followed is called here.")] = "",
    unfollow: Annotated[
        bool, typer.Option("--unfollow", help="Follow the calendar of this name no more; its entries go.")
    ] = False,
) -> None:
    """Bring in an export; or a calendar (.ics), Todoist's CSV, a folder of the agent-native-app.

    A calendar that is followed is read while `ana`, `ana serve` or `ana remind` runs. Its entries are changed there.

    Others' words are kept as theirs. Whose they are is asked in a terminal, if no option says it. Elsewhere an event
    with an organiser or guests is others', and an export says itself whose each record is.
    """
    from ana.progress import Work, working
    from ana.transfer.importer import import_bundle
    from ana.transfer.whose import tell_whose
    from app.show.progress import show_progress

    with open_data(start(), "ana import") as handles:
        if follow or unfollow:
            _follow(handles, source, name, is_over=unfollow)
            return
        bundle = _read_source(source, handles)
        bundle = tell_whose(bundle, _ask_whose(bundle, mine), list_own_mail(handles.settings.ana_notify))
        before = _back_up(handles) if bundle.changes else None
        try:
            with show_progress("embedding") as progress, working(Work(progress)):
                result = import_bundle(handles.memory, bundle, replace=replace)
        except KeyboardInterrupt:
            # cut short while it was being written, it is settled by whoever opens the folder next
            tell("The import was stopped. Of its file all is stored or nothing; `ana items` shows which.")
            raise typer.Exit(130) from None
    say(f"{result.new} new, {result.unchanged} were here already.")
    for note in result.notes:
        say(note)
    _show_conflicts(result, replace)
    if result.others:
        say(f"{result.others} are kept as the words of others.")
    user = spell_user(handles.workspace)
    if result.turn and result.others:
        say(f"To make them yours: ana claim --turn {result.turn}{user}")
    if result.turn:
        say(f"To take it back: ana undo --turn {result.turn}{user}")
    elif before and result.new:
        say(f"It came with its own history. To go back to before it: ana restore {before}")


def _follow(handles: "DataHandles", source: str, name: str, *, is_over: bool) -> None:
    """Follow a calendar, or no more, and print what came of it."""
    from ana.memory.receipts import describe_change, make_receipt
    from app.following import Following
    from app.show.answers import show_changes

    following = Following(handles)
    if is_over:
        said, changes = f"{source} is not followed any more: {{}} taken out.", following.unfollow(source)
    else:
        calendar, changes = following.follow(source, name)
        said = f"{calendar.name} is followed, and read every hour: {{}} came."
    say(said.format(pluralize(len(changes), "entry", "entries")))
    show_changes(describe_change(make_receipt(each, handles.clock.zone)) for each in changes[:SHOWN])
    if len(changes) > SHOWN:
        say(f"  and {len(changes) - SHOWN:,} more")


def _ask_whose(bundle: "Bundle", mine: bool | None) -> "Whose | None":
    """Return whose words a file holds, as the person says it; None to take what it says itself."""
    if mine is None and not bundle.format and can_ask():
        mine = ask("Is all of this in your own words?", default=not bundle.authors)
        if bundle.authors and not mine:
            return None  # but what has neither organiser nor guests
    return None if mine is None else "mine" if mine else "others"


def _show_conflicts(result: "ImportResult", replace: bool) -> None:
    if result.conflicting and replace:
        say(f"{len(result.conflicting)} were something else here and are now as the file says.")
    elif result.conflicting:
        ids = ", ".join(result.conflicting[:SHOWN]) + (", ..." if len(result.conflicting) > SHOWN else "")
        say(f"{len(result.conflicting)} are something else here, or were deleted here, and were left so: {ids}.")
        say("--replace makes them what the file says.")


def _back_up(handles: "DataHandles") -> Path | None:
    """Back everything up before records come in with a history of their own: undo cannot take that back as one turn."""
    from ana.archive.backup import back_up_before

    if handles.find_upkeep() is None or not handles.memory.turns(limit=1):
        return None
    return back_up_before(handles, "import")


def _read_source(source: str, handles: "DataHandles") -> "Bundle":
    if "://" not in source:
        try:
            return _read_file(Path(source), handles.clock.zone)
        except OSError as exc:
            raise UserError(f"{source} cannot be read: {exc.strerror or exc}.", "Nothing was changed.") from exc
    from ana.transfer.following import make_calendar
    from app.following import fetch

    calendar = make_calendar(source)
    found = fetch(handles.workspace, calendar.url)
    assert found, "without an ETag it is sent as a whole"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "calendar.ics"
        path.write_bytes(found.data)
        try:
            return _read_file(path, handles.clock.zone)
        except UserError as exc:
            raise UserError(exc.message.replace(str(path), f"What {calendar.host} sent"), exc.hint) from exc


def _read_file(path: Path, zone: tzinfo) -> "Bundle":
    from ana.transfer.reading import read_source

    if path.is_file() and is_zipfile(path):
        raise UserError(f"{path} is a ZIP.", "`ana restore` reads backups; unpack another archive and import its file.")
    bundle = read_source(path, zone)
    if bundle is None:
        raise UserError(
            f"{path} cannot be imported.",
            "`ana import` reads its own exports, calendars (.ics), Todoist's CSV, and a Chroma"
            " folder of the agent-native-app.",
        )
    return bundle
