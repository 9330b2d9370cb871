"""Logging by the settings, without secrets."""

import io
import logging
from pathlib import Path

import pytest

from ana.logs import choose_secrets, hide_in_json, list_secrets, set_up_logging, settle_console
from ana.settings import load_settings
from tests.conftest import folders

pytestmark = pytest.mark.usefixtures("own_handlers")


def logged(path: Path, **env: str) -> str:
    set_up_logging(load_settings(folders(path, **env)))
    logging.getLogger("ana.x").info("ours")
    logging.getLogger("ana.x").debug("ours, in detail: sk-secret")
    logging.getLogger("theirs").info("theirs")
    logging.getLogger("theirs").warning("their warning")
    return (path / "log" / "ana.log").read_text()


def test_levels_are_set_apart(tmp_path: Path) -> None:
    text = logged(tmp_path, LOG_LEVEL_APP="info", LOG_LEVEL_DEPS="warning")
    assert "INFO ana.x: ours" in text
    assert "in detail" not in text
    assert "their warning" in text
    assert "INFO theirs" not in text


@pytest.mark.parametrize(
    "secret",
    [
        {"OPENAI_API_KEY": "sk-secret"},
        {"OLLAMA_HOST": "http://me:sk-secret@models.example/v1"},
        {"OLLAMA_HOST": "http://me:sk%2Dsecret@models.example/v1"},
    ],
)
def test_no_key_and_no_password_of_a_url_is_logged(tmp_path: Path, secret: dict[str, str]) -> None:
    assert "ours, in detail: [secret]" in logged(tmp_path, LOG_LEVEL_APP="DEBUG", **secret)


def test_only_what_is_long_enough_to_be_a_secret_is_hidden() -> None:
    """A local server takes any key, such as "x": hiding that would take every x out of what is written."""
    assert choose_secrets(["x", "none", "seven..", "", "eight..."]) == ["eight..."]
    record = {"text": "next", "steps": [{"args": {"x": "eight..."}}]}
    for key, hidden in (("x", "eight..."), ("none", "eight..."), ("seven..", "eight..."), ("eight...", "[secret]")):
        secrets = list_secrets(load_settings({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": "http://x:x@models.example"}))
        assert hide_in_json(record, secrets) == {"text": "next", "steps": [{"args": {"x": hidden}}]}


def test_no_line_drives_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    others = logging.StreamHandler()
    settings = load_settings(folders(tmp_path, LOG_TO_CONSOLE="true"))
    set_up_logging(settings)
    others.setFormatter(logging.Formatter("\x1b[31m%(message)s\x1b[0m"))
    logging.root.addHandler(others)
    settle_console(settings)
    try:
        raise ValueError("\x1b]0;owned\x07 \x9b5m \u202e")
    except ValueError:
        logging.getLogger("ana.x").exception("said \x1b[2J")
    told = capsys.readouterr().err
    assert told.count("ValueError: \\x1b]0;owned\\x07 \\x9b5m \\u202e") == 2, "our console and the other's"
    assert all(char.isprintable() or char == "\n" for char in told + (tmp_path / "log" / "ana.log").read_text())


@pytest.mark.parametrize(("asked", "shown"), [("false", ["careful"]), ("true", ["a turn", "careful"])])
def test_another_programs_console_tells_what_to_see_to_and_more_if_asked(
    tmp_path: Path, asked: str, shown: list[str]
) -> None:
    settings, others = load_settings(folders(tmp_path, LOG_TO_CONSOLE=asked)), io.StringIO()
    set_up_logging(load_settings(folders(tmp_path)))
    logging.root.addHandler(logging.StreamHandler(others))
    settle_console(settings)
    logging.getLogger("nodes.turns").info("a turn")
    logging.getLogger("nodes.turns").warning("careful")
    assert others.getvalue().split("\n")[:-1] == shown


def test_a_log_that_cannot_be_written_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(load_settings(folders(tmp_path)))
    (tmp_path / "log" / "ana.log").mkdir()
    for _ in range(3):
        logging.getLogger("ana.x").warning("lost")
    told = capsys.readouterr().err
    assert told.startswith(f"The log {tmp_path / 'log' / 'ana.log'} cannot be written: ")
    assert told.count("\n") == 1


def test_the_console_is_quiet_unless_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logged(tmp_path)
    assert capsys.readouterr().err == ""
    logged(tmp_path, LOG_TO_CONSOLE="true")
    assert "ours" in capsys.readouterr().err


def test_a_logger_may_come_while_pytest_goes_through_them() -> None:
    going = iter(logging.root.manager.loggerDict.values())
    next(going)
    logging.getLogger("tests.of-a-module-that-a-server-imports-meanwhile")
    assert list(going)
