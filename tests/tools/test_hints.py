"""Mistakes that models really make: each is answered so that whoever follows the hint is right one step later."""

import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from ana.memory.memory import Memory
from ana.models.fence import unfence
from ana.models.scripted import calls
from ana.reminders.reading import REMIND_FORM
from ana.values import Properties
from app.outcome import CutShort, Outcome
from tests.conftest import THREAD, MakeAssistant

Told = dict[str, Any]
Follow = Callable[[Told, Told], Told]
"""Makes the next call's arguments from the ones that were wrong and the answer to them."""


def fill(memory: Memory) -> None:
    today = str(memory._clock.now().date())
    logo: Properties = {"project": "Acme", "priority": "high", "tags": ["Reading", "design"], "status": "active"}
    memory.create("Logo concepts", logo | {"due_date": today})
    memory.create("Invoice 2041", {"project": "Lumen", "due_date": "2020-01-15", "status": "done", "n": 1})
    memory.create("Kickoff workshop", {"start_date": "2030-11-30", "end_date": "2030-12-02"})


def run(make_assistant: MakeAssistant, tool: str, args: Told, follow: Follow | None) -> list[Told]:
    """Return what the tool answered to a call, and to the call that followed the hint."""

    def mend(messages: list[BaseMessage]) -> AIMessage:
        assert follow
        return calls((tool, follow(args, json.loads(unfence(messages[-1].text)))))

    assistant = make_assistant(calls((tool, args)), *([mend] if follow else []), "As it says.")
    fill(assistant.handles.memory)
    return list_answers(assistant.ask("Invoice 2041, Logo concepts: do it", THREAD))


def list_answers(outcome: Outcome) -> list[Told]:
    """Return what tools answered; a draft that was sent back is a step too."""
    assert not isinstance(outcome, CutShort)
    return [step["observation"] for step in outcome.steps if step["tool"] not in ("⛔️policy_violation", "⛔️no_action")]


def as_written(_args: Told, told: Told) -> Told:
    """Send the filter that the hint has written out."""
    written = json.JSONDecoder().raw_decode(told["hint"][told["hint"].index("{") :])[0]
    return {"where": written}


def first_value(args: Told, told: Told) -> Told:
    """Send the first value that there is instead."""
    key, *_ = args["where"]
    (found,) = re.findall(r"there are ([^,(]+) \(", told["note"])[:1]
    return {"where": {key: json.loads(found) if found.isdecimal() else found}}


def first_name(args: Told, told: Told) -> Told:
    (found,) = re.findall(r"there are (\w+)", told["note"])
    return {"where": dict(zip([found], args["where"].values(), strict=True))}


def quoted_date(args: Told, told: Told) -> Told:
    """Send the date in quotes in the place of the one that was wrong."""
    (found,) = re.findall(r'"(\d{4}-\d\d-\d\d(?:T\d\d:\d\d)?)"', told["hint"])[:1]
    return args | {"properties": {"due_date": found}}


def similar_id(args: Told, told: Told) -> Told:
    return args | {"id": told["similar"][0]["id"]}


MENDED: list[tuple[Told, Follow, str]] = [
    ({"due_date": "this week"}, as_written, "Logo concepts"),
    ({"due_date": {"gte": "2020-01-15", "lte": "2020-01-15"}}, as_written, "Invoice 2041"),
    ({"due_date": "2020-15-01"}, as_written, "Invoice 2041"),
    ({"due_date": "2020-01"}, as_written, "Invoice 2041"),
    ({"n": {"$exists": True}}, as_written, "Invoice 2041"),
    ({"project": "Acmme"}, first_value, "Logo concepts"),
    ({"n": "1"}, first_value, "Invoice 2041"),
    ({"projekt": "Acme"}, first_name, "Logo concepts"),
]


@pytest.mark.parametrize(("where", "follow", "content"), MENDED, ids=[str(where) for where, *_ in MENDED])
def test_a_filter_that_finds_nothing_is_mended_by_its_hint(
    make_assistant: MakeAssistant, where: Told, follow: Follow, content: str
) -> None:
    wrong, right = run(make_assistant, "query_items", {"where": where}, follow)
    assert not wrong.get("items")
    assert [item["content"] for item in right["items"]] == [content]


