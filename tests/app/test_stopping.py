"""Stop stops: whoever cancels a run or presses Ctrl-C has the model's connection closed and the conversation free."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from tests.app.conftest import HELLO, say
from tests.conftest import folders
from tests.openai_stub import Said, Stub, openai_stub
from tests.stopping import PROMPT
from tests.terminal import Terminal
from tests.waiting import wait_until

MANY = 4
"""Runs that the server works on at once."""


def hangs(how: Any) -> Callable[[dict[str, Any]], Said]:
    """A model that does not come to an end where it is asked to hang, until the client closes the connection."""
    return lambda request: Said(hang=how) if request["messages"][-1]["content"].endswith("hang") else HELLO


def begin(client: SyncLangGraphClient, stub: Stub, thread: str, **more: Any) -> str:
    """Begin a run that hangs; return its id when the model was asked."""
    asked = len(stub.requests)
    run = client.runs.create(thread, "ana", input=say("hang"), **more)
    wait_until(lambda: len(stub.requests) > asked)
    return str(run["run_id"])


@pytest.mark.database
@pytest.mark.parametrize(("how", "drafts"), [("silent", True), ("word after word", False)])
def test_a_cancelled_run_lets_go_of_the_model_and_of_its_thread(
    client: SyncLangGraphClient, stub: Stub, thread: str, how: str, drafts: bool
) -> None:
    stub.script = [hangs(how)]
    run = begin(client, stub, thread, stream_mode=["messages-tuple"], context={"stream_drafts": drafts})
    client.runs.cancel(thread, run, wait=True)
    assert stub.closed.acquire(timeout=PROMPT)
    for said in ("hello", "and again"):
        values: Any = client.runs.wait(thread, "ana", input=say(said))
        assert values["messages"][-1]["content"] == "Hello there.\n\n---\nno changes"


@pytest.mark.own_server
def test_a_message_that_stops_a_run_is_answered(client: SyncLangGraphClient, stub: Stub, thread: str) -> None:
    stub.script = [hangs("after a word")]
    begin(client, stub, thread)
    following = client.runs.create(thread, "ana", input=say("hello"), multitask_strategy="interrupt")
    assert stub.closed.acquire(timeout=PROMPT)
    values: Any = client.runs.join(thread, following["run_id"])
    assert values["messages"][-1]["content"] == "Hello there.\n\n---\nno changes"


def test_stopped_runs_hold_up_nobody(client: SyncLangGraphClient, stub: Stub) -> None:
    stub.script = [hangs("silent")]
    threads = [str(client.threads.create()["thread_id"]) for _ in range(MANY)]
    for thread, run in [(thread, begin(client, stub, thread)) for thread in threads]:
        client.runs.cancel(thread, run, wait=True)
    values: Any = client.runs.wait(client.threads.create()["thread_id"], "ana", input=say("hello"))
    assert values["messages"][-1]["content"] == "Hello there.\n\n---\nno changes"
    for _ in threads:
        assert stub.closed.acquire(timeout=PROMPT)


@pytest.mark.own_server
def test_a_client_that_leaves_stops_its_run_if_it_asked_for_that(
    client: SyncLangGraphClient, stub: Stub, thread: str
) -> None:
    stub.script = [hangs("after a word")]
    parts = client.runs.stream(thread, "ana", input=say("hang"), stream_mode=["messages-tuple"], on_disconnect="cancel")
    assert isinstance(parts, Iterator)
    next(part for part in parts if part.event == "messages")
    parts.close()  # type: ignore[attr-defined]  # a generator
    assert stub.closed.acquire(timeout=PROMPT)
    values: Any = client.runs.wait(thread, "ana", input=say("hello"))
    assert values["messages"][-1]["content"] == "Hello there.\n\n---\nno changes"


IGNORING = """
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    from app.cli.main import main

    main()
"""
"""The REPL as a script starts it in the background, or a terminal that was started so."""


@pytest.mark.parametrize(("how", "script"), [("silent", None), ("word after word", IGNORING)])
def test_ctrl_c_at_the_repl_lets_go_of_the_model_and_not_of_the_program(
    tmp_path: Path, how: str, script: str | None
) -> None:
    with (
        openai_stub(hangs(how)) as stub,
        Terminal(folders(tmp_path, **stub.env, OPENAI_MODEL="slow-one"), script=script) as terminal,
    ):
        terminal.until("/help shows the commands.")
        terminal.type("hang\r")
        wait_until(lambda: stub.requests)
        if how == "silent":
            terminal.until("Waiting for slow-one, ")
            terminal.until(" s so far. Ctrl-C stops it.")
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("Stopped. What was already stored stays.", PROMPT)
        assert stub.closed.acquire(timeout=PROMPT)
        terminal.type("hello\r")
        terminal.until("Hello there.", PROMPT)
        terminal.type("/quit\r")
        assert terminal.process.wait(PROMPT) == 0
    assert "Traceback" not in terminal.seen


def test_ctrl_c_ends_ask(tmp_path: Path) -> None:
    with (
        openai_stub(hangs("silent")) as stub,
        Terminal(folders(tmp_path, **stub.env, OPENAI_MODEL="slow-one"), "ask", "hang") as terminal,
    ):
        terminal.until("Waiting for slow-one, ")
        terminal.until(" s so far. Ctrl-C stops it.")
        terminal.process.send_signal(signal.SIGINT)
        terminal.until("Stopped. What was already stored stays.", PROMPT)
        assert terminal.process.wait(PROMPT) == 130
        assert stub.closed.acquire(timeout=PROMPT)


LOOKING_UP = """
    import socket, time

    def look_up(*_, **__):
        end, said = time.monotonic() + 60, ["looking up"]
        while time.monotonic() < end:
            try:
                print(said.pop() if said else "")
                time.sleep(60)
            except KeyboardInterrupt:
                pass  # as in C, where no signal is heard

    socket.getaddrinfo = look_up
    import sys
    from app.cli.main import main
    sys.argv[1:] = ["ask", "hello"]
    main()
"""


def test_ctrl_c_ends_ask_while_a_name_is_looked_up(tmp_path: Path) -> None:
    env = folders(tmp_path, OPENAI_API_KEY="sk-x", OPENAI_BASE_URL="http://nowhere.example/v1")
    with Terminal(env, script=LOOKING_UP) as terminal:
        terminal.until("looking up")
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.process.wait(PROMPT) == 130
