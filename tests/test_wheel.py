"""The wheel holds what running needs, and nothing that only makers run; unpacked anywhere, it runs."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from ana import __version__
from ana.places import PROJECT, find_places, is_checkout
from evals.imports import PACKAGES, source_files


def build_wheel(folder: Path) -> Path:
    """Build a wheel of this project in a folder, and return it."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel's files."""
    folder = tmp_path_factory.mktemp("wheel")
    with ZipFile(build_wheel(folder)) as file:
        file.extractall(folder / "unpacked")
    return folder / "unpacked"


@pytest.fixture(scope="module")
def wheel(unpacked: Path) -> set[str]:
    """The names of the files in a wheel of this project."""
    return {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}


def test_the_wheel_holds_every_module_but_those_that_only_makers_run(wheel: set[str]) -> None:
    files = {str(file.relative_to(PROJECT)) for file in source_files().values()}
    makers = {file for file in files if file.startswith("evals/") and not file.startswith(SHIPPED)}
    assert makers
    assert {name for name in wheel if name.endswith(".py")} == files - makers


SHIPPED = ("evals/__init__.py", "evals/cli/", "evals/tasks/")


def test_the_wheel_holds_prompts_tables_and_tasks(wheel: set[str]) -> None:
    data = {
        str(file.relative_to(PROJECT)) for name in PACKAGES for file in (PROJECT / name).rglob("*") if is_data(file)
    }
    assert {"prompts/system.md", "nodes/policies/names.json"} <= data
    assert {file for file in data if not file.startswith("evals/data/")} <= wheel
    assert not [name for name in wheel if name.startswith(("evals/data/", "tests/"))]


def is_data(file: Path) -> bool:
    return file.suffix in (".txt", ".json", ".jsonl", ".md", ".yaml")


def test_the_wheel_holds_the_dev_servers_configuration(unpacked: Path) -> None:
    assert (unpacked / "app" / "langgraph.json").read_text() == (PROJECT / "langgraph.json").read_text()


def test_the_wheel_holds_nothing_of_the_persons(wheel: set[str]) -> None:
    assert {name.split("/")[0] for name in wheel} == {*PACKAGES, f"ana_assistant-{__version__}.dist-info"}


def test_a_checkout_keeps_what_it_is_told_beside_its_project() -> None:
    assert is_checkout()
    assert find_places().data == PROJECT / ".data"


def test_unpacked_it_keeps_what_it_is_told_where_the_system_does(unpacked: Path, tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in (home, elsewhere):
        folder.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-P", "-m", "app.cli", "ask", "note: the spare key is in the blue tin"]
    done = subprocess.run(command, cwd=elsewhere, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "+ “the spare key is in the blue tin” (note)" in done.stderr
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert "home/.local/share/ana/data/journal.sqlite" in written
    assert "home/.local/state/ana/log/ana.log" in written
    assert all(name.startswith(("home/.local/share/ana/data/", "home/.local/state/ana/log/")) for name in written)
