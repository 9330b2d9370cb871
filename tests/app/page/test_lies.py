"""Nothing that is stored or proposed makes the page lie: values stand apart, and show what they hide."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

from app.page.lines import draw_line
from tests.app.page.conftest import Browser, use_model
from tests.openai_stub import Said, openai_stub

LIE = "This was found in your message."
TAGS = "".join(chr(0xE0000 + ord(c)) for c in "obey")
HIDDEN = f"Rome\u202egnp.exe\u200b{TAGS}"
CONTENT = f"Buy milk” (done). Deletes “nothing {HIDDEN} 👩‍👩‍👧"
UNSEEN = re.compile("[\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def propose(request: dict[str, Any]) -> Said:
    """A model that wants to keep what pretends to be more than it is, and says what it kept."""
    last = request["messages"][-1]
    if last["role"] == "user":
        given = {"type": HIDDEN, f"note\n{LIE}": "x", "place": f"Bergen, {LIE}", "due_date": "2027-01-04"}
        return Said(calls=[("create_item", {"content": CONTENT, "properties": given})])
    return Said(f"I kept “{CONTENT}”.")


def keep(request: dict[str, Any]) -> Said:
    """A model that keeps the same under names that are names."""
    last = request["messages"][-1]
    if last["role"] == "user":
        given = {"type": "task", "place": HIDDEN, "due_date": "2027-01-04"}
        return Said(calls=[("create_item", {"content": CONTENT, "properties": given})])
    return Said(f"I kept “{CONTENT}”.")


@pytest.fixture
def model(home: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What the model says, which a test may change."""
    with openai_stub(propose) as stub:
        use_model(monkeypatch, stub)
        yield stub.script


@pytest.fixture
def cautious(home: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANA_AUTONOMY", "advise")


def list_seen(page: BeautifulSoup) -> Iterator[str]:
    """Yield every text and attribute of a page that is no field's, which holds what is sent back."""
    for field in page.select("textarea, input, option"):
        field.decompose()
    for element in page.find_all(True):
        yield from (str(value) for value in element.attrs.values())
    yield page.get_text()


def list_ours(line: Tag) -> str:
    """Return what a line says itself: its text without the elements of values."""
    return "".join(str(part) for part in line.children if not isinstance(part, Tag))


@pytest.mark.usefixtures("cautious", "model")
def test_a_card_says_nothing_that_is_not_ours(browser: Browser) -> None:
    browser.open("/app")
    browser.say("keep it")
    card = browser.one(".waiting")
    lines = [*card.select("legend"), *card.select("form p")]
    ours = [list_ours(line) for line in lines]
    assert ours[0] == "Stores  (,  x, place , due Mon 4 Jan 2027)."
    assert lines[0].select("bdi.value")[0].get_text().startswith("“Buy milk’ (done). Deletes ‘nothing")
    assert not [text for text in ours if "This was found" in text]
    assert "👩‍👩‍👧" in card.get_text()
    assert r"Rome\u202egnp.exe\u200b\U000e006f" in card.get_text()
    assert not [text for text in list_seen(browser.page) if UNSEEN.search(text)]


def test_no_page_hides_anything_of_what_is_stored(model: list[Any], browser: Browser) -> None:
    model[:] = [keep]
    browser.open("/app")
    browser.say(f"keep it {HIDDEN}")
    assert r"Stored: “Buy milk’ (done). Deletes ‘nothing Rome\u202egnp.exe" in browser.text
    receipt = list_ours(browser.one(".receipts .receipt"))
    assert receipt == "Stored:  (task, place , due Mon 4 Jan 2027)"
    browser.open("/app/about")
    browser.submit("Add", text="Likes “tea")
    assert "Learned: “Likes ‘tea”" in browser.text
    browser.open("/app/items")
    item = str(browser.one("main li a")["href"])
    turn = browser.client.get("/app/turns").text
    paths = ["/app", "/app/today?day=2027-01-04", "/app/calendar?month=2027-01", "/app/items", item, "/app/turns"]
    for path in [*paths, *re.findall(r'href="(/app/turns/[^"]+)"', turn)[:1]]:
        seen = [*list_seen(browser.open(path))]
        assert any(r"\u202e" in text for text in seen), path
        assert not [text for text in seen if UNSEEN.search(text)], path
    browser.open(item)
    browser.submit("Delete")
    seen = [*list_seen(browser.open("/app/items/trash"))]
    assert any(r"\u202e" in text for text in seen)
    assert not [text for text in seen if UNSEEN.search(text)]


def test_what_is_written_in_a_field_stays_as_it_is(model: list[Any], browser: Browser) -> None:
    model[:] = [keep]
    browser.open("/app")
    browser.say("keep it")
    browser.open("/app/items")
    browser.open(str(browser.one("main li a")["href"]))
    assert browser.one("[name=content]").get_text().removeprefix("\n") == CONTENT
    assert browser.one("[name=field-place]").get_text().strip().startswith('"Rome\\u202egnp.exe\\u200b')
    browser.submit("Save")
    assert len(browser.page.select("li.line")) == 1, "nothing was changed"


def test_a_value_is_an_element_that_nothing_around_it_joins() -> None:
    drawn = draw_line("Changed: “שלום <b>” -> “Bergen” (note, place “a\u202eb”)")
    assert drawn == (
        'Changed: <bdi class="value">“שלום &lt;b&gt;”</bdi> → <bdi class="value">“Bergen”</bdi>'
        ' (note, place <bdi class="value">“a\\u202eb”</bdi>)'
    )
