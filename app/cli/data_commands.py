"""The commands that keep everything safe: doctor, export, import, backup, restore, traces."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.show.text import counted
from app.startup import started

data_cli = typer.Typer()

Source = Annotated[Path, typer.Argument(help="A file, or a folder.")]


@data_cli.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Mend what is wrong; damaged files are set aside.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove that all that is kept is whole: readable, found, as the journal says. Exit code 1 if it is not."""
    from app.cli.doctor import diagnosed, show_diagnosis

    found = diagnosed(started(), mend=repair)
    if json_:
        print(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        show_diagnosis(found, mend=repair)
    if found.faults:
        raise typer.Exit(1)


@data_cli.command("export")
def export_command(to: Annotated[str, typer.Argument(help="The file; - for standard output.")]) -> None:
    """Write everything you know of and all that was done as lines of JSON, in an order that does not change."""
    from app.cli.data import export

    export(started(), to)


@data_cli.command("import")
def import_command(
    source: Source,
    replace: Annotated[bool, typer.Option("--replace", help="Where something else is here, take the file's.")] = False,
) -> None:
    """Bring in an export; or Taskwarrior's JSON, Todoist's CSV, a Chroma folder of the agent-native-app."""
    from app.cli.data import bring_in

    bring_in(started(), source, replace=replace)


@data_cli.command("backup")
def backup_command(to: Annotated[Path, typer.Argument(help="The file, a ZIP.")]) -> None:
    """Write everything, conversations and traces included, into one file; also while it is in use."""
    from app.cli.data import backup

    backup(started(), to)


@data_cli.command("restore")
def restore_command(backup: Annotated[Path, typer.Argument(help="A file that `ana backup` wrote.")]) -> None:
    """Make everything what it was in a backup; what is there now is backed up first."""
    from app.cli.data import restore

    restore(started(), backup)


@data_cli.command("traces")
def traces_command(
    older_than: Annotated[str | None, typer.Option(help="Only turns older than this: 30d, 4w.")] = None,
    purge: Annotated[bool, typer.Option("--purge", help="Forget them for ever; needs --older-than.")] = False,
) -> None:
    """The traces of conversations: how many turns, how large; and forgetting old ones."""
    from app.cli.traces import purge as forget
    from app.cli.traces import show_traces

    if not purge:
        show_traces(started(), older_than)
    elif older_than is None:
        raise typer.BadParameter("--purge needs --older-than.")
    else:
        count = forget(started(), older_than)
        print(f"{counted(count, 'turn')} {'is' if count == 1 else 'are'} forgotten for ever.", file=sys.stderr)
