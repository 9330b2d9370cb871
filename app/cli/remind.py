"""`ana remind`: deliver reminders once or continuously."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from threading import Event
from typing import Annotated

import typer

from ana.errors import AnaError, ConfigError
from ana.handles import open_data
from ana.output import tell, write_line
from ana.people import People
from ana.reminders.ringing import Target
from ana.reminders.sending import make_test
from ana.workspace import Workspace, open_workspace
from app.following import Following, list_calendars
from app.meanwhile import PASSING
from app.reminding import HOW, list_targets, make_ringer, ring_meanwhile
from app.replying import Replies
from app.routines.running import Routines
from app.show.text import pluralize
from app.startup import chosen, start


def remind(
    once: Annotated[bool, typer.Option("--once", help="Deliver due reminders once and exit, for cron.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Send a test message to each address.")] = False,
) -> None:
    """Deliver everybody's reminders, run their routines and read their calendars until stopped.

    Exit code 1 if a reminder did not arrive.
    """
    workspace = start()
    people = [each for each in _open_people(workspace) if list_targets(each) or list_calendars(each)]
    if not people:
        raise ConfigError("ANA_NOTIFY is empty, so there is no address for reminders.", HOW)
    if test:
        send_test([target for each in people for target in list_targets(each)])
    elif once:
        _ring_once(people)
    else:
        _keep_ringing(people)


def _open_people(workspace: Workspace) -> Iterator[Workspace]:
    """Yield the selected workspace, or everybody's; a person with wrong settings does not affect others."""
    for name in [workspace.person] if chosen.get() else People(workspace.settings).names():
        try:
            yield open_workspace(workspace.settings, name) if name != workspace.person else workspace
        except AnaError as exc:
            tell(exc.sentence())


def _ring_once(people: Sequence[Workspace]) -> None:
    delivered = failed = 0
    for workspace in people:
        try:
            with open_data(workspace, "ana remind") as handles:
                targets = list_targets(workspace)
                ringer = make_ringer(handles, targets)
                ringer.ring()
                Routines(handles, targets, targets).run_due()
                Following(handles).read_due()
                Replies(handles).carry_out()
            delivered, failed = delivered + ringer.delivered, failed + ringer.failed
        except PASSING as exc:
            tell(str(exc))
            failed += 1
    if delivered or failed:
        tell(f"{pluralize(delivered, 'reminder')} delivered, {failed} not.")
    if failed:
        raise typer.Exit(1)


def _keep_ringing(people: Sequence[Workspace]) -> None:
    with ExitStack() as stack:
        for workspace in people:
            stack.enter_context(ring_meanwhile(stack.enter_context(open_data(workspace, "ana remind"))))
        names = dict.fromkeys(target.name for workspace in people for target in list_targets(workspace))
        tell(f"While this runs, reminders go to {', '.join(names) or 'no address'} and calendars are read.")
        Event().wait()


def send_test(targets: list[Target]) -> None:
    """Send a message to each address and report the results. Exit code 1 if one failed."""
    reasons = [target.send(make_test()) for target in targets]
    for target, reason in zip(targets, reasons, strict=True):
        write_line(f"{target.name}: {reason or 'sent; check whether it arrived'}")
    if any(reasons):
        raise typer.Exit(1)
