"""`ana remind`: deliver reminders, as long as it runs or once; install what does that."""

from threading import Event
from typing import Annotated

import typer

from ana.errors import ConfigError
from ana.files import refuse_read_only
from ana.handles import open_data_folder
from ana.output import tell, write_line
from ana.reminders.ringing import DAY, MONTH, Target
from ana.reminders.sending import TEST
from ana.workspace import Workspace
from app.cli.timer import install_timer, remove_timer
from app.reminding import HOW, keep_ringing, list_targets, make_ringer
from app.show.text import pluralize
from app.startup import start


def remind(
    once: Annotated[bool, typer.Option("--once", help="Deliver what is due and end, for cron.")] = False,
    late: Annotated[
        bool, typer.Option("--late", help="As --once, with what came due more than a day ago, up to a month.")
    ] = False,
    test: Annotated[bool, typer.Option("--test", help="Send a test message to each address.")] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Let this system deliver every minute; shown and asked first.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take that back.")] = False,
) -> None:
    """Deliver reminders to ANA_NOTIFY, without a model, until it is stopped. Exit code 1 if one did not arrive."""
    workspace = start()
    if uninstall:
        remove_timer()
        return
    targets = list_targets(workspace)
    if not targets:
        raise ConfigError("ANA_NOTIFY names no address, so nothing can ring.", HOW)
    refuse_read_only(workspace.folder)
    if install:
        install_timer(workspace)
    elif test:
        send_test(targets)
    else:
        _ring(workspace, targets, stay=not (once or late), late=late)


def _ring(workspace: Workspace, targets: list[Target], *, stay: bool, late: bool) -> None:
    with open_data_folder(workspace, "ana remind") as handles:
        ringer = make_ringer(handles, targets)
        if stay:
            tell(f"Reminders ring by {', '.join(target.name for target in targets)} while this runs.")
            keep_ringing(ringer, handles.clock, Event())
        ringer.ring(MONTH if late else DAY)
    if ringer.delivered or ringer.failed:
        tell(f"{pluralize(ringer.delivered, 'reminder')} delivered, {ringer.failed} not.")
    if ringer.failed:
        raise typer.Exit(1)


def send_test(targets: list[Target]) -> None:
    """Send a message to each address and say what became of it. Exit code 1 if one did not arrive."""
    reasons = [target.send(TEST) for target in targets]
    for target, reason in zip(targets, reasons, strict=True):
        write_line(f"{target.name}: {reason or 'sent; look whether it has arrived'}")
    if any(reasons):
        raise typer.Exit(1)
