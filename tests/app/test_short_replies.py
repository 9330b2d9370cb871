"""A yes or a no in words decides what was shown; another message is held once, and then carried out."""

from typing import Any

import pytest

from ana.settings import Settings
from ana.workspace import open_workspace
from app.outcome import NotShown, Waiting
from app.turn import Assistant
from graph.builder import builder
from graph.context import LocalContext
from graph.replies import bind_message
from nodes.short_replies import read_short_reply
from tests.app.doors import ORDER, THINGS, Desk
from tests.conftest import THREAD
from tests.others import ASKS

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


def ask(assistant: Assistant, text: str, shown: str | None = None) -> Any:
    return assistant.ask(text, THREAD, request_id=shown)


def test_the_first_other_message_is_told_what_waits_and_the_next_is_carried_out(desk: Desk) -> None:
    assistant, first = desk.assistant, desk.ask()
    held = ask(assistant, "What is the time, and where is my passport?", first.request_id)
    assert held.request["summary"].splitlines()[:2] == [
        "“What is the time, and where is my passport?” was not carried out: this waits for your decision. "
        "Another message drops it.",
        "Deletes 2 items.",
    ]
    with pytest.raises(NotShown):
        ask(assistant, "yes", first.request_id)
    assert ask(assistant, "hello", held.request_id).answer == "Hello."
    assert desk.contents == THINGS
    records = assistant.handles.traces.read(THREAD)
    told = "Not done: nobody approved it, and a new message came."
    assert [(r["question"], r["error"]) for r in records] == [(ORDER, told), ("hello", None)]
    assert "did not run" in str(records[0]["steps"][0]["observation"])


def test_a_run_of_the_server_takes_a_message_for_the_reply_that_it_is(desk: Desk, settings: Settings) -> None:
    assistant, first = desk.assistant, desk.ask()
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": THREAD}}

        def bind(text: str, metadata: Any = None) -> Any:
            state = graph.get_state(config)._replace(metadata=metadata)
            return bind_message({"messages": [{"role": "user", "content": text}]}, state, config)

        assert bind("yes").resume == {first.request_id: {"not_carried_out": "yes"}}, "another door has shown it"
        decided = bind("yes", {"run_id": "one"})
        assert decided.resume == {first.request_id: {"decisions": [{"type": "approve"}] * 2}}
        assert bind("hello", {"run_id": "one"}).resume == {first.request_id: {"not_carried_out": "hello"}}
        for text in ("yes", "hello"):
            bound = bind(text)
            graph.invoke(bound, config, context=LocalContext(opened=assistant.handles))
            assert isinstance(assistant.find_open_turn(THREAD), Waiting)
        assert bind("hello") == {"messages": [{"role": "user", "content": "hello"}]}, "it ends the request"
        passed: Any = {"configurable": {"thread_id": THREAD, "checkpoint_id": "an earlier one"}}
        given = {"messages": [{"role": "user", "content": "yes"}]}
        assert bind_message(given, graph.get_state(config), passed) == given


def test_a_yes_after_a_refusal_is_the_order_for_nothing(desk: Desk) -> None:
    assistant = desk.assistant
    assistant.autonomy = "advise"
    first = ask(assistant, "I tidy up, delete the passport")
    assert ask(assistant, "no", first.request_id).receipt.startswith("- Not done, you said no: Deletes “Passport”.")
    again = ask(assistant, "sorry, to tidy up the passport was right. yes please")
    [action] = again.request["action_requests"]
    told = ["Deletes “Passport”.", "You want to be asked before every change.", ASKS]
    assert action["description"].splitlines() == told
