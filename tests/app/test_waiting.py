"""A turn in which a tool of the person's own asks: told, decided once, and never gone without a trace."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from ana.errors import NotWaiting, WrongReply
from ana.handles import open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import PROJECT, load_settings
from ana.tracing.files import TraceFiles
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from app.outcome import CutShort, Done, Waiting
from app.studio import read_rows
from app.turn import Assistant, open_assistant
from tests.app.conftest import Run
from tests.app.mailer import MODULE, REQUEST
from tests.asking import asking
from tests.conftest import THREAD, folders, script_of
from tests.forks import run_forked
from tests.openai_stub import Said, openai_stub
from tools.catalog import catalog, checker, schemas

MILK = ("create_item", {"content": "Buy milk"})
MAIL = ("send_mail", {"to": "bob"})
APPROVE = {"decisions": [{"type": "approve"}]}
NOT_DONE = "Not done: nobody approved it, and a new message came."


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The environment of an assistant with a tool that asks, in this process and in others."""
    (tmp_path / "mailer.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OUTBOX", str(tmp_path / "outbox"))
    yield folders(tmp_path, TOOLS_MODULES="mailer")
    sys.modules.pop("mailer", None)
    for cached in (catalog, schemas, checker):
        cached.cache_clear()


Open = Callable[..., Assistant]


@pytest.fixture
def assistant(env: dict[str, str]) -> Iterator[Open]:
    """Opens assistants on one data folder, each with a script for a model."""
    with ExitStack() as stack:

        def make(*replies: Any) -> Assistant:
            handles = open_handles(open_workspace(load_settings(env)), model=ScriptedModel(replies=list(replies)))
            return stack.enter_context(open_assistant(handles))

        yield make


def mails(folder: Path) -> list[str]:
    outbox = folder / "outbox"
    return outbox.read_text().split() if outbox.exists() else []


def records(env: dict[str, str], thread: str = THREAD) -> list[Record]:
    return TraceFiles(load_settings(env).traces_dir).read(thread)


def waiting(outcome: Any) -> Waiting:
    assert isinstance(outcome, Waiting)
    return outcome


def reply(assistant: Assistant, given: Any) -> Done | Waiting:
    """Reply to what waits now, as somebody who has just been shown it."""
    shown = assistant.find_open_turn(THREAD)
    return assistant.resume(THREAD, given, shown.request_id if isinstance(shown, Waiting) else "-")


def test_a_tool_that_asks_waits_for_the_decision_or_for_another_message(
    assistant: Open, env: dict[str, str], tmp_path: Path
) -> None:
    opened = assistant(calls(MAIL), "Not sent.", calls(MAIL), "Sent.", calls(MAIL), "Fine.")
    decisions: dict[str, tuple[str, list[str]]] = {"reject": ("not sent", []), "approve": ("sent to bob", ["bob"])}
    for turns, (decision, (observed, sent)) in enumerate(decisions.items()):
        asked = waiting(opened.ask("Write to Bob", THREAD))
        assert asked.to_json()["pending"] == {"request_id": asked.request_id, **REQUEST}
        assert re.fullmatch("[0-9a-f]{32}", asked.request_id)
        assert len(records(env)) == turns, "the record is written when the turn ends"
        with pytest.raises(WrongReply, match="'respond'"):
            reply(opened, {"decisions": [{"type": "respond"}]})
        done = reply(opened, {"decisions": [{"type": decision}]})
        assert (done.steps[0]["observation"], mails(tmp_path)) == (observed, sent)
        assert (records(env)[-1]["answer"], records(env)[-1]["error"]) == (done.answer, None)
    waiting(opened.ask("Write to Bob", THREAD))
    assert opened.ask("Never mind", THREAD).answer == "Fine."
    told = [message.text for message in script_of(opened).seen[-1][-4:]]
    assert ("did not run" in told[1], told[2]) == (True, NOT_DONE)
    ended = records(env)[-2]
    assert (ended["question"], ended["answer"], ended["error"]) == ("Write to Bob", NOT_DONE, NOT_DONE)
    assert mails(tmp_path) == ["bob"]


BODIES: list[dict[str, Any]] = [
    APPROVE,
    APPROVE | {"thread_id": "x", "question": "hello"},
    {"decisions": [], "thread_id": "x"},
    {"decisions": [{"type": "approve", "more": 1}], "thread_id": "x"},
    {"decisions": [{"type": "edit"}], "thread_id": "x"},
]


