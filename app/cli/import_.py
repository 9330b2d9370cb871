"""`ana import`: import an export or another program's file as one change."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ana.addresses import list_own_mail
from ana.errors import UserError
from ana.handles import DataHandles, open_data
from ana.memory.receipts import describe_change, make_receipt
from ana.output import tell
from ana.stopping import Work, working
from ana.transfer.bundle import Bundle
from ana.transfer.following import make_calendar
from app.following import Following, fetch
from app.show.answers import show_changes
from app.show.confirm import ask, can_ask
from app.show.items import show_items
from app.show.progress import show_progress
from app.show.text import pluralize, say
from app.startup import spell_user, start

if TYPE_CHECKING:
    from ana.transfer.importer import ImportResult
    from ana.transfer.whose import Whose

MOST_LISTED = 10
"""Most ids of conflicting records to print."""


def import_(
    source: Annotated[str, typer.Argument(help="A file, a folder, or the address of a calendar.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace records that differ from the file.")] = False,
    mine: Annotated[bool | None, typer.Option("--mine/--from-others", help="Whether the text in it is yours.")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Read the calendar at this address every hour.")] = False,
    name: Annotated[str, typer.Option(help="The name of the followed calendar here.")] = "",
    unfollow: Annotated[
        bool, typer.Option("--unfollow", help="Stop following the calendar of this name, and remove its entries.")
    ] = False,
    title: Annotated[list[str] | None, typer.Option(help="The column with the title.")] = None,
    text: Annotated[list[str] | None, typer.Option(help="The column with further text.")] = None,
    due: Annotated[list[str] | None, typer.Option(help="The column with the due date.")] = None,
    begins: Annotated[list[str] | None, typer.Option("--start", help="The column with the start.")] = None,
    done: Annotated[list[str] | None, typer.Option(help="The column with what is done: 'Status = Closed'.")] = None,
    list_: Annotated[list[str] | None, typer.Option("--list", help="The column with the list or project.")] = None,
    tags: Annotated[list[str] | None, typer.Option(help="The column with the tags.")] = None,
    repeats: Annotated[list[str] | None, typer.Option(help="The column with the repetition.")] = None,
    leave_out: Annotated[list[str] | None, typer.Option(help="A column to leave out.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Import without asking.")] = False,
) -> None:
    """Import an export, a calendar (.ics), or rows: CSV, TSV, JSON, Markdown notes, or a folder or ZIP of them.

    For rows you first see the meaning of each column and three items. Files of Todoist, Google Tasks, TickTick,
    Outlook, Keep, Notion, mem0 and Obsidian are known; otherwise a model says what the columns mean, or the options do.

    A followed calendar is read while `ana`, `ana serve` or `ana remind` runs. Change its entries there.

    Text by others is marked. In a terminal you are asked whose text it is, unless an option says so. Elsewhere an event
    with an organiser or guests is by others, and an export contains the source of each record.
    """
    from ana.archive.backup import back_up_before_import
    from ana.transfer.whose import tell_whose

    with open_data(start(), "ana import") as handles:
        if follow or unfollow:
            _follow(handles, source, name, is_over=unfollow)
            return
        columns = {
            "title": title, "text": text, "due": due, "start": begins, "done": done, "list": list_, "tags": tags,
            "repeats": repeats, "leave_out": leave_out,
        }  # fmt: skip
        bundle = _read_source(source, handles, {name: names for name, names in columns.items() if names}, yes=yes)
        bundle = tell_whose(bundle, _ask_whose(bundle, mine), list_own_mail(handles.settings.ana_notify))
        before = back_up_before_import(handles) if bundle.changes else None
        result = _store(handles, bundle, replace=replace)
    _tell(result, handles, before, replace=replace)


def _store(handles: DataHandles, bundle: Bundle, *, replace: bool) -> "ImportResult":
    from ana.transfer.importer import import_bundle

    try:
        with show_progress("embedding") as progress, working(Work(progress)):
            return import_bundle(handles.memory, bundle, replace=replace)
    except KeyboardInterrupt:
        # cut short while it was being written, it is settled by whoever opens the folder next
        tell("The import was stopped. All of its file was stored or nothing; `ana items` shows which.")
        raise typer.Exit(130) from None


def _tell(result: "ImportResult", handles: DataHandles, before: Path | None, *, replace: bool) -> None:
    """Print the result of an import, and how to undo it; `before` is the backup made before it."""
    say(f"{result.new} new, {result.unchanged} were here already.")
    for note in result.notes:
        say(note)
    _show_conflicts(result, replace)
    if result.others:
        say(f"{result.others} are marked as text by others.")
    user = spell_user(handles.workspace)
    if result.turn and result.others:
        say(f"To make them yours: ana claim --turn {result.turn}{user}")
    if result.turn:
        say(f"To undo: ana undo{user}")
    elif before and result.new:
        say(f"The import included its history. To go back to the state before it: ana restore {before}")


def _follow(handles: DataHandles, source: str, name: str, *, is_over: bool) -> None:
    """Follow a calendar, or stop following it, and print the result."""
    following = Following(handles)
    if is_over:
        text, changes = f"{source} is no longer followed: {{}} removed.", following.unfollow(source)
    else:
        calendar, changes = following.follow(source, name)
        text = f"{calendar.name} is followed and read every hour: {{}} imported."
    say(text.format(pluralize(len(changes), "entry", "entries")))
    show_changes(describe_change(make_receipt(each, handles.clock.zone)) for each in changes[:MOST_LISTED])
    if len(changes) > MOST_LISTED:
        say(f"  and {len(changes) - MOST_LISTED:,} more")


def _ask_whose(bundle: Bundle, mine: bool | None) -> "Whose | None":
    """Ask the person whose text a file contains; None: use the sources in the file."""
    if mine is None and not bundle.format and can_ask():
        mine = ask("Is all of this in your own words?", default=not bundle.authors)
        if bundle.authors and not mine:
            return None  # but what has neither organiser nor guests
    return None if mine is None else "mine" if mine else "others"


def _show_conflicts(result: "ImportResult", replace: bool) -> None:
    if result.conflicting and replace:
        say(f"{len(result.conflicting)} were different here and now match the file.")
    elif result.conflicting:
        ids = ", ".join(result.conflicting[:MOST_LISTED]) + (", ..." if len(result.conflicting) > MOST_LISTED else "")
        say(f"{len(result.conflicting)} are different here, or were deleted here, and were not changed: {ids}.")
        say("--replace makes them match the file.")


def _read_source(source: str, handles: DataHandles, columns: dict[str, Any], *, yes: bool) -> Bundle:
    if "://" not in source:
        try:
            return _read_file(Path(source), handles, columns, yes=yes)
        except OSError as exc:
            raise UserError(f"{source} cannot be read: {exc.strerror or exc}.", "Nothing was changed.") from exc
    calendar = make_calendar(source)
    download = fetch(handles.workspace, calendar.url)
    assert download, "without an ETag it is sent as a whole"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "calendar.ics"
        path.write_bytes(download.data)
        try:
            return _read_file(path, handles, {}, yes=yes)
        except UserError as exc:
            raise UserError(exc.message.replace(str(path), f"What {calendar.host} sent"), exc.hint) from exc


def _read_file(path: Path, handles: DataHandles, columns: dict[str, Any], *, yes: bool) -> Bundle:
    from ana.transfer.reading import read_source
    from app.columns import ColumnChooser

    chooser = ColumnChooser(handles, columns)
    bundle = read_source(path, handles.clock.zone, chooser.choose)
    if bundle is None:
        raise UserError(
            f"{path} cannot be imported.",
            "`ana import` reads its own exports, calendars (.ics), and rows (CSV, TSV, JSON, Markdown, a folder or ZIP"
            " of them).",
        )
    if bundle.columns and not yes:
        _show_columns(bundle, handles)
        if can_ask() and not ask("Import these?", default=True):
            raise UserError("Nothing was changed.", "`--title COLUMN`, `--due COLUMN` and so on set the columns.")
        if chooser.is_guessed and not can_ask():
            raise UserError("Nothing was changed: a model chose the meaning of the columns.", "--yes accepts it.")
    return bundle


def _show_columns(bundle: Bundle, handles: DataHandles) -> None:
    """Print the meaning of the columns and the first finished items, if there is a terminal."""
    from app.columns import FINISHED

    for line in bundle.columns:
        tell(f"  {line}")
    if can_ask():
        show_items(bundle.items[:FINISHED], year=handles.clock.now().year, ids=False)
        say(f"{pluralize(len(bundle.items), 'item')}; these are the first.")
