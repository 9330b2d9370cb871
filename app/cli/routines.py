"""`ana routines`: list, start, run and end routines."""

from typing import Annotated

import typer

from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.memory.receipts import describe_change, make_receipt
from ana.output import shorten, tell, write_line
from app.routines.offers import OFFERS, start_offer
from app.routines.running import Routines, find_routine
from app.routines.showing import show_routines
from app.startup import start

routines = typer.Typer(
    help="Questions asked at set times, such as a brief each morning: list, start, run, end. Without a command: list."
)

RoutineId = Annotated[str, typer.Argument(metavar="ID", help="The routine's id, as the list shows it.")]


@routines.callback(invoke_without_command=True)
def _default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_()


@routines.command("list")
def list_() -> None:
    """List the routines with their next and last time, and the cost of the last run."""
    with open_data(start(), "ana routines") as handles:
        show_routines(handles)


@routines.command("start")
def start_(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(OFFERS)}.")],
    at: Annotated[str, typer.Option(help="The time of day, such as 06:30.")] = "",
) -> None:
    """Start one of the suggested routines; for any other, tell ana what to ask and when."""
    with open_data(start(), "ana routines") as handles:
        change = start_offer(handles, name, at)
        write_line(describe_change(make_receipt(change, handles.clock.zone)))
    tell("It runs while ana is running, and its answer goes to the address for reminders (`ana setup`).")


@routines.command("run")
def run(id: RoutineId) -> None:
    """Run a routine now, and print its answer."""
    with open_data(start(), "ana routines") as handles:
        write_line(Routines(handles, (), ()).run_now(find_routine(handles, id)) or "Nothing to report.")


@routines.command("end")
def end(id: RoutineId) -> None:
    """Delete a routine; `ana undo` brings it back."""
    with open_data(start(), "ana routines") as handles:
        item = find_routine(handles, id)
        handles.memory.delete(item.id, make_edit())
        tell(f"Ended: {shorten(item.content)}. `ana undo` brings it back.")