def test_decisions_over_http_are_validated(env: dict[str, str]) -> None:
    with asking(open_handles(open_workspace(load_settings(env)), model=ScriptedModel(replies=[]))) as client:
        for body in BODIES:
            answer = client.post("/ask", json=body)
            assert (answer.status_code, answer.json()["error"][-1]) == (422, "."), (body, answer.text)
        assert client.post("/ask", json=APPROVE | {"thread_id": "x"}).status_code == 409


def test_the_command_line_says_what_is_asked_and_the_next_step(ana: Run, env: dict[str, str], tmp_path: Path) -> None:
    with openai_stub(Said(calls=[MAIL]), Said("That is that.")) as stub:
        run = partial(ana, **env | stub.env, ANA_AUTONOMY="advise")
        asked = run("ask", "Write to Bob", "--thread", "my mail")
        assert asked.returncode == 3
        assert asked.stdout == "Not done yet; may I?\n  Sends a mail.\n    to: bob\n"
        assert "ana ask --thread 'my mail' --decide approve" in asked.stderr
        id = re.findall("--decide approve --request ([0-9a-f]{32})\n", asked.stderr)[0]
        decide = ("ask", "--thread", "my mail", "--request", id, "--decide")
        listed = run("threads", "list")
        assert (listed.returncode, "my mail" in listed.stdout) == (0, True)
        assert run("threads", "show", "my mail").returncode == 1
        for reply in ('{"decisions": []}', '{"decisions": [{"type": "maybe"}]}', "no json"):
            (tmp_path / "wrong.json").write_text(reply)
            assert run(*decide, str(tmp_path / "wrong.json")).returncode == 2
        (tmp_path / "two.json").write_text(json.dumps({"decisions": APPROVE["decisions"] * 2}))
        assert "Decisions needed: 1; given: 2." in run(*decide, str(tmp_path / "two.json")).stderr
        edited = {"type": "edit", "edited_action": {"name": "send_mail", "args": {"to": "eve"}}}
        (tmp_path / "edit.json").write_text(json.dumps({"decisions": [edited]}))
        done = run(*decide, str(tmp_path / "edit.json"))
        assert (done.returncode, done.stdout, mails(tmp_path)) == (0, "That is that.\n", ["eve"])
        again = run(*decide, "approve")
        assert again.returncode == 2
        assert "Nothing in this conversation waits for a decision." in again.stderr
        assert "> Write to Bob" in run("threads", "show", "my mail").stdout


def test_a_for_all_leaves_out_what_a_tool_of_the_persons_own_asks(
    ana: Run, env: dict[str, str], tmp_path: Path
) -> None:
    again = Said(calls=[("send_mail", {"to": "eve"})])
    with openai_stub(Said(calls=[MAIL]), again, Said("Sent.")) as stub:
        told = ana("chat", given="Write to Bob\na\n", **env | stub.env).stdout
    assert told.count("may I?") == 2
    assert mails(tmp_path) == ["bob"], "nobody has weighed what ordered it"


def test_a_request_of_another_shape_is_passed_on(assistant: Open, env: dict[str, str]) -> None:
    opened = assistant(calls(MILK, ("colour", {})), "Hello.", calls(("colour", {})), "Red it is.")
    asked = waiting(opened.ask("Paint it", THREAD))
    request = {"action_requests": [], "review_configs": [], "value": "Which colour?"}
    assert asked.to_json()["pending"] == {"request_id": asked.request_id, **request}
    opened.ask("Wait, hello", THREAD)
    first, _ = records(env)
    assert first["answer"] == "Not finished: nobody replied to what was asked, and a new message came."
    sent = script_of(opened).seen[-1]
    assert ["whether it ran is not known" in m.text for m in sent if isinstance(m, ToolMessage)] == [True, True]
    asked = waiting(opened.ask("Paint it", THREAD))
    done = reply(opened, "red")
    assert isinstance(done, Done)
    assert done.steps[0]["observation"] == "the reply was red"