def test_a_filter_written_as_text_is_told_to_be_an_object(make_assistant: MakeAssistant) -> None:
    _, right = run(
        make_assistant,
        "query_items",
        {"where": "status = active"},
        lambda _, told: json.loads(re.findall(r"\{.*\}", told["hint"])[0]),
    )
    assert [item["content"] for item in right["items"]] == ["Logo concepts"]


@pytest.mark.parametrize("day", ["wednesday", "Wednesday at 9:30", "2026-25-11", "2026-11-25 (wed)", "25 Nov 2026"])
@pytest.mark.parametrize("tool", ["create_item", "update_item"])
def test_a_due_date_that_is_no_date_is_refused_with_the_one_that_is_meant(
    make_assistant: MakeAssistant, tool: str, day: str
) -> None:
    args: Told = {"content": "Submit the portfolio", "properties": {"due_date": day}}
    if tool == "update_item":
        args |= {"id": "?"}
        assistant = make_assistant()
        item = assistant.handles.memory.create("Portfolio").id
        args["id"] = item
    wrong, right = run(make_assistant, tool, args, quoted_date)
    assert "due_date takes a date" in wrong["error"]
    assert "(Wednesday)" in right["properties"]["due_date"]


@pytest.mark.parametrize("kept", ["2026-12-04", "2026-12-04T09:30"])
@pytest.mark.parametrize("beside", ["", " (Friday)"])
def test_a_date_with_its_weekday_is_read(make_assistant: MakeAssistant, kept: str, beside: str) -> None:
    args = {"content": "Submit", "properties": {"due_date": kept + beside, "noted": "wednesday"}}
    run(make_assistant, "create_item", args, None)
    (item,) = [item for item in make_assistant().handles.memory.items() if item.content == "Submit"]
    assert item.properties == {"due_date": kept, "noted": "wednesday"}


@pytest.mark.parametrize("value", ["2026-12-04 (Thursday)", "someday", 20261204, ["2026-12-04"], ""])
def test_what_is_no_date_and_means_none_is_refused(make_assistant: MakeAssistant, value: object) -> None:
    (told,) = run(make_assistant, "create_item", {"content": "x", "properties": {"end_date": value}}, None)
    assert told["error"]
    assert told["hint"]


@pytest.mark.parametrize("named", ["invoice", "Invoice 2041", "near"])
def test_a_wrong_id_is_answered_with_the_item_that_may_be_meant(make_assistant: MakeAssistant, named: str) -> None:
    assistant = make_assistant()
    known = assistant.handles.memory.create("Invoice 2041 again").id
    id = f"{known[:-1]}{'3' if known[-1] == '2' else '2'}" if named == "near" else named
    wrong, right = run(make_assistant, "update_item", {"id": id, "properties": {"status": "sent"}}, similar_id)
    assert wrong["error"] == f"There is no item {id!r}."
    assert right["content"].startswith("Invoice 2041")
    assert right["properties"]["status"] == "sent"


def test_an_id_that_shares_no_word_with_anything_names_nothing(make_assistant: MakeAssistant) -> None:
    (told,) = run(make_assistant, "update_item", {"id": "practice", "properties": {"status": "sent"}}, None)
    assert told["error"] == "There is no item 'practice'."
    assert "similar" not in told


def test_an_id_of_a_deleted_item_says_how_it_comes_back(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    id = memory.create("Yoga").id
    memory.delete(id)
    back = calls(("undo", {"turn": id}))
    assistant = make_assistant(calls(("update_item", {"id": id, "content": "Yoga!"})), back, "It is back.")
    assistant.autonomy = "act"
    wrong, right = list_answers(assistant.ask("bring Yoga back", THREAD))
    assert wrong["hint"] == f"It was deleted; undo with turn='{id}' brings it back."
    assert right["changes"][0]["brought back"]["content"] == "Yoga"


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("update_item", {"due_date": "2026-11-25"}),
        ("update_item", {"due_date": "2026-11-25", "properties": {"status": "active"}}),
        ("update_item", {"properties": '{"due_date": "2026-11-25"}'}),
        ("create_item", {"text": "Submit", "due_date": "2026-11-25 (Wednesday)"}),
    ],
)
def test_an_argument_beside_properties_becomes_one(make_assistant: MakeAssistant, tool: str, sent: Told) -> None:
    id = make_assistant().handles.memory.create("Portfolio").id
    (told,) = run(make_assistant, tool, sent | ({"id": id} if tool == "update_item" else {}), None)
    assert told["properties"]["due_date"] == "2026-11-25 (Wednesday)"


