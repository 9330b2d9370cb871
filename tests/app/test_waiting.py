"""A turn that waits for a person: told at every door, decided once, and never gone without a trace."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
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
from nodes.requests import decide_all
from tests.app.conftest import Run
from tests.app.mailer import MODULE, REQUEST
from tests.asking import asking
from tests.conftest import THREAD, folders, script_of
from tests.forks import run_forked
from tests.openai_stub import Said, openai_stub
from tests.sent import typed
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


# every door: a message to be sent, what came back as {"answer", "pending"?}, and a decision on it
Say = Callable[[str], dict[str, Any]]


@dataclass
class Door:
    say: Say
    decide: Callable[[str], dict[str, Any]]


def in_process(env: dict[str, str], ana: Run) -> Iterator[Door]:
    with open_assistant(open_handles(open_workspace(load_settings(env)))) as opened:

        def decide(decision: Any) -> dict[str, Any]:
            shown = waiting(opened.find_open_turn(THREAD))
            return opened.resume(THREAD, decide_all(shown.request, decision), shown.request_id).to_json()

        yield Door(lambda text: opened.ask(text, THREAD).to_json(), decide)


def command_line(env: dict[str, str], ana: Run) -> Iterator[Door]:
    shown = ""

    def run(*arguments: str) -> dict[str, Any]:
        nonlocal shown
        done = ana("ask", "--thread", THREAD, "--json", *arguments, **env)
        told: dict[str, Any] = json.loads(done.stdout)
        assert done.returncode == (3 if "pending" in told else 0), done.stderr
        shown = told.get("pending", {}).get("request_id", "")
        return told

    yield Door(run, lambda decision: run("--decide", decision, "--request", shown))


def server(env: dict[str, str], ana: Run) -> Iterator[Door]:
    handles = open_handles(open_workspace(load_settings(env)))
    shown = ""

    def post(body: dict[str, Any]) -> dict[str, Any]:
        nonlocal shown
        answer = client.post("/ask", json=body | {"thread_id": THREAD})
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        shown = told.get("pending", {}).get("request_id", "")
        return told

    with asking(handles) as client:
        yield Door(
            lambda text: post({"question": text}),
            lambda kind: post({"decisions": [{"type": kind}], "request_id": shown}),
        )


DOORS = [in_process, command_line, server]


@pytest.mark.parametrize("open_door", DOORS)
def test_every_door_shows_the_request_and_takes_the_decision_or_another_message(
    open_door: Any, env: dict[str, str], ana: Run, tmp_path: Path
) -> None:
    decisions = {"reject": ("not sent", []), "approve": ("sent to bob", ["bob"])}
    with openai_stub(Said()) as stub:
        env |= stub.env
        for door in open_door(env, ana):
            for turns, (decision, (observed, sent)) in enumerate(decisions.items()):
                stub.script = [Said(calls=[MAIL]), Said("That is that.")]
                asked = door.say("Write to Bob")
                steps = asked.pop("steps")
                assert re.fullmatch("[0-9a-f]{32}", asked["pending"].pop("request_id"))
                assert asked == {"answer": "", "thread_id": THREAD, "pending": REQUEST}
                assert [step["tool"] for step in steps] == ["send_mail"]
                assert mails(tmp_path) == []
                assert len(records(env)) == turns, "the record is written when the turn ends"
                told = door.decide(decision)
                assert (told["answer"], told["steps"][0]["observation"]) == ("That is that.", observed)
                assert mails(tmp_path) == sent
                record = records(env)[-1]
                assert (record["answer"], record["error"], record["id"]) == ("That is that.", None, told["trace_id"])
            stub.script = [Said(calls=[MAIL]), Said("Fine.")]
            door.say("Write to Bob")
            assert door.say("Never mind")["answer"] == "Fine."
    messages = stub.requests[-1]["messages"][-4:]
    assert [m["role"] for m in messages] == ["assistant", "tool", "assistant", "user"]
    assert "did not run" in messages[1]["content"]
    assert messages[2]["content"] == NOT_DONE
    *_, ended, last = records(env)
    assert (ended["question"], ended["answer"], ended["error"]) == ("Write to Bob", NOT_DONE, NOT_DONE)
    assert "did not run" in ended["steps"][0]["observation"]["error"]
    assert (last["answer"], mails(tmp_path)) == ("Fine.", ["bob"])


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


WRONG_USE = [
    (["ask", "hello", "--thread", "x", "--decide", "approve"], "either a question or --decide"),
    (["ask", "--decide", "approve"], "--decide needs --thread"),
    (["ask", "--thread", "x", "--decide", "no-such-file"], "approve, reject or a file"),
    (["ask", "--thread", "x"], "Missing argument"),
    (["ask", "hello", "--request", "x"], "--request needs --decide"),
]


def test_a_wrong_combination_is_wrong_use(ana: Run) -> None:
    for arguments, named in WRONG_USE:
        done = ana(*arguments)
        assert done.returncode == 2, arguments
        assert named in " ".join(done.stderr.replace("│", " ").split())


BODIES: list[tuple[dict[str, Any], int]] = [
    (APPROVE, 422),
    (APPROVE | {"thread_id": "x", "question": "hello"}, 422),
    ({"decisions": [], "thread_id": "x"}, 422),
    ({"decisions": [{"type": "approve", "more": 1}], "thread_id": "x"}, 422),
    ({"decisions": [{"type": "edit"}], "thread_id": "x"}, 422),
    ({"decisions": APPROVE["decisions"] * 2, "thread_id": THREAD}, 422),
    (APPROVE | {"thread_id": "x"}, 409),
]


def test_decisions_over_http_are_validated(env: dict[str, str]) -> None:
    handles = open_handles(
        open_workspace(load_settings(env)), model=ScriptedModel(replies=[calls(MAIL), "That is that."])
    )
    with asking(handles) as client:
        asked = client.post("/ask", json={"question": "Write to Bob", "thread_id": THREAD}).json()
        named = {"thread_id": THREAD, "request_id": asked["pending"]["request_id"]}
        for body, status in BODIES:
            answer = client.post("/ask", json=named | body if body.get("thread_id") == THREAD else body)
            assert answer.status_code == status, (body, answer.text)
            assert answer.json()["error"].endswith(".")
        for other in ({}, {"request_id": "another"}):
            answer = client.post("/ask", json=APPROVE | {"thread_id": THREAD} | other)
            assert answer.status_code == 409
            assert answer.json()["error"].startswith("Nothing was done: ")
            assert answer.json() == asked | {"error": answer.json()["error"]}, "what waits is shown again"
        assert [client.post("/ask", json=APPROVE | named).status_code for _ in range(2)] == [200, 409]


def test_the_repl_asks_and_takes_the_next_line(ana: Run, env: dict[str, str], tmp_path: Path) -> None:
    mail = Said(calls=[MAIL])
    with openai_stub(mail, Said("First."), mail, Said("Second."), mail, Said("Third.")) as stub:
        run = partial(ana, "chat", **env | stub.env)
        first = run(given="Write to Bob\ny\nWrite to Bob\n\n").stdout
        assert first.count("may I?") == 2
        assert "First." in first.partition("> y")[2]
        assert mails(tmp_path) == ["bob"], "an empty line leaves it waiting"
        second = run(given="/items\nn\n/quit\n").stdout
        assert "This conversation waits for your decision." in second
        assert second.index("Sends a mail.\n    to: bob") < second.index("> n") < second.index("Second.")
        third = run(given="Write to Bob\nno, leave it\ny\n").stdout
    assert f"> no, leave it\n{NOT_DONE}\nThird." in third
    assert typed(stub.requests[-1]["messages"][-1]["content"]) == "y", "a yes is a message where nothing waits"
    assert mails(tmp_path) == ["bob"]


def test_a_for_all_leaves_out_what_a_tool_of_the_persons_own_asks(
    ana: Run, env: dict[str, str], tmp_path: Path
) -> None:
    again = Said(calls=[("send_mail", {"to": "eve"})])
    with openai_stub(Said(calls=[MAIL]), again, Said("Sent.")) as stub:
        told = ana("chat", given="Write to Bob\na\n", **env | stub.env).stdout
    assert told.count("may I?") == 2
    assert mails(tmp_path) == ["bob"], "nobody has weighed what ordered it"


def test_a_decision_is_given_to_what_was_shown(assistant: Open) -> None:
    opened = assistant(calls(MAIL), calls(("send_mail", {"to": "eve"})), "Done with it.")
    shown = waiting(opened.ask("Write to Bob", THREAD))
    waiting(opened.ask("Write to Eve", THREAD))
    with pytest.raises(NotWaiting, match="meanwhile"):
        opened.resume(THREAD, APPROVE, shown.request_id)
    with pytest.raises(WrongReply, match="'respond'"):
        reply(opened, {"decisions": [{"type": "respond"}]})
    assert opened.finish(THREAD) is None, "only a decision or a message ends it"
    assert reply(opened, APPROVE).answer == "Done with it."
    with pytest.raises(NotWaiting):
        reply(opened, APPROVE)


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
    assert interrupt["value"] == REQUEST
    reply(opened, APPROVE)
    row = read_rows(workspace)[THREAD]
    assert (row["status"], row["interrupts"], row["values"]["messages"][-1].content) == (
        "idle",
        {},
        "Sent.\n\n---\nno changes",
    )
