"""What lets the system deliver reminders every minute: a user's systemd timer, or a launchd agent."""

import os
import sys
from pathlib import Path

from ana.children import make_python_command, run_program
from ana.errors import UserError
from ana.files import write_whole
from ana.output import write_line
from ana.workspace import Workspace
from app.show.confirm import require_consent

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


_ESCAPES = str.maketrans({"%": "%%", "$": "$$", '"': '\\"', "\\": "\\\\"})
"""What systemd would read as something else."""


def _run(*command: str) -> None:
    """Run a command of the system. Raises UserError if it fails."""
    done = run_program(*command)
    if done.returncode:
        raise UserError(f"`{' '.join(command)}` failed: {done.stderr.strip()[:200]}.", "Run it yourself.")
