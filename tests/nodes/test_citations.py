"""Ids and line numbers that a draft cites exist."""

import pytest

from nodes.policies.citations import citations_exist
from nodes.receipt import Call
from tests.nodes.policies import found, make_turn, ran, wrote

LINES = {0: "Is a designer", 1: "Prefers mornings", 2: "Lives in Berlin"}
ITEMS = found("Milk", "Ink")  # abcdqfgh and abcdrfgh
OTHER = ran("query_items", {"items": [{"id": "h5qx2ad7", "content": "Tea", "properties": {}}], "total": 1})

HONEST: list[tuple[str, str, tuple[Call, ...]]] = [
    ("which id?", "It's h5qx2ad7.", (OTHER,)),
    ("which id?", "It's `h5qx2ad7`.", (OTHER,)),
    ("what is h5qx2ad7?", "I find nothing under h5qx2ad7.", ()),
    ("ids?", "| id | what |\n|---|---|\n| h5qx2ad7 | Tea |", (OTHER,)),
    ("the wifi password?", "It's otter77b2x.", ()),
    ("mail?", "Write to abc2def3@example.org or see example.org/abc2def3.", ()),
    ("commit?", "It was a1b2c3d4e5f6.", ()),
    ("words?", "Together, sunlight and business.", ()),
    ("order number?", "AB12CD34.", ()),
    ("line 1?", "Line 1 says that you prefer mornings.", ()),
    ("what do you know?", "- Line 0: designer\n- Line 2: Berlin", ()),
    ("what is line 9?", "There is no line 9.", ()),
    ("which metro line goes there?", "Line 6 or line 14.", ()),
    ("how do I get to the station?", "Take line 12 to the river, then line 4.", ()),
    ("fix this:\nfoo\nbar", "Line 7 is missing a bracket.", ()),
    ("forget it", "Removed line 3.", (ran("delete_context", {"line": 3, "deleted": "x"}),)),
    ("remember it", "It's line 5 now.", (ran("append_context", {"line": 5, "content": "x"}),)),
    ("write code", "```\nline 40\n```", ()),
    ("quote it", 'The poem says "line 8 is gone".', ()),
    ("deadline?", "The deadline 30 November stands.", ()),
    ("what's the airline?", "The airline 4U no longer flies.", ()),
]
FALSE: list[tuple[str, str, tuple[Call, ...]]] = [
    ("which id?", "It's k3v7q2md.", (OTHER,)),
    ("which id?", "It's `k3v7q2md`.", ()),
    ("which id?", "**h5qx2ad6**", (OTHER,)),
    ("delete it", "Deleted x2y3z4w5.", (wrote("Ink", "delete_item"),)),
    ("ids?", "| id | what |\n|---|---|\n| h5qx2ad7 | Tea |\n| p4rs7tuv | Ink |", (OTHER,)),
    ("Welche ID?", "Die ID ist k3v7q2md.", (OTHER,)),
    ("¿qué id?", "El id es k3v7q2md.", (OTHER,)),
    ("quel id ?", "C'est k3v7q2md.", (OTHER,)),
    ("IDは？", "k3v7q2mdです。", (OTHER,)),
    ("duplicates?", "Yes, h5qx2ad7 and q2w3e4r5.", (OTHER,)),
    ("doppelte?", "Ja: h5qx2ad7, q2w3e4r5.", (OTHER,)),
    ("done?", "Item (q2w3e4r5) is done.", ()),
    ("which one?", "[t7u6v5w4] Tea", ()),
    ("merge", "Kept h5qx2ad7, dropped m7n6b5v4.", (OTHER,)),
    ("what do you know?", "Line 4: vegetarian.", ()),
    ("what do you know?", "- Line 0: designer\n- **Line 7**: tea", ()),
    ("where from?", "That's in line 12 of Global Context.", ()),
    ("what is line 7 of my global context?", "Line 8 says tea.", ()),
    ("forget it", "Removed line 11.", (ran("delete_context", {"line": 1, "deleted": "x"}),)),
    ("remember it", "It's line 12 now.", (ran("append_context", {"line": 3, "content": "x"}),)),
]


@pytest.mark.parametrize(("question", "draft", "calls"), HONEST)
def test_what_exists_may_be_cited(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    assert [*citations_exist(make_turn(draft, question, *calls, lines=LINES))] == []


@pytest.mark.parametrize(("question", "draft", "calls"), FALSE)
def test_what_was_made_up_goes_back(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    wrong = [*citations_exist(make_turn(draft, question, *calls, lines=LINES))]
    assert wrong
    assert all("which is in no result of this turn" in each for each in wrong)
