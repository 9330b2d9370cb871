"""What asks first is asked once, before anything runs, and nothing but what was approved is done: at every door."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage

from ana.errors import NotWaiting
from ana.models.scripted import calls
from app.outcome import Done, NotShown, Waiting
from app.turn import Assistant
from graph.builder import builder
from graph.context import LocalContext
from nodes.receipt import strip_receipt
from tests.app.doors import (
    ORDER,
    THINGS,
    Desk,
    Door,
    at_an_sdk,
    at_approve,
    at_ask,
    at_post_ask,
    at_studio,
    at_the_repl,
    do_nothing,
    in_a_client,
    in_a_newer_client,
    in_process,
    in_telegram,
    in_words,
    killed_after_writing,
    run_graph,
)
from tests.asking import asking
from tests.conftest import THREAD, script_of
from tests.others import ASKS

APPROVE, REJECT = {"type": "approve"}, {"type": "reject"}
MILK, PASSPORT = ["Buy milk"], ["Passport"]
"""What is left if the other one is deleted."""


NAMED = ["--request", "{request}", "--decide"]
ONE_ACCEPTED = {"type": "accept", "args": {"action": "delete_item", "args": {}}}
DECISIONS: list[tuple[Door, Any, list[str]]] = [
    (in_process, [APPROVE, APPROVE], []),
    (in_process, [REJECT, APPROVE], PASSPORT),
    (in_process, [REJECT, REJECT], THINGS),
    (in_words, "sí", []),
    (in_words, "yes please", []),
    (in_words, "nein danke", THINGS),
    (in_words, "no, keep the passport", THINGS),
    (in_words, "wait, only the old one", THINGS),
    (in_words, "いいえ、パスポートは残して", THINGS),
    (at_studio, True, MILK),
    (at_studio, "approve", MILK),
    (at_studio, "yes", MILK),
    (at_studio, APPROVE, MILK),
    (at_studio, [APPROVE], MILK),
    (at_studio, {"decisions": [APPROVE]}, MILK),
    (at_studio, False, THINGS),
    (at_studio, REJECT | {"message": "keep it"}, THINGS),
    (at_studio, [ONE_ACCEPTED], MILK),  # this and the following are Agent Inbox's
    (at_studio, [{"type": "accept", "args": None}], MILK),
    (at_studio, [{"type": "response", "args": "keep it"}], THINGS),
    (at_studio, [{"type": "ignore", "args": None}], THINGS),
    (at_an_sdk, [APPROVE, REJECT], MILK),
    (at_post_ask, [REJECT, APPROVE], PASSPORT),
    (at_post_ask, "yes", []),
    (at_post_ask, "no", THINGS),
    (at_ask, [*NAMED, "approve"], []),
    (at_ask, [*NAMED, "reject"], THINGS),
    (at_ask, "yes please", []),
    (at_ask, "nein danke", THINGS),
    (at_the_repl, "y", []),
    (at_the_repl, "a", []),
    (at_the_repl, "ja", []),
    (at_the_repl, "n", THINGS),
    (at_approve, "y", []),
    (at_approve, "n", THINGS),
    (at_approve, "--yes", []),
    (at_approve, "--no", THINGS),
    (in_telegram, ["All"], []),
    (in_telegram, ["None"], THINGS),
    (in_telegram, ["☐ 1", "☐ 2", "☑ 1", "Only 2"], PASSPORT),
    (in_telegram, "ja", []),
    (in_telegram, "no", THINGS),
    (in_a_client, ("accept", "do it"), MILK),
    (in_a_client, ("accept", "do not do it"), THINGS),
    (in_a_newer_client, ("accept", "do it"), MILK),
    (in_a_newer_client, ("accept", "do not do it"), THINGS),
]


@pytest.mark.parametrize(("door", "reply", "left"), DECISIONS)
def test_a_decision_is_carried_out_as_it_was_given(desk: Desk, door: Door, reply: Any, left: list[str]) -> None:
    door(desk, reply, do_nothing)
    assert (desk.contents, desk.waits) == (left, False)


NO_REPLIES = (None, ("decline", ""), ("cancel", ""), ("accept", ""))
"""Of a client: one that cannot ask, and a form that is closed or empty."""

UNDECIDED: list[tuple[Door, Any]] = [
    (in_process, [APPROVE]),
    (in_process, [APPROVE, {"type": "edit", "edited_action": {"name": "undo", "args": {}}}]),
    (in_words, "what is the time, and where is my passport?"),
    (at_studio, "perhaps"),
    (at_an_sdk, [APPROVE] * 3),
    (at_post_ask, [APPROVE]),
    (at_post_ask, "hello"),
    (at_ask, ["--decide", "approve"]),  # which names no request, and is in no terminal that was shown one
    (at_ask, [*NAMED, "no-such-file"]),
    (at_ask, "hello"),
    (at_the_repl, ""),
    (at_the_repl, "hello"),
    (at_approve, ""),
    (in_telegram, "what is the weather?"),
    *((in_a_client, reply) for reply in NO_REPLIES),
    *((in_a_newer_client, reply) for reply in NO_REPLIES),
]


@pytest.mark.parametrize(("door", "reply"), UNDECIDED)
def test_what_is_no_decision_leaves_it_waiting(desk: Desk, door: Door, reply: Any) -> None:
    door(desk, reply, do_nothing)
    assert (desk.contents, desk.waits) == (THINGS, True)


YES: list[tuple[Door, Any]] = [
    (in_process, [APPROVE, APPROVE]),
    (in_words, "yes"),
    (at_an_sdk, [APPROVE, APPROVE]),
    (at_post_ask, [APPROVE, APPROVE]),
    (at_ask, [*NAMED, "approve"]),
    (at_the_repl, "y"),
    (at_the_repl, "a"),
    (at_approve, "y"),
    (in_telegram, ["All"]),
]


@pytest.mark.parametrize(("door", "reply"), YES)
def test_a_yes_is_to_nothing_that_another_door_has_put_in_its_place(desk: Desk, door: Door, reply: Any) -> None:
    door(desk, reply, desk.replace)
    assert (desk.contents, desk.waits) == (THINGS, True)


@pytest.mark.parametrize(("door", "reply"), YES)
def test_a_yes_after_another_door_has_decided_does_nothing(desk: Desk, door: Door, reply: Any) -> None:
    door(desk, reply, desk.reject)
    assert (desk.contents, desk.waits) == (THINGS, False)


@pytest.mark.parametrize(("door", "reply"), [*YES, (at_studio, True), (in_a_client, ("accept", "do it"))])
def test_what_has_changed_since_it_was_shown_is_asked_again(desk: Desk, door: Door, reply: Any) -> None:
    door(desk, reply, desk.change)
    assert (desk.contents, desk.waits) == (["Buy milk, new", "Passport, new"], True)


def test_a_yes_where_nothing_was_shown_is_shown_what_waits(desk: Desk) -> None:
    shown = desk.ask()
    with pytest.raises(NotShown) as seen:
        desk.assistant.ask("yes", THREAD)
    assert seen.value.waiting.request_id == shown.request_id
    with asking(desk.handles) as client:
        for body in (
            {"question": "yes"},
            {"decisions": [APPROVE] * 2},
            {"decisions": [APPROVE] * 2, "request_id": "x"},
        ):
            told = client.post("/ask", json={"thread_id": THREAD, **body})
            assert (told.status_code, told.json()["error"].partition(":")[0]) == (409, "Nothing was done")
            assert told.json()["pending"] == {"request_id": shown.request_id, **shown.request}
    told_here = desk.run("ask", "--thread", THREAD, "yes")
    assert "Nothing was done: the decision names no request that was shown." in told_here
    assert "Deletes “Passport”." in told_here
    assert desk.contents == THINGS


def waiting(outcome: Any) -> Waiting:
    assert isinstance(outcome, Waiting)
    return outcome


def decide(assistant: Assistant, *decisions: dict[str, Any]) -> Done | Waiting:
    shown = waiting(assistant.find_open_turn(THREAD))
    return assistant.resume(THREAD, {"decisions": [*decisions]}, shown.request_id)


def edit(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


def read_results(assistant: Assistant) -> list[str]:
    """Return the results that the model was sent last."""
    return [m.text for m in script_of(assistant).seen[-1] if isinstance(m, ToolMessage)]


@pytest.fixture
def clearing(desk: Desk) -> Desk:
    """One whose model stores a note before it deletes both."""
    deletes = [("delete_item", {"id": id}) for id in (desk.passport, desk.milk)]
    script_of(desk.assistant).replies = [calls(("create_item", {"content": "A note"}), *deletes), "That is that."]
    return desk


def test_one_request_for_the_batch_comes_before_anything_runs(clearing: Desk) -> None:
    asked = clearing.ask()
    assert clearing.contents == THINGS
    assert [(action["name"], action["args"]) for action in asked.request["action_requests"]] == [
        ("delete_item", {"about": "Passport", "id": clearing.passport}),
        ("delete_item", {"about": "Buy milk", "id": clearing.milk}),
    ]
    said_once = f"Deletes 2 items.\n{ASKS}"
    assert asked.request["summary"] == said_once
    assert [action["description"] for action in asked.request["action_requests"]] == [
        f"{said_once}\nDeletes “Passport”.",
        "Deletes “Buy milk”.",
    ]
    [config] = asked.request["review_configs"]
    assert config == {"action_name": "delete_item", "allowed_decisions": ["approve", "edit", "reject"]}


def test_what_is_refused_is_told_and_a_second_decision_is_to_nothing(clearing: Desk) -> None:
    assistant = clearing.assistant
    shown = clearing.ask()
    done = decide(assistant, REJECT | {"message": "keep it"}, APPROVE)
    assert (strip_receipt(done.answer), [change["op"] for change in done.changes]) == (
        "That is that.",
        ["create", "delete"],
    )
    assert "Refused, did not run: keep it" in read_results(assistant)[1]
    with pytest.raises(NotWaiting):
        assistant.resume(THREAD, {"decisions": [APPROVE, APPROVE]}, shown.request_id)


def test_what_was_edited_in_agent_inbox_is_what_is_done(desk: Desk) -> None:
    script_of(desk.assistant).replies = [calls(("create_item", {"content": "A note"})), "That is that."]
    desk.assistant.autonomy = "advise"
    desk.ask()
    written = {"action": "create_item", "args": {"content": "Another note"}}
    run_graph(desk, [{"type": "edit", "args": written}])
    assert (desk.contents, desk.waits) == (["Another note", *THINGS], False)


WRONG: list[tuple[Any, str]] = [
    ("perhaps", 'That is no decision. Give {"decisions": [...]}, one for each action'),
    ({"decisions": "approve"}, 'That is no decision. Give {"decisions": [...]}, one for each action'),
    ({"decisions": [APPROVE]}, "Decisions needed: 2; given: 1. Missing: Deletes “Buy milk”. Give {"),
    ({"decisions": [{"type": "edit"}, APPROVE]}, "That is no decision: Field required. Give {"),
    ([{"type": "edit", "args": {"action": 3, "args": {}}}, APPROVE], "That is no decision: "),
    ([{"type": "accept", "args": None}], "Decisions needed: 2; given: 1. Missing: Deletes “Buy milk”. Give {"),
    (edit("x"), "Decisions needed: 2; given: 1. Missing: Deletes"),
]


@pytest.mark.parametrize(("reply", "told"), WRONG)
def test_a_wrong_reply_is_answered_with_what_is_missing_or_expected(desk: Desk, reply: Any, told: str) -> None:
    desk.ask()
    run_graph(desk, reply)
    again = waiting(desk.assistant.find_open_turn(THREAD))
    assert again.request["summary"].startswith(told)
    assert desk.contents == THINGS


def test_what_changes_at_the_last_moment_is_asked_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    assistant, memory = desk.assistant, desk.handles.memory
    both = calls(
        ("update_item", {"id": desk.passport, "properties": {"seen": True}}),
        ("delete_item", {"id": desk.passport}),
        ("delete_item", {"id": desk.milk}),
    )
    script_of(assistant).replies = [both, "That is that."]
    desk.ask()
    moments = iter([None, None, lambda: memory.update(desk.milk, "Buy two milks")])
    monkeypatch.setattr("nodes.execute_tools.check_stopped", lambda: (next(moments, None) or str)())
    [action] = waiting(decide(assistant, APPROVE, APPROVE)).request["action_requests"]
    assert action["description"].startswith("This has changed since you decided.\nDeletes “Buy two milks”.")
    assert desk.contents == ["Buy two milks"], "what the batch itself changed was weighed with it"
    assert strip_receipt(decide(assistant, APPROVE).answer) == "That is that."
    assert desk.contents == []


def test_an_edit_is_checked_and_what_it_brings_in_is_asked_again(clearing: Desk) -> None:
    assistant = clearing.assistant
    third = clearing.handles.memory.create("Tax papers", {}).id
    clearing.ask()
    wrong = waiting(decide(assistant, edit("delete_item", id=True), REJECT))
    assert "string" in wrong.request["action_requests"][0]["description"].splitlines()[0]
    another = waiting(decide(assistant, edit("undo"), REJECT))
    assert "Only the arguments" in another.request["action_requests"][0]["description"]
    unseen = waiting(decide(assistant, edit("delete_item", id=third), REJECT))
    [action] = unseen.request["action_requests"]
    assert action["args"] == {"about": "Tax papers", "id": third}
    assert "Tax papers" in action["description"]
    assert decide(assistant, edit("delete_item", about="only shown", id=clearing.passport)).answer == ""
    assert strip_receipt(decide(assistant, APPROVE).answer) == "That is that."
    assert clearing.contents == ["A note", "Buy milk", "Tax papers"]


def test_a_run_that_cannot_wait_refuses_what_would_ask(clearing: Desk) -> None:
    script = script_of(clearing.assistant)
    script.replies = [script.replies[0], "Nothing was deleted: that needs your approval."]
    given: Any = {"messages": [HumanMessage(ORDER)]}
    messages = builder.compile().invoke(given, context=LocalContext(opened=clearing.handles))["messages"]
    assert strip_receipt(messages[-1].text) == script.replies[1], "who was not asked is told what did not run"
    refused = ["Refused, did not run: this needs the person's approval" in m.text for m in messages[2:5]]
    assert refused == [False, True, True]
    assert clearing.contents == ["A note", *THINGS]


def test_a_crash_after_what_was_approved_ran_asks_and_does_nothing_again(
    clearing: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    clearing.ask()
    with killed_after_writing(monkeypatch):
        decide(clearing.assistant, APPROVE, APPROVE)
    assert clearing.contents == ["A note"]
    finished = clearing.assistant.finish(THREAD)
    assert isinstance(finished, Done)
    assert strip_receipt(finished.answer) == "That is that."
    assert [change["op"] for change in finished.changes] == ["create", "delete", "delete"]
    kept = [entry.change.op for entry in clearing.handles.memory.history() if entry.key]
    assert kept == ["delete", "delete", "create"]
