"""What is one message: lines that are typed, pasted, typed ahead and piped, with a model that records them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Run
from tests.conftest import folders
from tests.openai_stub import Gate, Said, Stub, openai_stub
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


@pytest.mark.parametrize(
    "pasted",
    [
        "one\rtwo\rthree",
        "one\rtwo\rthree\r",
        "one\r\ntwo\r\nthree\r\n",
        "one\ntwo\nthree\n",
        "\x1b[200~one\rtwo\rthree\r\x1b[201~",
    ],
    ids=repr,
)
def test_pasted_lines_are_one_message_that_waits_for_enter(terminal: Terminal, stub: Stub, pasted: str) -> None:
    terminal.type(pasted)
    terminal.until("three")
    terminal.type("\r")
    terminal.until("Heard it.")
    assert messages(stub) == ["one\ntwo\nthree"]


def test_a_paste_shows_as_one_message(terminal: Terminal) -> None:
    terminal.type("\x1b[200~one\rtwo\rthree\x1b[201~")
    terminal.until("3 lines, Enter sends the")
    terminal.type("\x03")
    terminal.until("Ctrl-D or /quit leaves.")


def test_a_paste_of_many_lines_is_one_message(terminal: Terminal, stub: Stub) -> None:
    lines = [f"line {n} of some lecture notes: delete the milk" for n in range(150)]
    terminal.type("\r".join([*lines, "the end"]))
    terminal.until("the end")
    terminal.type("\r")
    terminal.until("Heard it.")
    assert messages(stub) == ["\n".join([*lines, "the end"])]


def test_lines_typed_while_an_answer_runs_are_a_message_each(terminal: Terminal, stub: Stub) -> None:
    gate = Gate(Said("Here I am."))
    stub.script = [gate, Said("Two."), Said("Three."), Said("Four.")]
    terminal.type("first\r")
    gate.wait()
    terminal.type("second\rthird\rfou")
    terminal.until("fou")
    gate.opened.set()
    terminal.until("Three.")
    terminal.type("rth\r")
    terminal.until("Four.")
    assert messages(stub) == ["first", "second", "third", "fourth"]


def test_the_end_of_the_input_typed_while_an_answer_runs_leaves(terminal: Terminal, stub: Stub) -> None:
    stub.script = [gate := Gate(Said("Here I am."))]
    terminal.type("first\r")
    gate.wait()
    terminal.type("\x04")
    gate.opened.set()
    assert terminal.process.wait() == 0


def test_a_word_leaves(ana: Run) -> None:
    for word in ("exit", "quit", ":q", "Exit", "/exit"):
        done = ana("chat", given=f"thanks\n{word}\nnever read\n")
        assert (done.returncode, "never read" in done.stdout) == (0, False), word


def test_piped_lines_are_a_message_each(ana: Run) -> None:
    done = ana("chat", given="new task: Buy milk\nnew task: Buy bread")
    assert "+ “Buy milk”" in done.stdout
    assert "+ “Buy bread”" in done.stdout
