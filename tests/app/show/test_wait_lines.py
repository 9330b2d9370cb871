"""Whoever waits for a model is told for which, how long, and how to stop it: at the REPL, `ana ask` and the page."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from ana.settings import load_settings
from app.show.waiting import describe_wait
from tests.conftest import folders
from tests.openai_stub import Said, Stub, openai_stub
from tests.terminal import Terminal, chatting


@pytest.fixture
def hanging() -> Iterator[Stub]:
    with openai_stub(Said(hang="silent")) as stub:
        yield stub


def test_only_a_wait_for_a_model_is_told_and_only_a_long_one() -> None:
    online, offline = load_settings({"OPENAI_API_KEY": "k", "OPENAI_MODEL": "slow-one"}), load_settings({})
    assert describe_wait(online, 12.4, "Ctrl-C stops it.") == "Waiting for slow-one, 12 s so far. Ctrl-C stops it."
    assert describe_wait(online, 0.4, "Ctrl-C stops it.") == ""
    assert describe_wait(offline, 60, "Ctrl-C stops it.") == ""


def test_the_repl_tells_of_a_wait_and_how_to_stop_it(hanging: Stub, tmp_path: Path) -> None:
    with chatting(folders(tmp_path, **hanging.env, OPENAI_MODEL="slow-one")) as terminal:
        terminal.type("hello\r")
        terminal.until("Waiting for slow-one, ")
        terminal.until(" s so far. Ctrl-C stops it.")
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("Stopped. What was already stored stays.")


def test_ask_in_a_terminal_tells_of_a_wait_and_how_to_stop_it(hanging: Stub, tmp_path: Path) -> None:
    with Terminal(folders(tmp_path, **hanging.env, OPENAI_MODEL="slow-one"), "ask", "hello") as terminal:
        terminal.until("Waiting for slow-one, ")
        terminal.until(" s so far. Ctrl-C stops it.")
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("Stopped. What was already stored stays.")
        assert terminal.process.wait() == 130
