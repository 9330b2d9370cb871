"""A request says in words what becomes of what, its reasons once, and a batch first as one sentence."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from pydantic import TypeAdapter

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.operations import read_operations
from ana.memory.sources import PERSON
from ana.memory.updates import update_item
from ana.time.clock import Clock
from ana.translation import speaking
from ana.values import Properties
from graph.state import OpenRequest
from nodes.autonomy.request import leave_out_about, make_request
from nodes.autonomy.weigh import Batch, weigh
from nodes.autonomy.wording import word_calls, word_request
from nodes.autonomy.writes import Write
from nodes.execute_tools import CHANGED
from tools.arguments import read_content, read_properties

MONDAY = date(2026, 11, 30)
CLOCK = Clock(UTC, lambda: datetime(2026, 11, 30, 9, tzinfo=UTC))


def item(content: str, properties: Properties) -> Item:
    return Item(content, content, properties, "2025-01-07T08:00:00Z", "2025-01-07T08:00:00Z")


def update(content: str, old: Properties, text: Any = None, **properties: Any) -> Write:
    before, given = item(content, old), {"id": content, "properties": properties} | ({"content": text} if text else {})
    known = read_operations(read_properties(properties, MONDAY))
    after = update_item(before, read_content(text), known, PERSON, CLOCK)
    return Write(content, "update_item", given, (Change("item", content, before, after),))


def delete(content: str) -> Write:
    return Write(content, "delete_item", {"id": content}, (Change("item", content, item(content, {}), None),))


def ask(*writes: Write, note: str = "") -> OpenRequest:
    return make_request(weigh(Batch(writes, "advise")), MONDAY, note)


def first_line(write: Write) -> str:
    (action,) = word_request(ask(write))["action_requests"]
    return str(action["description"]).splitlines()[0]


DUE: Properties = {"due_date": "2026-12-04", "items": ["map", "inhaler"], "hours": 3}


CHOIR: Properties = {
    "repeats": "FREQ=WEEKLY;BYDAY=WE",
    "due_date": "2026-12-02",
    "moved": {"2026-12-09": "2026-12-10"},
}


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (update("Logo", DUE, due_date="2026-12-02"), "Changes “Logo”: due Fri 4 Dec -> Wed 2 Dec."),
        (update("Logo", DUE, due_date="2027-01-04"), "Changes “Logo”: due Fri 4 Dec -> Mon 4 Jan 2027."),
        (update("Logo", DUE, status="done"), "Changes “Logo”: done."),
        (
            update("Logo", DUE, repeats="FREQ=DAILY;BYHOUR=8,14;COUNT=5"),
            "Changes “Logo”: due Fri 4 Dec -> Fri 4 Dec 08:00, repeats every day at 08:00, 14:00, "
            "until Sun 6 Dec 08:00.",
        ),
        (update("Logo", DUE, hours={"$add": 3}), "Changes “Logo”: hours 3 -> 6."),
        (
            update("Logo", DUE, items={"$add": ["goggles"], "$remove": ["map"]}),
            "Changes “Logo”: items + goggles, - map.",
        ),
        (update("Logo", DUE, items=["goggles"]), "Changes “Logo”: items + goggles, - map, inhaler."),
        (update("Logo", DUE, due_date=None), "Changes “Logo”: no due."),
        (
            update("Choir", CHOIR, moved={"2026-12-16 (Wednesday)": "2026-12-17 (Thursday)"}),
            "Changes “Choir”: moved Wed 16 Dec -> Thu 17 Dec.",
        ),
        (update("Choir", CHOIR, moved={"2026-12-09": None}), "Changes “Choir”: again Wed 9 Dec."),
        (update("Choir", CHOIR, **{"except": {"$add": ["2026-12-16"]}}), "Changes “Choir”: without Wed 16 Dec."),
        (update("Logo", DUE, "New logo"), "Changes “Logo”: “Logo” -> “New logo”."),
        (update("Logo", DUE, {"$append": "in blue"}), "Changes “Logo”: + “in blue”."),
        (update("Logo", DUE, {"$replace": ["Logo", "New logo"]}), "Changes “Logo”: “Logo” -> “New logo”."),
        (
            Write(
                "c",
                "create_item",
                {"content": "Buy milk"},
                (Change("item", "", None, item("Buy milk", {"type": "task", "due_date": "2026-12-01"})),),
            ),
            "Stores “Buy milk” (task, due Tue 1 Dec).",
        ),
        (
            Write("c", "undo", {}, (Change("item", "a", item("Logo", DUE), item("Logo", DUE | {"hours": 1})),)),
            "Takes back what was done. Changes back “Logo”: hours 3 -> 1.",
        ),
        (
            Write("c", "undo", {}, (Change("item", "a", None, item("Logo", DUE)),)),
            "Takes back what was done. Brings back “Logo”.",
        ),
    ],
)
def test_a_request_says_what_becomes_of_what(write: Write, told: str) -> None:
    assert first_line(write) == told


def test_records_with_the_same_text_are_told_with_their_dates() -> None:
    shifts = [
        Change("item", day, Item(day, "Shift", {"type": "shift", "start_date": day}, "", ""), None)
        for day in ("2026-12-07T04:20", "2026-12-08")
    ]
    deletes = [Write(each.id, "delete_item", {"id": each.id}, (each,)) for each in shifts]
    assert word_calls(ask(*deletes)) == [
        "Deletes “Shift” (start date Mon 7 Dec 04:20).",
        "Deletes “Shift” (start date Tue 8 Dec).",
    ]
    back = Write("u", "undo", {}, tuple(Change("item", each.id, None, each.before) for each in shifts))
    assert first_line(back) == (
        "Takes back what was done. Brings back “Shift” (start date Mon 7 Dec 04:20). "
        "Brings back “Shift” (start date Tue 8 Dec)."
    )


def moves(*days: str) -> list[Write]:
    return [update(f"Item {n}", DUE, due_date=day) for n, day in enumerate(days)]


@pytest.mark.parametrize(
    ("writes", "told"),
    [
        (moves("2026-12-02T10:00", "2026-12-01"), "Changes 2 items."),
        ([*moves("2026-12-09"), update("Logo", DUE, status="done")], "Changes 2 items."),
        ([*moves("2026-12-09", "2026-12-09"), delete("Passport")], "Changes 2 items and deletes 1 item."),
        ([update("Logo", {}, due_date="2026-12-09"), *moves("2026-12-09")], "Changes 2 items."),
    ],
)
def test_a_batch_is_told_first_as_one_sentence(writes: list[Write], told: str) -> None:
    shown = word_request(ask(*writes))
    assert shown["summary"].splitlines()[0] == told
    assert shown["action_requests"][0]["description"].splitlines()[0] == told
    assert "summary" not in word_request(ask(writes[0]))


def test_a_reason_stands_once_and_says_which_calls_it_is_for() -> None:
    asked = ask(delete("Buy milk"), delete("Passport"), delete("Tax papers"), note="This has changed.")
    asked["reasons"]["Buy milk"] += [{"kind": "stored", "words": "Odd."}]
    asked["reasons"]["Passport"] += [{"kind": "stored", "words": "Odd."}]
    shown = word_request(asked)
    assert shown["summary"].splitlines() == [
        "This has changed.",
        "Deletes 3 items.",
        "You want to be asked before every change.",
        "1, 2: Odd.",
    ]
    told = [each["description"].splitlines() for each in shown["action_requests"][1:]]
    assert told == [["Deletes “Passport”."], ["Deletes “Tax papers”."]]


def test_the_items_words_stand_among_the_shown_arguments_and_are_ignored_when_edited() -> None:
    asked = ask(*moves("2026-12-09"))
    (action,) = asked["request"]["action_requests"]
    assert [*action["args"]] == ["about", "id", "properties"]
    assert action["args"]["about"] == "Item 0"
    assert leave_out_about("update_item", action["args"]) == {"id": "Item 0", "properties": {"due_date": "2026-12-09"}}
    assert leave_out_about("send_mail", {"about": "milk"}) == {"about": "milk"}


def test_a_request_of_an_earlier_version_is_shown_in_its_own_words() -> None:
    old = OpenRequest(
        request={
            "action_requests": [
                {"name": "delete_item", "args": {"id": "a"}, "description": "Löscht “Pass”."},
                {"name": "delete_item", "args": {"id": "b"}, "description": "Löscht “Milch”."},
            ],
            "review_configs": [],
        },
        reasons={id: [{"kind": "dial", "words": "Du willst vor jeder Änderung gefragt werden."}] for id in "ab"},
        calls=["a", "b"],
        digests={},
        records=[],
        note="Das hat sich geändert, seit du entschieden hast.",
        summary="Löscht 2 Dinge.",
    )
    TypeAdapter(OpenRequest).validate_python(old)
    shown = word_request(old)
    assert shown["summary"].splitlines() == [
        old["note"],
        old["summary"],
        "Du willst vor jeder Änderung gefragt werden.",
    ]
    assert shown["action_requests"][1]["description"] == "Löscht “Milch”."


def test_a_request_is_told_in_the_language_of_whoever_reads_it() -> None:
    asked = ask(delete("Passport"), update("Logo", DUE, status="done"), note=CHANGED)
    with speaking("de"):
        shown = word_request(asked)
    assert shown["summary"].splitlines() == [
        "Das hat sich geändert, seit du entschieden hast.",
        "Löscht 1 Eintrag und ändert 1 Eintrag.",
        "Du willst vor jeder Änderung gefragt werden.",
    ]
    assert shown["action_requests"][1]["description"] == "Ändert “Logo”: erledigt."
