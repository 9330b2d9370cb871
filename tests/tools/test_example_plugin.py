"""The example of a package with tools, docs/example-plugin, installed beside ana and used as a person would."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from ana.errors import ConfigError
from ana.settings import PROJECT
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tools.catalog import TOOLS, catalog
from tools.plugins import find_registered

EXAMPLE = PROJECT / "docs" / "example-plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds the example, as pip would write it."""
    folder = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=EXAMPLE, check=True, capture_output=True)
    with ZipFile(next(folder.glob("*.whl"))) as file:
        file.extractall(folder / "packages")
    return folder / "packages"


@pytest.fixture
def forgotten() -> Iterator[None]:
    """The tools are looked for again, in the test and after it."""
    catalog.cache_clear()
    yield
    catalog.cache_clear()
    sys.modules.pop("ana_heating", None)


def run_from_nothing(command: list[str], cwd: Path, env: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run Python in a process that, unlike a fork, does not know the packages of its parent."""
    start = [sys.executable, "-P", *command]
    return subprocess.run(start, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def ask_for_warmth(tmp_path: Path, packages: Path) -> list[str]:
    """Let a model read and set the heating where these packages are; return the tools that it was offered."""
    calls = [("set_heating", {"room": "study", "degrees": 21}), ("read_temperature", {"room": "study"})]
    path = os.pathsep.join((str(packages), str(PROJECT)))
    house = {"HEATING_FILE": str(tmp_path / "house.json"), "PYTHONPATH": path, "ANA_AUTONOMY": "act"}
    with openai_stub(*(Said(calls=[call]) for call in calls), Said("The study is warm.")) as stub:
        model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": stub.url}
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)} | folders(tmp_path, **model, **house)
        done = run_from_nothing(["-m", "app.cli", "ask", "set the study to 21 degrees"], tmp_path, env)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The study is warm.")
    assert (tmp_path / "house.json").read_text() == '{"kitchen": 19.0, "study": 21.0}'
    assert "21.0 °C" in stub.requests[-1]["messages"][-1]["content"]
    return [tool["function"]["name"] for tool in stub.requests[0]["tools"]]


def test_installed_its_tools_are_there_without_a_setting(installed: Path, tmp_path: Path) -> None:
    assert ask_for_warmth(tmp_path, installed)[-2:] == ["read_temperature", "set_heating"]


@pytest.mark.usefixtures("forgotten")
def test_a_module_that_is_installed_and_named_is_loaded_once(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed))
    assert find_registered() == ("ana_heating",)
    assert list(catalog(("ana_heating",))) == list(catalog()) == [*TOOLS, "read_temperature", "set_heating"]


@pytest.mark.usefixtures("forgotten")
def test_a_package_that_cannot_be_used_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken-1.dist-info").mkdir()
    (tmp_path / "broken-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (tmp_path / "broken-1.dist-info" / "entry_points.txt").write_text("[ana.tools]\nbroken = no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match=r"^ana\.tools: no_such_module cannot be used") as caught:
        catalog()
    assert "uninstall it" in caught.value.hint
