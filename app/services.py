"""Services that the system runs for a person: systemd's user units, or launchd's agents."""

import os
import plistlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ana.children import make_python_command, run_program
from ana.errors import UserError
from ana.files import write_whole
from ana.output import write_line
from ana.workspace import Workspace
from app.show.confirm import require_consent

_SERVICE = """[Unit]
Description={about}

[Service]
{kind}
Environment=PYTHONSAFEPATH=1
ExecStart={command}
"""
_ONCE, _LASTING = "Type=oneshot", "Type=exec\nRestart=on-failure\nRestartSec=5"
_INSTALL = """
[Install]
WantedBy={target}
"""
_TIMER = """[Unit]
Description={about}, every minute

[Timer]
OnCalendar=minutely
AccuracySec=5s
"""

_ESCAPES = str.maketrans({"%": "%%", "$": "$$", '"': '\\"', "\\": "\\\\"})
"""What systemd would read as something else."""


@dataclass(frozen=True)
class Service:
    """A command of ana that the system runs.

    Args:
        name: The command that installs it: `serve`, `remind`.
        about: A description for people.
        arguments: The command.
        every_minute: Whether it is run every minute; else it runs all the time, and is restarted if it fails.
    """

    name: str
    about: str
    arguments: Sequence[str] = ()
    every_minute: bool = False

    @property
    def unit(self) -> str:
        """The name of the unit that systemd starts."""
        return f"ana-{self.name}.{'timer' if self.every_minute else 'service'}"

    @property
    def label(self) -> str:
        """Its name for launchd."""
        return f"ana.{self.name}"


REMIND = Service("remind", "Reminders of ana", ("remind", "--once"), every_minute=True)
SERVE = Service("serve", "ana, with reminders and routines")


def install(service: Service, workspace: Workspace) -> None:
    """Show the files and the commands that start them, ask, and do it.

    Raises:
        UserError: The person said no, nobody can be asked, or the system has no such service manager.
    """
    files, commands = plan(service)
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
    write_line(f"It runs while you are signed in; `ana {service.name} --uninstall` ends that.")


def remove(service: Service) -> None:
    """Stop what was installed and delete its files. Raises UserError if nothing is installed."""
    files, _ = plan(service)
    if not any(path.exists() for path in files):
        raise UserError("Nothing is installed.", f"`ana {service.name} --install` installs it.")
    if sys.platform == "darwin":
        _run("launchctl", "unload", "-w", str(next(iter(files))))
    else:
        _run("systemctl", "--user", "disable", "--now", service.unit)
    for path in files:
        path.unlink(missing_ok=True)
    write_line(f"The system does not run `ana {service.name}` any more.")


def describe(service: Service) -> str:
    """Return a sentence that says whether the service runs; empty if it is not installed."""
    if sys.platform != "darwin" and not sys.platform.startswith("linux"):
        return ""
    files, _ = plan(service)
    if not any(path.exists() for path in files):
        return ""
    command = ["launchctl", "list", service.label]
    if sys.platform != "darwin":
        command = ["systemctl", "--user", "is-active", "--quiet", service.unit]
    if run_program(*command).returncode:
        return f"`ana {service.name}` is installed and does not run; `{' '.join(command)}` says so."
    return f"The system runs `ana {service.name}`{' every minute' if service.every_minute else ''}."


def plan(service: Service) -> tuple[dict[Path, str], list[list[str]]]:
    """Return the files with their texts, and the commands that start them."""
    command = make_python_command("-m", "app.cli", *service.arguments)
    if sys.platform == "darwin":
        agent = Path.home() / "Library" / "LaunchAgents" / f"{service.label}.plist"
        lasting = {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}
        keeping: dict[str, object] = {"StartInterval": 60} if service.every_minute else lasting
        own = {"Label": service.label, "ProgramArguments": command, "EnvironmentVariables": {"PYTHONSAFEPATH": "1"}}
        return {agent: plistlib.dumps(own | keeping).decode()}, [["launchctl", "load", "-w", str(agent)]]
    if not sys.platform.startswith("linux"):
        raise UserError("Here is neither systemd nor launchd.", "Let the system run `ana remind --once` every minute.")
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
    commands = [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", service.unit]]
    return {folder / name: text for name, text in _write_units(service, command).items()}, commands


def _write_units(service: Service, command: Sequence[str]) -> dict[str, str]:
    quoted = " ".join(f'"{part.translate(_ESCAPES)}"' for part in command)
    kind = _ONCE if service.every_minute else _LASTING
    unit = _SERVICE.format(about=service.about, kind=kind, command=quoted)
    if not service.every_minute:
        return {service.unit: unit + _INSTALL.format(target="default.target")}
    timer = _TIMER.format(about=service.about) + _INSTALL.format(target="timers.target")
    return {f"ana-{service.name}.service": unit, service.unit: timer}


def _run(*command: str) -> None:
    """Run a command of the system. Raises UserError if it fails."""
    done = run_program(*command)
    if done.returncode:
        raise UserError(f"`{' '.join(command)}` failed: {done.stderr.strip()[:200]}.", "Run it yourself.")
