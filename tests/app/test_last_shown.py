"""`ana ask --decide` decides what this terminal was shown, or what --request names, and nothing else."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ana.handles import open_handles
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from app.cli.ask import MOST, find_last_request, remember_request
from app.outcome import Waiting
from tests.app.conftest import Done, Run
from tests.asking import asking
from tests.conftest import THREAD, folders
from tests.openai_stub import Said, openai_stub
from tests.others import let_others_speak
from tests.terminal import Terminal

SHELL = """
    import fcntl, os, runpy, shlex, sys, termios

    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    print("$ ", end="", flush=True)
    for line in open(0, closefd=False):
        command, _, output = line.strip().partition(" > ")
        if (pid := os.fork()) == 0:
            sys.argv = ["ana", *shlex.split(command)]
            if output:
                os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 1)
            runpy.run_module("app.cli", run_name="__main__", alter_sys=True)
        print(f"exit {os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\\n$ ", end="", flush=True)
"""
"""A shell of a session of its own: each line is a command of `ana`; its output may go to a file."""


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


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A model that deletes whatever the message asks to delete."""
    ids: dict[str, str] = {}

    def delete(request: dict[str, Any]) -> Said:
        last = request["messages"][-1]
        asked = last["content"].rpartition("delete ")[2]
        if last["role"] == "tool":
            return Said("That is that.")
        return Said(calls=[("delete_item", {"id": ids[name]}) for name in asked.split(", ")])

    with openai_stub(delete) as stub:
        model = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": stub.url, "COLUMNS": "200"}
        env = folders(tmp_path, **model)
        handles = open_handles(open_workspace(load_settings(env)))
        let_others_speak(handles.memory)
        ids |= {name: handles.memory.create(name, {}).id for name in ("milk", "bread", "will", "deed")}
        handles.memory.close()
        yield env


def contents(env: dict[str, str]) -> list[str]:
    handles = open_handles(open_workspace(load_settings(env)))
    try:
        return sorted(item.content for item in handles.memory.items())
    finally:
        handles.memory.close()


@pytest.fixture
def open_shell(env: dict[str, str]) -> Iterator[Callable[[], Shell]]:
    with ExitStack() as stack:

        def start() -> Shell:
            shell = Shell(env)
            stack.callback(shell.close)
            return shell

        yield start


@pytest.fixture
def post(env: dict[str, str]) -> Iterator[Callable[..., dict[str, Any]]]:
    """POST /ask of a server on the same folder."""
    handles = open_handles(open_workspace(load_settings(env)))
    with asking(handles) as client:
        yield lambda **body: client.post("/ask", json={"thread_id": THREAD, **body}).json()


DECIDE = f"ask --thread {THREAD} --decide"


def test_a_yes_is_to_what_this_terminal_was_shown(
    open_shell: Callable[[], Shell], env: dict[str, str], post: Callable[..., dict[str, Any]]
) -> None:
    mine, other = open_shell(), open_shell()
    code, told = mine.run(f"ask --thread {THREAD} 'delete milk, bread'")
    assert (code, "Deletes “milk”" in told) == (3, True)
    assert "was not carried out" in post(question="delete will, deed")["pending"]["summary"]
    post(question="delete will, deed")
    code, told = mine.run(f"{DECIDE} approve")
    assert (code, "Nothing was done: this was decided or replaced meanwhile." in told) == (3, True)
    assert "Deletes “will”" in told
    code, told = other.run(f"{DECIDE} approve")
    assert (code, "Nothing was done: the decision names no request that was shown." in told) == (3, True)
    assert "Deletes “deed”" in told
    assert contents(env) == ["bread", "deed", "milk", "will"]
    assert mine.run(f"{DECIDE} approve")[0] == 0, "it was shown again"
    assert contents(env) == ["bread", "milk"]
    assert other.run(f"{DECIDE} approve")[0] == 2, "somebody else has decided"


def test_a_yes_as_a_message_is_to_what_this_terminal_was_shown(
    open_shell: Callable[[], Shell], env: dict[str, str]
) -> None:
    mine, other = open_shell(), open_shell()
    assert mine.run(f"ask --thread {THREAD} 'delete milk, bread'")[0] == 3
    code, told = other.run(f"ask --thread {THREAD} 'yes please'")
    assert (code, "Nothing was done: the decision names no request that was shown." in told) == (3, True)
    assert (mine.run(f"ask --thread {THREAD} 'yes please'")[0], contents(env)) == (0, ["deed", "will"])


def test_what_was_shown_elsewhere_than_in_the_terminal_is_named(
    open_shell: Callable[[], Shell], env: dict[str, str], tmp_path: Path
) -> None:
    shell, output = open_shell(), tmp_path / "out.json"
    assert shell.run(f"ask --json --thread {THREAD} 'delete milk, bread' > {output}")[0] == 3
    pending = json.loads(output.read_text())["pending"]
    assert [*pending] == ["request_id", "action_requests", "review_configs", "summary"]
    assert shell.run(f"{DECIDE} approve > {tmp_path / 'again'}")[0] == 3
    assert shell.run(f"{DECIDE} approve --request {'0' * 32} > {tmp_path / 'once-more'}")[0] == 3
    assert "Deletes “milk”" in (tmp_path / "once-more").read_text()
    assert contents(env) == ["bread", "deed", "milk", "will"]
    assert shell.run(f"{DECIDE} approve --request {pending['request_id']}")[0] == 0
    assert contents(env) == ["deed", "will"]


def test_without_a_terminal_a_decision_names_its_request(ana: Run, env: dict[str, str]) -> None:
    def ask(*arguments: str) -> Done:
        return ana("ask", "--json", "--thread", THREAD, *arguments, **env)

    shown = json.loads(ask("delete milk, bread").stdout)
    again = ask("--decide", "approve")
    assert (again.returncode, json.loads(again.stdout)) == (3, shown)
    assert again.stderr.startswith("Nothing was done: the decision names no request that was shown.")
    assert contents(env) == ["bread", "deed", "milk", "will"]
    assert ask("--decide", "approve", "--request", shown["pending"]["request_id"]).returncode == 0
    assert contents(env) == ["deed", "will"]


def test_without_a_terminal_a_yes_as_the_next_message_is_to_what_ask_has_shown_last(
    ana: Run, env: dict[str, str], post: Callable[..., dict[str, Any]]
) -> None:
    def ask(said: str) -> Done:
        return ana("ask", "--thread", THREAD, said, **env)

    assert ask("delete milk, bread").returncode == 3
    post(question="delete will, deed")
    post(question="delete will, deed")
    told = ask("yes please")
    assert (told.returncode, "Nothing was done" in told.stderr) == (3, True), "another door has asked since"
    assert contents(env) == ["bread", "deed", "milk", "will"]
    assert (ask("yes please").returncode, contents(env)) == (0, ["bread", "milk"])


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process show things in a terminal, and have a session of its own."""
    (master, slave), before = os.openpty(), os.dup(1)
    os.dup2(slave, 1)
    with monkeypatch.context() as patched:
        patched.setattr("os.getsid", lambda _: os.getpid())
        yield
    os.dup2(before, 1)
    for each in (master, slave, before):
        os.close(each)


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
