"""The text that is embedded for an item."""

from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.values import Properties


def render(content: str, properties: Properties) -> str:
    return render_text(Item("", content, properties, "", ""))


def test_property_text_is_the_designs() -> None:
    properties: Properties = {
        "type": "task",
        "due_date": "2026-01-13",
        "at": "2026-01-13T14:30",
        "tags": ["home", "garden"],
        "nested": {"a": [1]},
        "none": None,
        "done": False,
    }
    assert render("Review quarterly report", properties) == (
        "Review quarterly report\n---ANA_PROPS---\ntype: task\ndue date: Tuesday January 13 2026\n"
        'at: Tuesday January 13 2026 14:30\ntags: home, garden\nnested: {"a": [1]}\ndone: false'
    )
    assert render("just text", {}) == "just text"
    assert render("just text", {"n": None}) == "just text"
