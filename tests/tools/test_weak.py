"""A text finds what is like it, and not the rest of a small store."""

import json
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tools.call import CallContext
from tools.items import query_items

KEPT = (
    "School closes on Friday at noon for the holidays",
    "Buy oat milk and eggs",
    "Bike lock code is 4471",
    "Renew the passport",
    "Call the plumber about the kitchen sink",
    "Leo is allergic to cashews",
    "Water the plants",
    "Tax return is in the blue folder",
    "Dentist",
    "Wifi password at the cabin is pinewood77",
)


@pytest.fixture
def call(clock: Clock) -> CallContext:
    memory = Memory(InMemoryBackend(WordLlamaEmbeddings()), clock)
    for content in KEPT:
        memory.create(content)
    return CallContext(memory, clock)


def find(call: CallContext, **args: Any) -> tuple[list[str], ToolMessage]:
    message = query_items.invoke({"type": "tool_call", "id": "1", "name": "query_items", "args": args | {"call": call}})
    return [content for content in KEPT if content in message.text], message


@pytest.mark.parametrize(
    ("text", "place"), [("school closes Friday", 0), ("bike lock", 2), ("what can leo not eat", 5)]
)
def test_what_no_part_of_the_query_supports_is_left_out(call: CallContext, text: str, place: int) -> None:
    found, message = find(call, text=text)
    assert KEPT[place] in found
    assert len(found) <= 5
    assert len(message.artifact["why"]) == len(found)
    assert '"truncated": false' in message.text


def test_what_passes_a_filter_and_is_not_like_the_text_is_counted(call: CallContext) -> None:
    found, message = find(call, text="school closes Friday", where={"status": None})
    assert found == [KEPT[0]]
    told = json.loads(message.text)
    assert told["total"] == len(KEPT)
    assert told["note"] == "9 more pass the filter but are less like the text; without text you see them."


def test_where_nothing_fits_the_nearest_are_marked_so(call: CallContext) -> None:
    found, message = find(call, text="What is the capital of France?")
    assert len(found) == 3
    assert json.loads(message.text)["note"] == "Nothing fits well: these are merely the nearest."


def test_how_many_more_are_like_these_is_told(call: CallContext) -> None:
    for n in range(70):
        call.memory.create(f"bike lock number {n} at the station")
    (short, long) = (json.loads(find(call, text="bike lock", **args)[1].text) for args in ({}, {"limit": 99}))
    assert (len(short["items"]), short["truncated"], short["more"]) == (10, True, 61)
    assert (len(long["items"]), long["more"]) == (50, 21)


def test_several_wordings_find_what_each_finds(call: CallContext) -> None:
    both, _ = find(call, text=["bike lock code", "what is Leo allergic to", "  "])
    assert {KEPT[2], KEPT[5]} <= {*both}
    one, alone = (find(call, text=text)[1].text for text in (["bike lock"], "bike lock"))
    assert one == alone
    some, message = find(call, text=["photosynthesis", "bike lock"])
    assert KEPT[2] in some
    assert "note" not in json.loads(message.text)


def test_an_exact_id_is_there_however_little_it_is_like_the_rest(call: CallContext) -> None:
    dentist = next(item for item in call.memory.items() if item.content == "Dentist")
    found, _ = find(call, text=f"bike lock code 4471 and {dentist.id}")
    assert {"Dentist", "Bike lock code is 4471"} <= set(found)