def test_a_single_id_in_a_list_is_that_id(make_assistant: MakeAssistant) -> None:
    memory = make_assistant().handles.memory
    kept, gone = memory.create("Kept").id, memory.create("Gone").id
    assistant = make_assistant(calls(("delete_item", {"ids": [gone]}), ("delete_item", {"ids": [kept, gone]})), "Gone.")
    assistant.autonomy = "act"
    one, two = list_answers(assistant.ask("delete Gone", THREAD))
    assert one["deleted"]["content"] == "Gone"
    assert "error" in two
    assert [item.content for item in memory.items()] == ["Kept"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Submit the portfolio by 4 December 2030", "due_date is still 2030-11-25 (Monday); the text says 2030-12-04"),
        ("Submit the portfolio on 25 November 2030", ""),
        ("Submit the new portfolio", ""),
    ],
)
def test_a_new_text_that_leaves_a_date_behind_says_so(make_assistant: MakeAssistant, content: str, told: str) -> None:
    id = make_assistant().handles.memory.create("Submit the portfolio", {"due_date": "2030-11-25"}).id
    (result,) = run(make_assistant, "update_item", {"id": id, "content": content}, None)
    assert result.get("note", "").startswith(told)
    assert bool(result.get("note")) == bool(told)


def test_today_is_written_in_the_persons_zone_and_stamps_only_when_asked_for(make_assistant: MakeAssistant) -> None:
    for key in ("created_at", "updated_at"):
        (told,) = run(make_assistant, "query_items", {"where": {key: {"$gte": "2020-01-01"}}}, None)
        moment = re.fullmatch(r"(\d{4}-\d\d-\d\d)T.*\+0[12]:00", told["items"][0]["created_at"])  # in Berlin
        assert moment
        assert abs((date.fromisoformat(moment[1]) - date.today()).days) <= 1
    (told,) = run(make_assistant, "query_items", {"text": "logo"}, None)
    assert set(told) == {"items", "truncated"}
    assert set(told["items"][0]) == {"id", "content", "properties", "recorded"}


def test_a_list_that_was_written_as_text_is_read_as_one(make_assistant: MakeAssistant) -> None:
    given = {"tags": '["home", "garden"]', "note": "[1] of the book", "parts": "[1, 2"}
    made = {"content": "Repair the fence", "properties": given}
    assistant = make_assistant(calls(("create_item", made)), "Kept.")
    (created,) = list_answers(assistant.ask("Repair the fence", THREAD))
    assert created["properties"] == given | {"tags": ["home", "garden"]}
    more = {"id": created["id"], "properties": {"tags": {"$add": '["wood"]'}}}
    (changed,) = list_answers(make_assistant(calls(("update_item", more)), "Added.").ask("Also wood", THREAD))
    assert changed["properties"] == {"tags": ["home", "garden", "wood"]}


@pytest.mark.parametrize(
    ("due", "remind", "told"),
    [
        ("2040-01-10T16:30", "2026-12-31T16:00", {"reminder": "Nothing can ring: no address is set"}),
        ("2020-01-10T16:30", "1 hour before", {"reminder": "Nothing will ring: it has no reminder in the future."}),
        ("2040-01-10T16:30", "soon", {"error": "remind cannot be 'soon'.", "hint": REMIND_FORM}),
    ],
)
def test_a_reminder_that_will_not_ring_or_cannot_be_read_is_told(
    make_assistant: MakeAssistant, due: str, remind: str, told: Told
) -> None:
    kept = {"content": "Call Anna", "properties": {"due_date": due, "remind": remind}}
    (result,) = run(make_assistant, "create_item", kept, None)
    assert {key: result.get(key, "")[: len(value)] for key, value in told.items()} == told
