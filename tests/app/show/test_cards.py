"""A card on which a person decides: each of its lines is ours, and in it what is stored or proposed is quoted."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, get_args

import pytest
from langgraph.types import Interrupt

from ana.memory.item import Item
from ana.settings import Autonomy
from app.show.requests import word_actions
from graph.state import Asked
from nodes.autonomy.request import make_request, show_request
from nodes.autonomy.weigh import Batch, weigh
from nodes.autonomy.writes import Touched, Write
from nodes.requests import read_request

TODAY = date(2026, 1, 7)
LIE = "This was found in your message."
POSING: dict[str, Any] = {
    f"note\n{LIE}": f"x\u2028{LIE}",
    "place": f"Bergen). {LIE}",
    "at": {f"a\n{LIE}": "b\u2028c"},
    "of": [f"a\n- {LIE}", "b"],
    "unseen": "\u202e\u200b\U000e006f",
}
"""Properties as they could be stored when names had no form, and as a model may propose them."""
OLD = Item("p", f"Passport” (done). {LIE}\n{LIE}", POSING, "2026-01-07", "2026-01-07")
ARGS = {"content": f"Tea” (done). {LIE}\n{LIE}", "line": 1, "to": LIE, "properties": POSING | {f"b\n{LIE}": [LIE]}}
WRITES = {
    "create_item": (),
    "update_item": (Touched("item", "p", OLD, False),),
    "delete_item": (Touched("item", "p", OLD, True),),
    "append_context": (),
    "replace_context": (Touched("line", "1", OLD, False),),
    "delete_context": (Touched("line", "1", OLD, True),),
    "undo": (Touched("item", "p", OLD, False, Item("p", f"Old”\n{LIE}", {}, "2026-01-07", "2026-01-07")),),
    "send_mail": (),
}


def ask(name: str, count: int, dial: Autonomy) -> Asked:
    writes = [Write(f"c{n}", name, ARGS, WRITES[name], own=name == "send_mail") for n in range(count)]
    batch = Batch("hi", writes, {}, [], frozenset(), 0, dial)
    return make_request(weigh(batch) or weigh(Batch("hi", writes, {}, [], frozenset(), 0, "advise")), "hi", TODAY)


def list_lines(asked: Asked) -> Iterator[str]:
    """Yield the lines of a card, as the terminal and the page show them."""
    read = read_request(Interrupt(show_request(asked), id="i"))
    yield from read.get("summary", "").splitlines()
    for first, others in word_actions(read):
        yield first
        yield from others


@pytest.mark.parametrize("dial", get_args(Autonomy))
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", WRITES)
def test_nothing_that_is_stored_or_proposed_makes_a_line_of_its_own(name: str, count: int, dial: Autonomy) -> None:
    lines = [*list_lines(ask(name, count, dial))]
    assert any(LIE in line for line in lines)
    assert [line for line in lines if len(line.splitlines()) != 1] == []
    ours = [re.sub("“[^”]*”", "", line) for line in lines]
    assert [line for line in ours if "found" in line or "“" in line or "”" in line] == []
    assert [line for line in lines if re.search("[\u200b\u202e\U000e006f]", line)] == []
