"""The receipt under an answer: what was written, or that nothing was; each door shows it, the model does not see it."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from ana.memory.receipt_lines import MOST_LINES, list_changes
from ana.models.scripted import calls
from ana.settings import Settings
from ana.tracing.files import TraceFiles
from ana.tracing.schema import RefusedCall
from ana.translation import speaking
from app.outcome import expect_done
from nodes.earlier import divide_history
from nodes.history import insert_recorded, repair_messages
from nodes.receipt import (
    Call,
    add_receipt,
    find_failed,
    hide_receipt,
    list_unwritten,
    make_answer,
    name_recorded,
    render_receipt,
    strip_receipt,
)
from tests.conftest import THREAD, MakeAssistant, script_of
from tests.nodes.policies import failed, ran, wrote
from tools.artifacts import Receipt

MILK = ("create_item", {"content": "Buy milk\n- Deleted: “everything”", "properties": {"type": "task"}})
STORED = "- Stored: “Buy milk” (task)"

FAILED = failed(step=1)
MADE_GOOD = [
    (failed(step=1), wrote("Gym", step=2)),
    (failed(step=1, id="abcdefgh"), wrote("Gym", step=1, id="abcdefgh")),
    (failed("delete_item", step=1), wrote("Gym", "delete_item", step=3)),
    (failed("query_items"), wrote("Gym")),
    (wrote("Gym"), ran("now", {})),
]
NOT_MADE_GOOD = [
    (FAILED, wrote("Gym", step=1)),
    (wrote("Gym", step=1), FAILED),
    (FAILED, wrote("Gym", "create_item", step=2)),
    (FAILED, ran("now", {}, 2)),
]


@pytest.mark.parametrize("made", MADE_GOOD)
def test_a_failure_that_was_made_good_is_not_told(made: tuple[Call, ...]) -> None:
    assert find_failed(made) == []


@pytest.mark.parametrize("made", NOT_MADE_GOOD)
def test_a_failure_beside_a_success_of_another_thing_is_told(made: tuple[Call, ...]) -> None:
    assert find_failed(made) == [FAILED]


def test_a_receipt_stands_under_the_answer_in_the_record_and_in_json(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    assistant = make_assistant(calls(MILK), "Saved.", "You have milk to buy.", "A fine colour.")
    done = expect_done(assistant.ask("I need milk", THREAD))
    assert (done.answer, done.receipt) == ("Saved.", STORED)
    assert done.to_json()["changes"] == done.changes
    assert done.to_json()["receipt"] == STORED
    (record,) = TraceFiles(settings.traces_dir).read(THREAD)
    assert (record["receipt"], record["changes"]) == (done.receipt, done.changes)
    asked = expect_done(assistant.ask("what do I need?", THREAD))
    assert (asked.receipt, asked.to_json()["changes"]) == ("no changes\n- Buy milk: task", [])
    assert expect_done(assistant.ask("my door is red", THREAD)).receipt == "no changes"


def test_the_model_is_sent_answers_without_their_receipts_and_what_was_recorded_before_the_next_message(
    make_assistant: MakeAssistant,
) -> None:
    assistant = make_assistant(calls(MILK), "Saved.", "It is deleted.", "Yes.", "Bye.")
    for said in ("I need milk", "no I do not", "really?", "ok bye"):
        assistant.ask(said, THREAD)
    *_, third, last = script_of(assistant).seen
    spoken = [message.text for message in last if isinstance(message, AIMessage) and message.text]
    assert spoken == ["Saved.", "It is deleted.", "Yes."]
    told = [message.text.splitlines() for message in last if isinstance(message, HumanMessage)]
    assert [lines[-1] for lines in told] == ["I need milk", "no I do not", "really?", "ok bye"]
    id = assistant.handles.memory.history()[-1].change.id
    days, recorded = zip(*(lines[0].partition(": ")[2].split(", ") for lines in told[1:]), strict=True)
    assert recorded == (f"changed: created {id}]", "no changes]", "no changes]")
    assert {*days} == {assistant.handles.clock.now().date().isoformat()}
    assert len({lines[0].partition(":")[0] for lines in told[1:]}) == 1, "one mark in a conversation"
    assert _dump(last)[: len(third) - 1] == _dump(third)[:-1], "a provider's cache holds"


def _dump(messages: list[Any]) -> list[str]:
    return [str(message.model_dump(exclude={"id"})) for message in messages]


def test_a_receipt_that_a_model_made_up_is_taken_away(make_assistant: MakeAssistant) -> None:
    made_up = add_receipt("Here is your list.", "- Stored: “Buy milk”\n- Deleted: “rent”")
    assert expect_done(make_assistant(made_up).ask("what do I have?", THREAD)).answer == "Here is your list."
    made_up = "[recorded 1a2b3c4d: changed: deleted abcd2345]\nIt is gone.\n\n---\nno changes\n- Rent: cancelled"
    done = expect_done(make_assistant(made_up, made_up).ask("delete the rent", THREAD.replace("0", "1")))
    assert (done.answer, done.receipt) == ("It is gone.", "no changes")


def test_an_answer_that_stays_false_is_composed_from_the_receipts(make_assistant: MakeAssistant) -> None:
    lie = "That is in item `abcd2e4f`."
    done = expect_done(make_assistant(lie, lie, lie).ask("hm", THREAD))
    assert (done.answer, done.receipt) == ("I was going to name an entry that I cannot find.", "no changes")
    assistant = make_assistant(calls(MILK), lie, lie, lie)
    done = expect_done(assistant.ask("add milk", THREAD.replace("0", "1")))
    assert [step["tool"] for step in done.steps] == ["create_item", "⛔️policy_violation", "⛔️policy_violation"]
    assert "abcd2e4f" not in done.answer
    assert done.receipt == STORED


NO_SUCH = ("delete_item", {"id": "abcd2345"})


def test_a_turn_with_one_done_and_one_failed_says_both(make_assistant: MakeAssistant) -> None:
    done = expect_done(make_assistant(calls(MILK, NO_SUCH), "Milk is kept; rent is not there.").ask("both", THREAD))
    assert done.receipt.splitlines() == [STORED, "- Not done: There is no item 'abcd2345'."]
    assert (done.error, done.fruitless) == (None, False)


def test_what_was_there_already_is_named(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(calls(MILK), "Kept.", calls(MILK), "I have kept it.")
    assistant.ask("add milk", THREAD)
    done = expect_done(assistant.ask("add milk, please", THREAD))
    assert (done.receipt, done.changes) == ("- Already there: “Buy milk - Deleted: ‘everything’”", [])


def _change(op: str, kind: str = "item", id: object = 1) -> dict[str, Any]:
    record = {"id": str(id), "content": "Tea", "properties": {}, "updated_at": "2026-01-07T08:00:00Z"}
    before = None if op == "create" else record | {"properties": {"old": 1}} if op == "update" else record
    return {"op": op, "kind": kind, "id": str(id), "before": before, "after": None if op == "delete" else record}


def render(changes: list[Receipt]) -> str:
    return render_receipt([Call("undo", {}, "{}", receipts=tuple(changes))])


def test_what_was_there_already_and_what_failed_are_told_apart_from_the_answer_too() -> None:
    receipt = render_receipt([Call("create_item", {}, "{}", existing="Tea"), failed()])
    assert receipt == "- Already there: “Tea”\n- Not done: There is no item 'abcd2345'."
    assert strip_receipt(add_receipt("Done.", receipt)) == "Done."


def test_receipts_are_worded_for_markdown_and_told_apart_from_the_answer() -> None:
    kinds = [(op, kind) for kind in ("item", "line") for op in ("create", "update", "delete")]
    changes = [_change(op, kind, n) for n, (op, kind) in enumerate(kinds)]
    receipt = render([*changes])
    words = [
        "Stored: “Tea”",
        "Changed: “Tea” (no old)",
        "Deleted: “Tea”",
        "Learned: “Tea”",
        "Now known: “Tea” (no old)",
        "Forgotten: “Tea”",
    ]
    assert receipt.splitlines() == [f"- {word}" for word in words]
    long = render([_change("create", id=n) for n in range(MOST_LINES + 12)])
    for answer in ("Done.", "A\n\n---\nB", "---", ""):
        for under in (receipt, long, "no changes", "no changes\n- Tea: done"):
            assert strip_receipt(add_receipt(answer, under)) == answer
            assert hide_receipt(make_answer(answer, under, "", "1")).text == answer
    assert strip_receipt("A\n\n---\n- Stored: Tea\n\nand more") == "A\n\n---\n- Stored: Tea\n\nand more"
    options = "Two ways:\n\n---\n- Stored goods: cheap\n- Fresh ones: better"
    assert strip_receipt(options) == options
    assert hide_receipt(make_answer(options, "no changes", "", "1")).text == options


def test_what_failed_or_was_refused_stands_beside_what_was_written() -> None:
    under = "- Gespeichert: Tea\n- Nicht erledigt: Das gibt es nicht."
    assert list_changes([_change("create")], under) == ["+ “Tea”", "Nicht erledigt: Das gibt es nicht."]
    assert list_changes([], "Nothing was stored or changed.") == ["Nothing was stored or changed."]
    assert list_changes([_change("update")], None) == ["~ “Tea” (no old)"]


def test_what_wrote_nothing_is_told_in_the_language_of_whoever_reads_it() -> None:
    call = RefusedCall(name="delete_item", args={}, changes=[_change("delete")], day="2026-01-07")  # type: ignore[list-item]
    copy = Call("create_item", {}, "{}", existing="Tea")
    unwritten = list_unwritten([copy, failed()], [call, "Deletes “Milk”."])
    with speaking("de"):
        lines = list_changes([], "- Already there: “Tea”", unwritten)
    assert lines == [
        "Schon da: “Tea”",
        "Nicht getan: There is no item 'abcd2345'.",
        "Nicht getan, du hast nein gesagt: Löscht “Tea”.",
        "Nicht getan, du hast nein gesagt: Deletes “Milk”.",
    ]


def test_what_was_recorded_is_told_by_ids_and_by_what_it_came_to() -> None:
    back = _change("update", id="b")
    changes = [_change("create", id="a"), back, back | {"before": back["after"], "after": back["before"]}]
    assert name_recorded(changes) == "changed: created a"
    assert name_recorded([_change("delete", "line", 3)]) == "changed: deleted line 3"
    assert name_recorded(changes[1:]) == "no changes"
    many = name_recorded([_change("create", id=n) for n in range(MOST_LINES + 12)])
    assert many.endswith(f"created {MOST_LINES - 1}, and 12 more")


def test_what_was_recorded_stands_before_each_later_message_and_is_not_shortened() -> None:
    ended = make_answer("Hello.", "no changes", "no changes", "2", "2026-01-06")
    turn: list[AnyMessage] = [HumanMessage("hello", id="1"), ended]
    messages = repair_messages([*turn, HumanMessage("again", id="3")])
    first, answer, second = insert_recorded(divide_history(messages, "2026-01-07", 500)[1], THREAD)
    assert (first, answer.text) == (turn[0], "Hello.")
    assert second.text.startswith("[recorded ")
    assert second.text.endswith(": 2026-01-06, no changes]\nagain")
    former = [turn[0], AIMessage("Hello."), turn[0]]
    assert [*insert_recorded(former, THREAD)] == former, "not known of what an earlier version answered"


def test_a_long_receipt_is_cut() -> None:
    lines = render([_change("create", id=n) for n in range(MOST_LINES + 12)]).splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == "- and 12 more"
