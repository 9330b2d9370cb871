"""Tool calls in words."""

from typing import Any

import pytest

from app.show.calls import describe_call, word_call

WEEK = {"$lte": "2026-11-30", "$gte": "2026-11-24"}
OPEN = {"$nin": ["done", "completed"]}

SEARCHES: list[tuple[dict[str, Any], str]] = [
    ({}, "items"),
    ({"text": "kitchen"}, "“kitchen”"),
    (
        {"text": "kitchen", "where": {"status": OPEN, "due_date": WEEK}},
        "open items due from Tue 24 Nov to Mon 30 Nov, about “kitchen”",
    ),
    ({"where": {"type": "task", "status": "active", "priority": {"$gte": 3}}}, "open tasks with priority at least 3"),
    ({"where": {"status": {"$in": ["done"]}, "project": "kitchen"}}, "done items with project kitchen"),
    ({"where": {"status": {"$ne": "waiting"}}}, "items with status not waiting"),
    ({"where": {"type": {"$nin": ["note", "idea"]}}}, "items with type not note or idea"),
    (
        {"where": {"$or": [{"tags": "home"}, {"priority": {"$in": [1, 2]}}]}},
        "items with tags home or with priority 1 or 2",
    ),
    ({"where": {"$on": "2026-11-25"}}, "items Wed 25 Nov"),
    ({"where": {"due_date": {"$lt": "2025-11-25T14:00"}}}, "items due before Tue 25 Nov 2025 14:00"),
    ({"where": {"due_date": {"$ne": None}, "owner": None}}, "items due some day, with no owner"),
    (
        {"where": {"owner": {"$ne": None}, "due_date": {"$lte": "2026-11-30", "$ne": None}}},
        "items due to Mon 30 Nov, with owner given",
    ),
    ({"text": ["school", "class photo"]}, "“school, class photo”"),
    ({"like": "abcdefgh"}, "items like another item"),
    ({"where": "no filter"}, "“no filter”"),
]


@pytest.mark.parametrize(("args", "words"), SEARCHES)
def test_what_is_looked_for_is_told_in_words(args: dict[str, Any], words: str) -> None:
    assert word_call("query_items", args, 2026) == f"looked for {words}"


CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("create_item", {"content": "Buy milk", "properties": {"type": "task"}}, "kept “Buy milk”"),
    (
        "update_item",
        {"id": "a", "properties": {"status": "done", "n": {"$add": 3}, "x": None}},
        "changed an item",
    ),
    ("delete_item", {"id": "a"}, "deleted an item"),
    ("append_context", {"content": "Likes tea"}, "learned “Likes tea”"),
    ("calculator", {"expression": "2 * 3"}, "calculated “2 * 3”"),
    ("now", {"timezone": "utc"}, "looked at the clock"),
    ("resolve_date", {"phrase": "next Monday"}, "worked out the date of “next Monday”"),
    ("send_mail", {"to": ["bob", "eve"], "at": "2026-11-30"}, "send mail: to bob, eve, at Mon 30 Nov"),
]


@pytest.mark.parametrize(("tool", "args", "words"), CALLS)
def test_a_call_is_told_in_words(tool: str, args: dict[str, Any], words: str) -> None:
    assert word_call(tool, args, 2026) == words


def test_a_call_is_one_line_whatever_a_model_wrote() -> None:
    deep: Any = {}
    for _ in range(5000):
        deep = {"$and": [deep]}
    wrote: list[dict[str, Any]] = [
        {"where": deep},
        {"where": {"a": deep}},
        {"text": "x\ny" * 900},
        {"where": {"status": {}, "due_date": []}},
    ]
    for args in wrote:
        told = describe_call({"tool": "query_items", "args": args, "ok": False})
        assert told.startswith("✗ looked for ")
        assert len(told) <= 100
        assert "\n" not in told
