"""`ana ask --decide` decides what this terminal was shown, or what --request names, and nothing else."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ana.settings import Settings
from ana.workspace import open_workspace
from app.cli.ask import MOST, find_last_request, remember_request
from app.outcome import Waiting
from tests.app.doors import ORDER, THINGS, Desk
from tests.conftest import THREAD, folders
from tests.terminal import Terminal

SHELL = """
    import fcntl, os, runpy, shlex, sys, termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    print("$ ", end="", flush=True)
    for line in open(0, closefd=False):
        if (pid := os.fork()) == 0:
            sys.argv = ["ana", *shlex.split(line)]
            runpy.run_module("app.cli", run_name="__main__", alter_sys=True)
        print(f"exit {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\\n$ ", end="", flush=True)
"""
"""A shell of a session of its own: each line is a command of `ana`."""


class Shell(Terminal):
    """A terminal in which commands are given one after another."""

    def __init__(self, env: dict[str, str]) -> None:
        super().__init__(env, script=SHELL)
        self.until("$ ")

    def run(self, command: str) -> tuple[int, str]:
        """Return the exit code of a command, and what it has shown."""
        self.seen = ""
        self.type(f"{command}\n")
        self.until("\n$ ")
        told, _, code = self.seen.removesuffix("\r\n$ ").rpartition("exit ")
        return int(code), " ".join(told.split())


def test_a_yes_as_a_message_is_to_what_this_terminal_was_shown(tmp_path: Path) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline", ANA_AUTONOMY="advise", COLUMNS="200")
    with Shell(env) as mine, Shell(env) as other:
        assert mine.run(f"ask --thread {THREAD} 'add buy milk tomorrow'")[0] == 3
        code, told = other.run(f"ask --thread {THREAD} 'yes please'")
        assert (code, "Nothing was done: the decision names no request that was shown." in told) == (3, True)
        assert "buy milk" not in mine.run("items")[1]
        assert mine.run(f"ask --thread {THREAD} 'yes please'")[0] == 0
        assert "buy milk" in mine.run("items")[1]


@contextmanager
def at_terminal(slave: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process show things in a terminal, and have a session of its own."""
    before = os.dup(1)
    os.dup2(slave, 1)
    with monkeypatch.context() as patched:
        patched.setattr("os.getsid", lambda _: os.getpid())
        yield
    os.dup2(before, 1)
    os.close(before)


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same in a terminal that nothing else uses."""
    both = os.openpty()
    with at_terminal(both[1], monkeypatch):
        yield
    for each in both:
        os.close(each)


def test_what_was_replaced_or_shown_in_another_terminal_is_shown_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = os.openpty(), os.openpty()

    def run(slave: int, *arguments: str) -> str:
        with at_terminal(slave, monkeypatch):
            return " ".join(desk.run("ask", "--thread", THREAD, *arguments).split())

    assert "Deletes “Passport”" in run(first[1], ORDER)
    desk.replace()
    assert "Nothing was done: this was decided or replaced meanwhile." in run(first[1], "--decide", "approve")
    told = run(second[1], "--decide", "approve")
    assert "Nothing was done: the decision names no request that was shown." in told
    assert "Deletes “Passport”" in told
    assert desk.contents == THINGS
    run(first[1], "--decide", "approve")
    assert desk.contents == [], "it was shown again"
    assert "Nothing in this conversation waits" in run(second[1], "--decide", "approve"), "somebody else has decided"
    for each in (*first, *second):
        os.close(each)


def test_what_was_shown_as_json_is_named(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = desk.run("ask", "--json", "--thread", THREAD, ORDER)
    pending = json.JSONDecoder().raw_decode(shown)[0]["pending"]
    assert [*pending] == ["request_id", "action_requests", "review_configs", "summary"]
    decide = ("ask", "--thread", THREAD, "--decide", "approve")
    with terminal(monkeypatch):
        assert "Nothing was done" in desk.run(*decide)
        assert "Nothing was done" in desk.run(*decide, "--request", "0" * 32)
        assert desk.contents == THINGS
        desk.run(*decide, "--request", pending["request_id"])
    assert desk.contents == []


def make_waiting(thread: str, request: str) -> Waiting:
    return Waiting(thread, "t", request, {"action_requests": [], "review_configs": []}, [], [])


def test_the_note_is_private_small_and_tells_nobody_what_was_where(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ana_data_dir.mkdir()
    with terminal(monkeypatch):
        for number in range(3 * MOST):
            remember_request(open_workspace(settings), make_waiting(f"thread-{number}", f"{number:032x}"))
        found = [
            find_last_request(open_workspace(settings), f"thread-{number}") for number in (0, 2 * MOST, 3 * MOST - 1)
        ]
    assert found == [None, f"{2 * MOST:032x}", f"{3 * MOST - 1:032x}"]
    note = settings.ana_data_dir / "shown"
    assert note.stat().st_size < 4096
    assert note.stat().st_mode & 0o077 == 0
    assert "thread" not in note.read_text()


def test_another_session_has_been_shown_nothing(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ana_data_dir.mkdir()
    others = [
        ("ana.machine.read_boot_id", lambda: "another"),  # after a restart of the machine
        ("os.getsid", lambda _: os.getppid()),
        ("os.getsid", lambda _: 2**22 + 1),  # the session's first process has ended
        ("ana.machine._STARTED", 20),  # the session's number was another's before
    ]
    with terminal(monkeypatch):
        remember_request(open_workspace(settings), make_waiting(THREAD, "1" * 32))
        for name, other in others:
            assert find_last_request(open_workspace(settings), THREAD) == "1" * 32
            with monkeypatch.context() as patched:
                patched.setattr(name, other)
                assert find_last_request(open_workspace(settings), THREAD) is None
    with terminal(monkeypatch), terminal(monkeypatch):
        assert find_last_request(open_workspace(settings), THREAD) is None, "another terminal"


@pytest.mark.parametrize("damaged", [b"", b"null", b"\0\xff", b"{}", b"1 " * 9999])
def test_a_note_that_cannot_be_read_is_as_none(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, damaged: bytes
) -> None:
    settings.ana_data_dir.mkdir()
    note = settings.ana_data_dir / "shown"
    with terminal(monkeypatch):
        note.write_bytes(damaged)
        assert find_last_request(open_workspace(settings), THREAD) is None
        remember_request(open_workspace(settings), make_waiting(THREAD, "1" * 32))
        assert find_last_request(open_workspace(settings), THREAD) == "1" * 32
        note.unlink()
        note.mkdir()
        assert find_last_request(open_workspace(settings), THREAD) is None
        remember_request(open_workspace(settings), make_waiting(THREAD, "1" * 32))
        assert find_last_request(open_workspace(settings), THREAD) is None
