"""A write with `remind` says when and where it rings; one that cannot be read is refused with the right forms."""

from collections.abc import Mapping
from typing import Any

from ana.memory.item import Item
from ana.reminders.reading import REMIND_FORM, tell_ringing
from tests.conftest import BERLIN, WEDNESDAY, MakeAssistant
from tests.tools.test_hints import run


def keep(make_assistant: MakeAssistant, properties: Mapping[str, Any]) -> dict[str, Any]:
    told = run(make_assistant, "create_item", {"content": "Call Anna", "properties": dict(properties)}, None)
    return told[0]


def test_where_nothing_can_ring_the_result_says_so(make_assistant: MakeAssistant) -> None:
    told = keep(make_assistant, {"due_date": "2040-01-10T16:30", "remind": "2026-12-31T16:00"})
    assert told["reminder"].startswith("Nothing can ring: no address is set")


def test_what_cannot_be_read_is_refused_with_the_forms(make_assistant: MakeAssistant) -> None:
    told = keep(make_assistant, {"due_date": "2040-01-10T16:30", "remind": "soon"})
    assert told == {"error": "remind cannot be 'soon'.", "hint": REMIND_FORM}


def test_what_is_past_rings_nothing_and_the_result_says_so(make_assistant: MakeAssistant) -> None:
    told = keep(make_assistant, {"due_date": "2020-01-10T16:30", "remind": "1 hour before"})
    assert told["reminder"] == "Nothing will ring: it has no reminder in the future."


def test_where_it_rings_is_named_with_the_time() -> None:
    item = Item("a", "Call", {"remind": "2026-01-08T09:00"}, "", "")
    told = tell_ringing(item, WEDNESDAY, BERLIN, ["ntfy", "mail"])
    assert told == "Rings Thursday January 8 2026, 09:00 by ntfy, mail, while ana runs."