def test_a_reply_is_in_the_file_before_the_turn_goes_on(
    assistant: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = assistant(calls(MAIL), "That is that.")
    waiting(opened.ask("Write to Bob", THREAD))
    with monkeypatch.context() as patched:
        patched.setattr(opened, "_run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            reply(opened, APPROVE)
    assert mails(tmp_path) == []
    assert opened.find_open_turn(THREAD) == CutShort(THREAD, "Write to Bob")
    finished = opened.finish(THREAD)
    assert finished is not None
    assert finished.answer == "That is that."
    assert mails(tmp_path) == ["bob"]


def test_a_call_that_ran_before_the_request_is_not_said_to_have_failed(assistant: Open) -> None:
    opened = assistant(calls(MILK, MAIL), "Fine.")
    waiting(opened.ask("Milk, and write to Bob", THREAD))
    assert opened.ask("Never mind", THREAD).answer == "Fine."
    sent = script_of(opened).seen[-1]
    milk, mail = [m.text for m in sent if isinstance(m, ToolMessage)]
    assert "whether it ran is not known" in milk
    assert "did not run" in mail
    assert [item.content for item in opened.handles.memory.items()] == ["Buy milk"]


def test_two_requests_in_one_batch_are_asked_one_after_the_other(assistant: Open, tmp_path: Path) -> None:
    opened = assistant(calls(MILK, MAIL, ("send_mail", {"to": "eve"})), "Decided.")
    first = waiting(opened.ask("Write to both", THREAD))
    second = waiting(opened.resume(THREAD, APPROVE, first.request_id))
    assert second.request_id != first.request_id
    assert second.request["action_requests"][0]["args"] == {"to": "eve"}
    assert waiting(opened.find_open_turn(THREAD)) == second
    assert mails(tmp_path) == ["bob"]
    assert opened.resume(THREAD, APPROVE, second.request_id).answer == "Decided."
    assert mails(tmp_path) == ["bob", "eve"], "each was sent once"
    assert [item.content for item in opened.handles.memory.items()] == ["Buy milk"], "written once"


KILLED = """
    import json, os, signal, sys
    from ana.handles import open_handles
    from ana.models.scripted import ScriptedModel, calls
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from app.turn import open_assistant

    settings, thread, decided = load_settings(json.loads(sys.argv[1])), sys.argv[2], sys.argv[3] == "decided"
    batch = calls(("create_item", {"content": "Buy milk"}), ("send_mail", {"to": "bob"}))
    with open_assistant(open_handles(open_workspace(settings), model=ScriptedModel(replies=[batch]))) as assistant:
        assistant.ask("Write to Bob", thread)
        if decided:
            reply, shown = {"decisions": [{"type": "approve"}]}, assistant.find_open_turn(thread).request_id
            assistant.resume(thread, reply, shown, on_event=lambda _: os.kill(os.getpid(), signal.SIGKILL))
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["waiting", "decided"])
def test_a_kill_loses_neither_the_request_nor_the_decision(
    moment: str, env: dict[str, str], assistant: Open, tmp_path: Path
) -> None:
    here = {"PYTHONPATH": f"{PROJECT}{os.pathsep}{tmp_path}"}
    assert run_forked("-c", KILLED, json.dumps(env), THREAD, moment, env=here).returncode == -9
    opened = assistant("That is that.")
    if moment == "waiting":
        assert waiting(opened.find_open_turn(THREAD)).request == REQUEST
        assert opened.finish(THREAD) is None
        done = reply(opened, APPROVE)
    else:
        assert opened.find_open_turn(THREAD) == CutShort(THREAD, "Write to Bob")
        with pytest.raises(NotWaiting):
            reply(opened, APPROVE)
        finished = opened.finish(THREAD)
        assert finished is not None
        done = finished
    assert done.answer == "That is that."
    assert [change["op"] for change in done.changes] == ["create"]
    assert [item.content for item in opened.handles.memory.items()] == ["Buy milk"]
    assert mails(tmp_path) == ["bob"]
    assert opened.find_open_turn(THREAD) is None
    (record,) = records(env)
    assert record["error"] is None


def test_a_row_of_the_server_shows_what_its_thread_waits_for(assistant: Open, env: dict[str, str]) -> None:
    workspace = open_workspace(load_settings(env))
    opened = assistant(calls(MAIL), "Sent.")
    opened.ask("mail bob", THREAD)
    row = read_rows(workspace)[THREAD]
    assert row["status"] == "interrupted"
    ((interrupt,),) = row["interrupts"].values()
    assert interrupt.value == REQUEST
    reply(opened, APPROVE)
    row = read_rows(workspace)[THREAD]
    assert (row["status"], row["interrupts"], row["values"]["messages"][-1].content) == (
        "idle",
        {},
        "Sent.\n\n---\nno changes",
    )
