"""The server as a service that the system runs for a person: systemd's user unit, or launchd's agent."""

import os
import plistlib
import sys
from collections.abc import Sequence
from pathlib import Path

from ana.children import make_python_command, run_program
from ana.errors import UserError
from ana.files import write_whole
from ana.output import write_line
from ana.workspace import Workspace
from app.show.confirm import require_consent

UNIT, LABEL = "ana-serve.service", "ana.serve"
"""Its names for systemd and for launchd."""

_TEXT = """[Unit]
Description=ana, with reminders and routines

[Service]
Type=exec
Restart=on-failure
RestartSec=5
Environment=PYTHONSAFEPATH=1
ExecStart={command}

[Install]
WantedBy=default.target
"""

_ESCAPES = str.maketrans({"%": "%%", "$": "$$", '"': '\\"', "\\": "\\\\"})
"""What systemd would read as something else."""


def install(arguments: Sequence[str], workspace: Workspace) -> None:
    """Show the file and the commands that start it, ask, and do it.

    Args:
        arguments: The command of ana that is run, and run again if it fails.

    Raises:
        UserError: The person said no, nobody can be asked, or the system has no such service manager.
    """
    path, text, commands = plan(arguments)
    write_line(f"{path}:\n{text}")
    write_line("\n".join(" ".join(command) for command in commands))
    if "ANA_NOTIFY" in os.environ or "ANA_DATA_DIR" in os.environ:
        write_line("The system sees .env alone, not what is set in this shell: move ANA_NOTIFY and ANA_DATA_DIR there.")
    require_consent(f"Write this and start it, for the data in {workspace.folder}?", yes=False, done="installed")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text, mode=0o644)
    for command in commands:
        _run(*command)
    write_line("It runs while you are signed in; `ana serve --uninstall` ends that.")


def remove() -> None:
    """Stop what was installed and delete its file. Raises UserError if nothing is installed."""
    path = find_file()
    if not path.exists():
        raise UserError("Nothing is installed.", "`ana serve --install` installs it.")
    if sys.platform == "darwin":
        _run("launchctl", "unload", "-w", str(path))
    else:
        _run("systemctl", "--user", "disable", "--now", UNIT)
    path.unlink()
    write_line("The system does not run `ana serve` any more.")


def describe() -> str:
    """Return a sentence that says whether the service runs; empty if it is not installed."""
    if not (_has_manager() and find_file().exists()):
        return ""
    command = ["launchctl", "list", LABEL]
    if sys.platform != "darwin":
        command = ["systemctl", "--user", "is-active", "--quiet", UNIT]
    if run_program(*command).returncode:
        return f"`ana serve` is installed and does not run; `{' '.join(command)}` says so."
    return "The system runs `ana serve`."


def plan(arguments: Sequence[str]) -> tuple[Path, str, list[list[str]]]:
    """Return the file, its text, and the commands that start it. Arguments as of `install`, errors of `find_file`."""
    command, path = make_python_command("-m", "app.cli", *arguments), find_file()
    if sys.platform == "darwin":
        agent = {"Label": LABEL, "ProgramArguments": command, "EnvironmentVariables": {"PYTHONSAFEPATH": "1"}}
        agent |= {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}
        return path, plistlib.dumps(agent).decode(), [["launchctl", "load", "-w", str(path)]]
    quoted = " ".join(f'"{part.translate(_ESCAPES)}"' for part in command)
    commands = [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", UNIT]]
    return path, _TEXT.format(command=quoted), commands


def find_file() -> Path:
    """Return the place of the service's file. Raises UserError if the system has no such service manager."""
    if not _has_manager():
        raise UserError("Here is neither systemd nor launchd.", "Let the system run `ana remind --once` every minute.")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user" / UNIT


def _has_manager() -> bool:
    return sys.platform == "darwin" or sys.platform.startswith("linux")


def _run(*command: str) -> None:
    """Run a command of the system. Raises UserError if it fails."""
    done = run_program(*command)
    if done.returncode:
        raise UserError(f"`{' '.join(command)}` failed: {done.stderr.strip()[:200]}.", "Run it yourself.")
