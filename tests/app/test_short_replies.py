"""A yes or a no in words decides what was shown, at every door that takes text; another message waits once."""

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.types import Command
from starlette.testclient import TestClient

from ana.models.scripted import calls
from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import NotShown, Waiting
from app.turn import Assistant
from graph.builder import builder
from graph.context import LocalContext
from graph.replies import bind_message
from nodes.receipt import strip_receipt
from nodes.short_replies import read_short_reply
from tests.asking import asking
from tests.conftest import THREAD, MakeAssistant, script_of
from tests.others import ASKS, let_others_speak
from tests.sent import typed

YES = (
    "yes|ok|sure|yes please|Yes, please!|yes all of it please|go ahead|ja|Ja, mach das bitte|sí|sí, por favor|oui"
    "|oui, d’accord|はい|はい、お願いします|ok thanks|approve|yes of course|ja genau|yes, delete them"
    "|ja, lösch sie|bien sûr|sí, claro que sí|もちろん|ja mach"
)
NO = "no|No thanks.|nope|don't|nein|nein danke|no, gracias|non merci|いいえ|いいえ、結構です|reject"
OTHER = (
    "delete it|yes, delete the first one|genauer bitte"
    "|no, make it Friday|yes?|thanks|both|yes, the first one|okay so what|yesterday|jay|yok|not now|yes no|"
)


def test_a_yes_or_a_no_is_that_alone_in_five_languages() -> None:
    assert {read_short_reply(each) for each in YES.split("|")} == {"approve"}
    assert {read_short_reply(each) for each in NO.split("|")} == {"reject"}
    assert {read_short_reply(each) for each in OTHER.split("|")} == {None}


@pytest.fixture
def assistant(make_assistant: MakeAssistant) -> Assistant:
    """An assistant whose model deletes a passport, and answers whatever else it is told."""
    made = make_assistant()
    let_others_speak(made.handles.memory)
    passport = made.handles.memory.create("Passport", {}).id

    def decide(messages: list[Any]) -> Any:
        if messages[-1].type == "tool":
            return AIMessage("That is that.")
        return calls(("delete_item", {"id": passport})) if "tidy" in typed(messages[-1].text) else AIMessage("Hello.")

    script_of(made).replies = [decide] * 20
    return made


def contents(assistant: Assistant) -> list[str]:
    return [item.content for item in assistant.handles.memory.items()]


def ask(assistant: Assistant, text: str, shown: str | None = None) -> Any:
    return assistant.ask(text, THREAD, request_id=shown)


@pytest.mark.parametrize(("reply", "left"), [("sí", []), ("yes please", []), ("nein danke", ["Passport"])])
def test_a_reply_in_words_is_to_what_this_door_has_shown(assistant: Assistant, reply: str, left: list[str]) -> None:
    waiting = ask(assistant, "tidy up")
    with pytest.raises(NotShown) as seen:
        ask(assistant, reply)
    assert seen.value.waiting.request_id == waiting.request_id
    assert contents(assistant) == ["Passport"]
    assert strip_receipt(ask(assistant, reply, waiting.request_id).answer) == "That is that."
    assert contents(assistant) == left


def test_the_first_other_message_is_told_what_waits_and_the_next_is_carried_out(
    assistant: Assistant, settings: Settings
) -> None:
    first = ask(assistant, "tidy up")
    held = ask(assistant, "What is the time, and where is my passport?", first.request_id)
    (action,) = held.request["action_requests"]
    assert action["description"].splitlines()[:2] == [
        "“What is the time, and where is my passport?” was not carried out: this waits for your decision. "
        "Another message drops it.",
        "Deletes “Passport”.",
    ]
    with pytest.raises(NotShown):
        ask(assistant, "yes", first.request_id)
    assert ask(assistant, "hello", held.request_id).answer == "Hello."
    assert contents(assistant) == ["Passport"]
    records = assistant.handles.traces.read(THREAD)
    told = "Not done: nobody approved it, and a new message came."
    assert [(r["question"], r["error"]) for r in records] == [("tidy up", told), ("hello", None)]
    assert "did not run" in str(records[0]["steps"][0]["observation"])


@pytest.mark.parametrize("said", ["no, keep the passport", "wait, only the old one", "いいえ、パスポートは残して"])
def test_a_message_that_says_no_and_what_instead_is_carried_out_at_once(assistant: Assistant, said: str) -> None:
    answered = ask(assistant, said, ask(assistant, "tidy up").request_id)
    assert answered.answer == "Hello."
    assert contents(assistant) == ["Passport"]


@pytest.fixture
def client(assistant: Assistant) -> Iterator[TestClient]:
    with asking(assistant.handles) as client:
        yield client


def test_post_ask_takes_a_yes_to_what_it_has_told(assistant: Assistant, client: TestClient) -> None:
    def post(question: str) -> Any:
        return client.post("/ask", json={"question": question, "thread_id": THREAD})

    ask(assistant, "tidy up")  # at another door
    unseen = post("yes")
    assert (unseen.status_code, "Nothing was done" in unseen.json()["error"]) == (409, True)
    assert "Deletes “Passport”." in unseen.json()["pending"]["action_requests"][0]["description"]
    assert contents(assistant) == ["Passport"]
    assert strip_receipt(post("yes").json()["answer"]) == "That is that."
    assert contents(assistant) == []


