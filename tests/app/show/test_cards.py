"""A card on which a person decides: each of its lines is ours, and in it what is stored or proposed is quoted."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any, get_args

import pytest
from langgraph.types import Interrupt

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.sources import IMPORT
from ana.settings import Autonomy
from app.show.requests import word_actions
from graph.state import OpenRequest
from nodes.autonomy.effects import Effect
from nodes.autonomy.request import make_request
from nodes.autonomy.weigh import Batch, weigh
from nodes.autonomy.wording import word_request
from nodes.autonomy.writes import Write
from nodes.requests import read_request
from nodes.view import SourcedText

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
TEXT, GIVEN = f"Tea” (done). {LIE}\n{LIE}", POSING | {f"b\n{LIE}": [LIE]}
ARGS: dict[str, Any] = {"content": TEXT, "line": 1, "to": LIE, "properties": GIVEN}
NEW = Item("p", TEXT, GIVEN, "2026-01-07", "2026-01-07")
WRITES: dict[str, tuple[Change, ...]] = {
    "create_item": (Change("item", "", None, NEW),),
    "update_item": (Change("item", "p", OLD, NEW),),
    "delete_item": (Change("item", "p", OLD, None),),
    "append_context": (Change("line", "", None, NEW),),
    "replace_context": (Change("line", "1", OLD, NEW),),
    "delete_context": (Change("line", "1", OLD, None),),
    "undo": (Change("item", "p", OLD, Item("p", f"Old”\n{LIE}", {}, "2026-01-07", "2026-01-07")),),
    "send_mail": (),
}
OTHERS = SourcedText(IMPORT, f"Whoever reads this” found. {LIE}\n{LIE}")


def ask(name: str, count: int, dial: Autonomy) -> OpenRequest:
    own: frozenset[Effect] = frozenset({"acts"} if name == "send_mail" else ())
    writes = [Write(f"c{n}", name, ARGS, WRITES[name], own) for n in range(count)]
    asking = weigh(Batch(writes, dial, [OTHERS])) or weigh(Batch(writes, "advise", [OTHERS]))
    return make_request(asking, TODAY)


def list_lines(asked: OpenRequest) -> Iterator[str]:
    """Yield the lines of a card, as the terminal and the page show them."""
    read = read_request(Interrupt(word_request(asked), id="i"))
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
