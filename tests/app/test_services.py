"""What the system runs: shown, asked about, written, started, told by doctor and taken back, by systemd or launchd."""

import os
import plistlib
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from app.services import UNIT, describe, plan
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


PORT = f"{free_port()}"
SERVER = ["serve", "--host", "127.0.0.1", "--port", PORT]


def test_what_is_installed_is_shown_asked_about_written_told_by_doctor_and_removed(
    system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = system / ".config" / "systemd" / "user"
    assert run("serve", "--uninstall") == (1, "Nothing is installed. `ana serve --install` installs it.\n")
    code, told = run("serve", "--install", "--port", PORT)
    assert code == 1
    assert "Nothing was installed, because this is not a terminal." in told
    say_yes(monkeypatch, False)
    assert run("serve", "--install", "--port", PORT)[0] == 1
    assert not folder.exists()
    assert describe() == ""
    say_yes(monkeypatch)
    code, told = run("serve", "--install", "--port", PORT)
    assert code == 0
    (unit,) = folder.iterdir()
    assert f"{folder / UNIT}:\n{unit.read_text()}" in told
    assert (system / "calls").read_text() == f"--user daemon-reload\n--user enable --now {UNIT}\n"
    assert "The system runs `ana serve`." in run("doctor")[1]
    monkeypatch.setenv("FAILS", "3")
    assert "`ana serve` is installed and does not run" in run("doctor")[1]
    monkeypatch.setenv("FAILS", "0")
    assert run("serve", "--uninstall")[0] == 0
    assert (system / "calls").read_text().endswith(f"--user disable --now {UNIT}\n")
    assert list(folder.iterdir()) == []


def test_a_system_that_refuses_is_told(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say_yes(monkeypatch)
    monkeypatch.setenv("FAILS", "3")
    code, told = run("serve", "--install", "--port", PORT)
    assert code == 1
    assert told.splitlines()[-1].startswith("`systemctl --user daemon-reload` failed:")


def test_a_server_that_nobody_can_sign_in_to_is_not_installed(system: Path) -> None:
    code, told = run("serve", "--install", "--host", "0.0.0.0")
    assert code == 2
    assert "nobody has a token" in told


def test_systemd_takes_the_file(system: Path) -> None:
    path, text, _ = plan(SERVER)
    command = re.search(r"ExecStart=(.*)", text)
    assert command
    assert shlex.split(command[1])[1:] == ["-m", "app.cli", *SERVER]
    if verify := shutil.which("systemd-analyze", path="/usr/bin"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        env = {**os.environ, "XDG_RUNTIME_DIR": str(system)}  # without it nothing is looked at
        asked = [verify, "--user", "verify", str(path)]
        done = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_command_runs_from_anywhere(system: Path) -> None:
    program, *arguments = shlex.split(re.findall(r"ExecStart=(.*)", plan(["serve", "--help"])[1])[0])
    env = {**os.environ, "PYTHONSAFEPATH": "1"}
    done = subprocess.run([program, *arguments], env=env, cwd="/", capture_output=True, check=False)
    assert done.returncode == 0


def test_launchd_takes_the_file(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    path, text, commands = plan(SERVER)
    assert path == system / "Library" / "LaunchAgents" / "ana.serve.plist"
    assert commands == [["launchctl", "load", "-w", str(path)]]
    agent = plistlib.loads(text.encode())
    assert agent["ProgramArguments"][1:] == ["-m", "app.cli", *SERVER]
    assert agent["EnvironmentVariables"] == {"PYTHONSAFEPATH": "1"}
    assert agent.items() >= {"RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False}}.items()
