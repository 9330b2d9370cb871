"""What `langgraph` makes of langgraph.json, and what would get into an image."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from langgraph_cli.cli import cli

from ana.settings import PROJECT, load_settings
from ana.workspace import open_workspace
from tests.forks import run_forked

CONFIG = PROJECT / "langgraph.json"
OFFLINE = {"LLM_PROVIDER": "offline", "ANA_EMBEDDINGS": "wordllama"}
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}


def langgraph(*arguments: str) -> str:
    done = CliRunner(env=QUIET).invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_configuration_is_valid() -> None:
    langgraph("validate", "--config", str(CONFIG))


def test_a_dockerfile_is_made_of_it(tmp_path: Path) -> None:
    langgraph("dockerfile", "--config", str(CONFIG), str(tmp_path / "Dockerfile"))
    lines = (tmp_path / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("ADD . /deps/")]
    graphs = next(line for line in lines if line.startswith("ENV LANGSERVE_GRAPHS="))
    assert json.loads(graphs.partition("=")[2].strip("'")) == json.loads(CONFIG.read_text())["graphs"]


def test_all_that_is_kept_is_on_the_volume_that_is_named(tmp_path: Path) -> None:
    env = {"ANA_DATA_DIR": str(tmp_path / "data"), "LOG_FILE_PATH": str(tmp_path / "ana.log")}
    done = run_forked("-m", "app.cli", "ask", "note: the spare key is in the blue tin", env=env | OFFLINE)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data", "ana.log"}
    written = {path.name for path in (tmp_path / "data").iterdir()}
    assert {"chroma", "journal.sqlite", "threads.sqlite", "traces"} <= written


def test_an_image_can_be_asked_for() -> None:
    assert "--tag" in langgraph("build", "--help")


def test_what_an_image_keeps_is_in_one_folder_that_a_volume_can_hold() -> None:
    settings = load_settings({"ANA_DATA_DIR": "/data"})
    kept = (settings.ana_data_dir, settings.traces_dir, open_workspace(settings).server_folder)
    assert all(path.is_relative_to("/data") for path in kept)
    assert "-e ANA_DATA_DIR=/data -v ana:/data" in (PROJECT / "docs" / "studio.md").read_text()
    inside = load_settings({}).ana_data_dir
    assert inside.is_relative_to(PROJECT), "without it, in the container's own layer"


def patterns(name: str) -> set[str]:
    lines = (PROJECT / name).read_text().splitlines()
    return {line.removeprefix("**/").rstrip("/") for line in lines if line and line[0] not in "#!"}


@pytest.mark.parametrize("left_out", sorted(patterns(".gitignore") | {".git", ".env", ".env.*", "*.sqlite*"}))
def test_what_git_leaves_out_gets_into_no_image(left_out: str) -> None:
    assert left_out in patterns(".dockerignore")


def test_what_our_own_image_copies_and_calls_is_there() -> None:
    text = (PROJECT / "Dockerfile").read_text()
    named = re.findall(r"(?:-c|--excludes|-r) (\S+\.txt)", text)
    assert len(named) == 3
    assert all((PROJECT / name).is_file() for name in named)
    command = json.loads(text.rpartition("CMD ")[2])
    assert command == ["ana", "serve", "--host", "0.0.0.0"]
    refused = run_forked("-m", "app.cli", *command[1:], env=OFFLINE)
    assert refused.returncode != 0
    assert "ana users token owner" in refused.stderr