SHORT: list[tuple[Any, list[str]]] = [
    (True, []),
    ("approve", []),
    ("yes", []),
    ({"type": "approve"}, []),
    ([{"type": "approve"}], []),
    ({"decisions": [{"type": "approve"}]}, []),
    (False, ["Passport"]),
    ({"type": "reject", "message": "keep it"}, ["Passport"]),
    ([{"type": "accept", "args": {"action": "delete_item", "args": {}}}], []),  # Agent Inbox
    ([{"type": "accept", "args": None}], []),
    ([{"type": "response", "args": "keep it"}], ["Passport"]),
    ([{"type": "ignore", "args": None}], ["Passport"]),
]


@pytest.mark.parametrize(("reply", "left"), SHORT)
def test_studio_and_sdks_may_reply_in_short(
    assistant: Assistant, settings: Settings, reply: Any, left: list[str]
) -> None:
    ask(assistant, "tidy up")
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": THREAD}}
        graph.invoke(Command(resume=reply), config, context=LocalContext(opened=assistant.handles))
    assert assistant.find_open_turn(THREAD) is None
    assert contents(assistant) == left


WRONG: list[tuple[Any, str]] = [
    ("perhaps", 'That is no decision. Give {"decisions": [...]}, one for each action'),
    ({"decisions": "approve"}, 'That is no decision. Give {"decisions": [...]}, one for each action'),
    ({"decisions": [{"type": "approve"}]}, "Decisions needed: 2; given: 1. Missing: Deletes “Buy milk”. Give {"),
    ([{"type": "accept", "args": None}], "Decisions needed: 2; given: 1. Missing: Deletes “Buy milk”. Give {"),
    ({"type": "edit", "edited_action": {"name": "x", "args": {}}}, "Decisions needed: 2; given: 1. Missing: Deletes"),
    ({"decisions": [{"type": "edit"}, {"type": "approve"}]}, "That is no decision: Field required. Give {"),
]


@pytest.mark.parametrize(("reply", "told"), WRONG)
def test_a_wrong_reply_is_answered_with_what_is_missing_or_expected(
    assistant: Assistant, settings: Settings, reply: Any, told: str
) -> None:
    memory = assistant.handles.memory
    both = [("delete_item", {"id": id}) for id in (next(memory.items()).id, memory.create("Buy milk", {}).id)]
    script_of(assistant).replies = [calls(*both)]
    ask(assistant, "tidy up")
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        config: Any = {"configurable": {"thread_id": THREAD}}
        context = LocalContext(opened=assistant.handles)
        builder.compile(checkpointer=saver).invoke(Command(resume=reply), config, context=context)
    again = assistant.find_open_turn(THREAD)
    assert isinstance(again, Waiting)
    assert again.request["summary"].startswith(told)
    assert len(contents(assistant)) == 2


def test_a_run_of_the_server_takes_a_message_for_the_reply_that_it_is(assistant: Assistant, settings: Settings) -> None:
    first = ask(assistant, "tidy up")
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": THREAD}}

        def bind(text: str, metadata: Any = None) -> Any:
            state = graph.get_state(config)._replace(metadata=metadata)
            return bind_message({"messages": [{"role": "user", "content": text}]}, state, config)

        assert bind("yes").resume == {first.request_id: {"not_carried_out": "yes"}}, "another door has shown it"
        decided = bind("yes", {"run_id": "one"})
        assert decided.resume == {first.request_id: {"decisions": [{"type": "approve"}]}}
        assert bind("hello", {"run_id": "one"}).resume == {first.request_id: {"not_carried_out": "hello"}}
        for text in ("yes", "hello"):
            bound = bind(text)
            graph.invoke(bound, config, context=LocalContext(opened=assistant.handles))
            assert isinstance(assistant.find_open_turn(THREAD), Waiting)
        assert bind("hello") == {"messages": [{"role": "user", "content": "hello"}]}, "it ends the request"
        passed: Any = {"configurable": {"thread_id": THREAD, "checkpoint_id": "an earlier one"}}
        given = {"messages": [{"role": "user", "content": "yes"}]}
        assert bind_message(given, graph.get_state(config), passed) == given


def test_a_yes_after_a_refusal_is_the_order_for_nothing(assistant: Assistant) -> None:
    assistant.autonomy = "advise"
    first = ask(assistant, "Delete the passport, I tidy up")
    assert ask(assistant, "no", first.request_id).receipt.startswith("- Not done, you said no: Deletes “Passport”.")
    again = ask(assistant, "sorry, I tidy up with the wrong button. yes please")
    [action] = again.request["action_requests"]
    told = ["Deletes “Passport”.", "You want to be asked before every change.", ASKS]
    assert action["description"].splitlines() == told
