"""What `langgraph` makes of langgraph.json."""

from click.testing import CliRunner
from langgraph_cli.cli import cli

from ana.settings import PROJECT

CONFIG = PROJECT / "langgraph.json"
QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}


def langgraph(*arguments: str) -> str:
    done = CliRunner(env=QUIET).invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_configuration_is_valid() -> None:
    langgraph("validate", "--config", str(CONFIG))
