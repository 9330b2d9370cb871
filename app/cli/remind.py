"""`ana remind`: deliver reminders, as long as it runs or once; install what does that."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from ana.children import make_python_command, run_program
from ana.errors import AnaError, ConfigError, UserError
from ana.files import write_whole
from ana.handles import open_data
from ana.output import tell, write_line
from ana.people import People
from ana.reminders.ringing import DAY, MONTH, Target
from ana.reminders.sending import TEST
from ana.workspace import Workspace, open_workspace
from app.following import Following, list_calendars
from app.meanwhile import PASSING
from app.reminding import HOW, list_targets, make_ringer, ring_meanwhile
from app.routines.running import Routines
from app.show.confirm import require_consent
from app.show.text import pluralize
from app.startup import chosen, start

NAME = "ana-remind"
LABEL = "ana.remind"

SERVICE = """[Unit]
Description=Reminders of ana

[Service]
Type=oneshot
Environment=PYTHONSAFEPATH=1
ExecStart={command}
"""
TIMER = """[Unit]
Description=Reminders of ana, every minute

[Timer]
OnCalendar=minutely
AccuracySec=5s

[Install]
WantedBy=timers.target
"""


_ESCAPES = str.maketrans({"%": "%%", "$": "$$", '"': '\\"', "\\": "\\\\"})
"""What systemd would read as something else."""


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
    """Deliver everybody's reminders, ask their routines and read their calendars, until it is stopped.

    Exit code 1 if a reminder did not arrive.
    """
    workspace = start()
    if uninstall:
        remove_timer()
        return
    people = [each for each in _open_people(workspace) if list_targets(each) or list_calendars(each)]
    if not people:
        raise ConfigError("ANA_NOTIFY names no address, so nothing can ring.", HOW)
    if install:
        install_timer(workspace)
    elif test:
        send_test([target for each in people for target in list_targets(each)])
    elif once or late:
        _ring_once(people, MONTH if late else DAY)
    else:
        _keep_ringing(people)


def _open_people(workspace: Workspace) -> Iterator[Workspace]:
    """Yield the workspace that was asked for, or everybody's; who has set something wrong keeps it from nobody else."""
    for name in [workspace.person] if chosen.get() else People(workspace.settings).names():
        try:
            yield open_workspace(workspace.settings, name) if name != workspace.person else workspace
        except AnaError as exc:
            tell(exc.sentence())


def _ring_once(people: Sequence[Workspace], late: timedelta) -> None:
    delivered = failed = 0
    for workspace in people:
        try:
            with open_data(workspace, "ana remind") as handles:
                targets = list_targets(workspace)
                ringer = make_ringer(handles, targets)
                ringer.ring(late)
                Routines(handles, targets, targets).run_due()
                Following(handles).read_due()
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
        tell(f"Reminders ring by {', '.join(names) or 'nothing'}, and calendars are read, while this runs.")
        Event().wait()


def send_test(targets: list[Target]) -> None:
    """Send a message to each address and say what became of it. Exit code 1 if one did not arrive."""
    reasons = [target.send(TEST) for target in targets]
    for target, reason in zip(targets, reasons, strict=True):
        write_line(f"{target.name}: {reason or 'sent; look whether it has arrived'}")
    if any(reasons):
        raise typer.Exit(1)


def install_timer(workspace: Workspace) -> None:
    """Show the files and the command that starts them, ask, and do it.

    Raises:
        UserError: The person said no, nobody can be asked, or the system has no such thing.
    """
    files, commands = plan()
    for path, text in files.items():
        write_line(f"{path}:\n{text}")
    write_line("\n".join(" ".join(command) for command in commands))
    if "ANA_NOTIFY" in os.environ or "ANA_DATA_DIR" in os.environ:
        write_line("The system sees .env alone, not what is set in this shell: move ANA_NOTIFY and ANA_DATA_DIR there.")
    require_consent(f"Write this and start it, for the data in {workspace.folder}?", yes=False, done="installed")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, mode=0o644)
    for command in commands:
        _run(*command)
    write_line("Reminders are delivered every minute; `ana remind --uninstall` ends that.")


def remove_timer() -> None:
    """Stop what was installed and delete its files. Raises UserError if there is nothing of it."""
    files, _ = plan()
    if not any(path.exists() for path in files):
        raise UserError("Nothing is installed.", "`ana remind --install` installs it.")
    if sys.platform == "darwin":
        _run("launchctl", "unload", "-w", str(next(iter(files))))
    else:
        _run("systemctl", "--user", "disable", "--now", f"{NAME}.timer")
    for path in files:
        path.unlink(missing_ok=True)
    write_line("Reminders are not delivered by the system any more.")


def plan() -> tuple[dict[Path, str], list[list[str]]]:
    """Return the files with their texts, and the commands that start them."""
    command = make_python_command("-m", "app.cli", "remind", "--once")
    if sys.platform == "darwin":
        import plistlib

        agent = Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
        told = {"Label": LABEL, "ProgramArguments": command, "StartInterval": 60}
        told["EnvironmentVariables"] = {"PYTHONSAFEPATH": "1"}
        return {agent: plistlib.dumps(told).decode()}, [["launchctl", "load", "-w", str(agent)]]
    if not sys.platform.startswith("linux"):
        raise UserError("Here is neither systemd nor launchd.", "Let the system run `ana remind --once` every minute.")
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    quoted = " ".join(f'"{part.translate(_ESCAPES)}"' for part in command)
    files = {folder / f"{NAME}.service": SERVICE.format(command=quoted), folder / f"{NAME}.timer": TIMER}
    return files, [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", "--now", f"{NAME}.timer"],
    ]


def _run(*command: str) -> None:
    """Run a command of the system. Raises UserError if it fails."""
    done = run_program(*command)
    if done.returncode:
        raise UserError(f"`{' '.join(command)}` failed: {done.stderr.strip()[:200]}.", "Run it yourself.")
