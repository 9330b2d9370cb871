"""What is printed under an answer."""

import pytest

import app.show.answers
from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.receipts import Receipt, make_receipt
from app.outcome import Done
from app.show.answers import show_answer

STORED = make_receipt(Change("item", "a", None, Item("a", "Buy milk", {}, "", "")))


@pytest.mark.parametrize(
    ("receipt", "changed", "told"),
    [
        ("no changes\n- Buy milk: active", [], [("  no changes", "dim"), ("  Buy milk: active", "dim")]),
        ("- Stored: Buy milk", [STORED], [("  + “Buy milk”", "green")]),
        ("- Not done: There is no item.", [], [("  Not done: There is no item.", "")]),
        ("Nothing was stored or changed.", [], [("  Nothing was stored or changed.", "dim")]),
    ],
)
def test_that_nothing_was_written_is_said_quietly(
    monkeypatch: pytest.MonkeyPatch, receipt: str, changed: list[Receipt], told: list[tuple[str, str]]
) -> None:
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(app.show.answers, "say", lambda text, style="": said.append((text, style)))
    show_answer(Done("Done.", "t", "id", "path", [], {}, 0.0, changed, None, receipt=receipt))
    assert said == told
