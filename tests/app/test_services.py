"""What the system runs: shown, asked about, written, started, told by doctor and taken back, by systemd or launchd."""

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.services import REMIND, SERVE, Service, describe, plan
from evals.load.server import free_port
from tests.command_line import run
from tests.conftest import live_in

FAKE = """#!/bin/sh
echo "$@" >> "$HOME/calls"
exit ${FAILS:-0}
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home on Linux whose systemctl only notes what it is told."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "systemctl").write_text(FAKE)
    (tmp_path / "bin" / "systemctl").chmod(0o700)
    address = {"ANA_NOTIFY": "json://127.0.0.1:1/x", "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path)}
    live_in(tmp_path, monkeypatch, **address)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def say_yes(monkeypatch: pytest.MonkeyPatch, answer: bool = True) -> None:
    monkeypatch.setattr("app.show.confirm.can_ask", lambda: True)
    monkeypatch.setattr("app.show.confirm.confirm", lambda _: answer)


SERVER = replace(SERVE, arguments=["serve", "--host", "127.0.0.1", "--port", "2024"])
SERVICES = pytest.mark.parametrize(
    ("service", "options", "units"),
    [
        (REMIND, [], ["ana-remind.service", "ana-remind.timer"]),
        (SERVER, ["--port", f"{free_port()}"], ["ana-serve.service"]),
    ],
    ids=["remind", "serve"],
)


@SERVICES
def test_what_is_installed_is_shown_asked_about_written_told_by_doctor_and_removed(
    system: Path, monkeypatch: pytest.MonkeyPatch, service: Service, options: Sequence[str], units: Sequence[str]
) -> None:
    folder, command = system / ".config" / "systemd" / "user", service.name
    hint = f"`ana {command} --install` installs it."
    assert run(command, "--uninstall") == (1, f"Nothing is installed. {hint}\n")
    code, told = run(command, "--install", *options)
    assert code == 1
    assert "Nothing was installed, because this is not a terminal." in told
    say_yes(monkeypatch, False)
    assert run(command, "--install", *options)[0] == 1
    assert not folder.exists()
    assert describe(service) == ""
    say_yes(monkeypatch)
    code, told = run(command, "--install", *options)
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == units
    for name in units:
        assert f"{folder / name}:\n{(folder / name).read_text()}" in told
    assert (system / "calls").read_text() == f"--user daemon-reload\n--user enable --now {service.unit}\n"
    assert f"The system runs `ana {command}`" in run("doctor")[1]
    monkeypatch.setenv("FAILS", "3")
    assert f"`ana {command}` is installed and does not run" in run("doctor")[1]
    monkeypatch.setenv("FAILS", "0")
    assert run(command, "--uninstall")[0] == 0
    assert (system / "calls").read_text().endswith(f"--user disable --now {service.unit}\n")
    assert list(folder.iterdir()) == []


def test_a_system_that_refuses_is_told(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say_yes(monkeypatch)
    monkeypatch.setenv("FAILS", "3")
    code, told = run("remind", "--install")
    assert code == 1
    assert told.splitlines()[-1].startswith("`systemctl --user daemon-reload` failed:")


def test_a_server_that_nobody_can_sign_in_to_is_not_installed(system: Path) -> None:
    code, told = run("serve", "--install", "--host", "0.0.0.0")
    assert code == 2
    assert "nobody has a token" in told


@SERVICES
def test_systemd_takes_the_files(system: Path, service: Service, options: Sequence[str], units: Sequence[str]) -> None:
    (files, _) = plan(service)
    assert sorted(path.name for path in files) == units
    command = re.search(r"ExecStart=(.*)", "".join(files.values()))
    assert command
    assert shlex.split(command[1])[1:] == ["-m", "app.cli", *service.arguments]
    if verify := shutil.which("systemd-analyze", path="/usr/bin"):
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        env = {**os.environ, "XDG_RUNTIME_DIR": str(system)}  # without it nothing is looked at
        asked = [verify, "--user", "verify", *map(str, files)]
        done = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_timer_runs_its_command_from_anywhere(system: Path) -> None:
    program, *arguments = shlex.split(re.findall(r"ExecStart=(.*)", "".join(plan(REMIND)[0].values()))[0])
    done = subprocess.run([program, *arguments], env={**os.environ, "PYTHONSAFEPATH": "1"}, cwd="/", check=False)
    assert done.returncode == 0


@SERVICES
def test_launchd_takes_the_file(
    system: Path, monkeypatch: pytest.MonkeyPatch, service: Service, options: Sequence[str], units: Sequence[str]
) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    (files, commands) = plan(service)
    ((path, text),) = files.items()
    assert path == system / "Library" / "LaunchAgents" / f"ana.{service.name}.plist"
    assert commands == [["launchctl", "load", "-w", str(path)]]
    agent = plistlib.loads(text.encode())
    assert agent["ProgramArguments"][1:] == ["-m", "app.cli", *service.arguments]
    assert agent["EnvironmentVariables"] == {"PYTHONSAFEPATH": "1"}
    lasting = {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}
    assert agent.items() >= ({"StartInterval": 60} if service.every_minute else lasting).items()
