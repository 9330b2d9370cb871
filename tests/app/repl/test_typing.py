"""What is one message: lines that are typed, pasted, typed ahead and piped, with a model that records them."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import Run
from tests.conftest import folders
from tests.openai_stub import Said, Stub, openai_stub
from tests.sent import typed
from tests.terminal import Terminal, chatting

PROMPT_READS = "\x1b[?2004h"
"""Sent when the prompt begins to read keys one by one."""


@pytest.fixture
def stub() -> Iterator[Stub]:
    with openai_stub(Said("Heard it.")) as stub:
        yield stub


@pytest.fixture
def terminal(stub: Stub, tmp_path: Path) -> Iterator[Terminal]:
    with chatting(folders(tmp_path, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL=stub.url)) as terminal:
        terminal.until(PROMPT_READS)
        yield terminal


def messages(stub: Stub) -> list[str]:
    return [typed(request["messages"][-1]["content"]) for request in stub.requests]


def test_pasted_lines_are_one_message_that_waits_for_enter(terminal: Terminal, stub: Stub) -> None:
    terminal.type("\x1b[200~one\rtwo\rthree\r\x1b[201~")
    terminal.until("three")
    terminal.type("\r")
    terminal.until("Heard it.")
    assert messages(stub) == ["one\ntwo\nthree"]


def test_a_paste_shows_as_one_message(terminal: Terminal) -> None:
    terminal.type("\x1b[200~one\rtwo\rthree\x1b[201~")
    terminal.until("3 lines, Enter sends the")
    terminal.type("\x03")
    terminal.until("Ctrl-D or /quit leaves.")


def test_lines_typed_while_an_answer_runs_are_a_message_each(terminal: Terminal, stub: Stub) -> None:
    typed = threading.Event()

    def wait(_: dict[str, Any]) -> Said:
        typed.wait(60)
        return Said("Here I am.")

    stub.script = [wait, Said("Two."), Said("Three."), Said("Four.")]
    terminal.type("first\r")
    while not stub.requests:
        time.sleep(0.02)
    terminal.type("second\rthird\rfou")
    terminal.until("fou")
    typed.set()
    terminal.until("Three.")
    terminal.type("rth\r")
    terminal.until("Four.")
    assert messages(stub) == ["first", "second", "third", "fourth"]


@pytest.mark.parametrize("word", ["exit", "quit", ":q", "Exit", "/exit"])
def test_a_word_leaves(ana: Run, word: str) -> None:
    done = ana("chat", given=f"thanks\n{word}\nnever read\n")
    assert done.returncode == 0
    assert "never read" not in done.stdout


def test_piped_lines_are_a_message_each(ana: Run) -> None:
    done = ana("chat", given="new task: Buy milk\nnew task: Buy bread")
    assert "+ Buy milk" in done.stdout
    assert "+ Buy bread" in done.stdout
