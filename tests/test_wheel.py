"""The wheel holds what running needs, and nothing that only makers run."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from ana.settings import PROJECT
from evals.imports import PACKAGES, source_files


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel of this project."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)
    with ZipFile(next(folder.glob("*.whl"))) as file:
        return set(file.namelist())


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
    return file.suffix in (".txt", ".json", ".md", ".yaml")
