"""What `langgraph` makes of langgraph.json, and what a volume has to hold."""

from pathlib import Path

from click.testing import CliRunner
from langgraph_cli.cli import cli

from ana.settings import PROJECT
from tests.command_line import run_here

CONFIG = PROJECT / "langgraph.json"
OFFLINE = {"LLM_PROVIDER": "offline", "ANA_EMBEDDINGS": "wordllama"}
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}


def langgraph(*arguments: str) -> str:
    done = CliRunner(env=QUIET).invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_configuration_is_valid() -> None:
    langgraph("validate", "--config", str(CONFIG))


def test_all_that_is_kept_is_on_the_volume_that_is_named(tmp_path: Path) -> None:
    env = {"ANA_DATA_DIR": str(tmp_path / "data"), "LOG_FILE_PATH": str(tmp_path / "ana.log")}
    done = run_here("ask", "note: the spare key is in the blue tin", env=env | OFFLINE)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data", "ana.log"}
    written = {path.name for path in (tmp_path / "data").iterdir()}
    assert {"chroma", "journal.sqlite", "threads.sqlite", "traces"} <= written
