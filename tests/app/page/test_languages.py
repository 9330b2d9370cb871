"""The page in a person's language: all of it, and what is stored under an answer too."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from gettext import NullTranslations
from typing import Any

import pytest
from bs4 import BeautifulSoup

from ana import translation
from app.server.app import build_app
from app.server.guard import BY_SCRIPT
from tests.app.page.conftest import Browser, browse, list_fields, use_model
from tests.openai_stub import Said, openai_stub

PLACES = re.compile(r"(\{[^}]*\}|</?[a-z]+>|`[^`]*`)")
WIDE = {ord(letter): ord(letter) + 0xFEE0 for letter in map(chr, range(128)) if letter.isalpha()}
"""Every letter as a wide one, which stands for its translation."""

NAMES = "ana|OpenAI|OpenRouter|Ollama|USD|Token|English|Deutsch|Español|Français|gpt-4o-mini|openai|next tuesday"
KNOWN = re.compile(rf"\b(?:{NAMES})\b|\b[a-z0-9]{{8,16}}\b|\bhttps?://\S+|\w+://\S+|[A-Z]+_[A-Z_]+|\S+/\S+")
"""Names, addresses and settings, which are the same in every language."""

PARTS = (
    "today",
    "today?day=2027-01-04",
    "calendar?month=2027-01",
    "chat/all",
    "chat/trash",
    "items",
    "items/trash",
    "about",
    "turns",
    "settings",
    "more",
    "routines",
    "assistants",
)
PERSON = "Ωμέγα"
"""What the person and the model write: no letter of it is one of ours."""


class Wide(NullTranslations):
    """A catalogue that has everything."""

    def gettext(self, message: str) -> str:
        return "".join(part if PLACES.fullmatch(part) else part.translate(WIDE) for part in PLACES.split(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)


def keep(request: dict[str, Any]) -> Said:
    last = request["messages"][-1]
    if last["role"] == "user":
        given = {"type": "task", "status": "active", "due_date": "2027-01-04T09:00", "repeats": "FREQ=WEEKLY"}
        return Said(calls=[("create_item", {"content": PERSON, "properties": given})])
    return Said(PERSON)


@pytest.fixture
def german(home: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model of ours, a dial that asks for everything, and a catalogue that has everything."""
    monkeypatch.setenv("ANA_AUTONOMY", "advise")
    load = translation._load
    monkeypatch.setattr(translation, "_load", lambda language: Wide() if language == "de" else load(language))
    with openai_stub(keep) as stub:
        use_model(monkeypatch, stub)
        yield


def find_untranslated(page: BeautifulSoup) -> list[str]:
    """Return each text that can be read of a page, and each label, that has letters of no translation."""
    for each in page.select("script, style, code, pre, title, option, .tag, .call p"):
        each.decompose()
    texts = [*page.stripped_strings]
    for name in ("aria-label", "placeholder", "title"):
        texts += [str(each[name]) for each in page.select(f"[{name}]")]
    return [text for text in texts if re.search("[A-Za-z]{2}", KNOWN.sub("", text))]


def say(browser: Browser, path: str, **fields: str) -> BeautifulSoup:
    """Send the form of the shown page that goes to a path, and return the page after it."""
    form = browser.one(f"form[action$='{path}']")
    sent = list_fields(form) | {name: [value] for name, value in fields.items()}
    browser.show(browser.client.post(str(form["action"]), data=sent))
    return browser.wait()


def test_no_word_of_another_language_stands_on_the_page(german: None, browser: Browser) -> None:
    browser.client.headers["accept-language"] = "de"
    assert browser.open("/app/chat/new").html["lang"] == "de"  # type: ignore[index]
    assert find_untranslated(browser.page) == []
    thread = browser.url.rpartition("/")[2]
    browser.open(f"/app/chat/{thread}")
    assert find_untranslated(say(browser, thread, message=PERSON)) == [], "what is asked"
    say(browser, "decide", all="approve")
    assert browser.one(".receipt bdi").get_text() == f"“{PERSON}”"
    item = str(browser.one(".more a")["href"])
    assert find_untranslated(browser.page) == [], "a receipt"
    assert find_untranslated(browser.open(item)) == [], "how it came about"
    for part in PARTS:
        assert find_untranslated(browser.open(f"/app/{part}")) == [], part
    browser.open("/app/items")
    place = str(browser.one(".thing a")["href"])
    assert find_untranslated(browser.open(place)) == [], "an item"
    assert find_untranslated(browser.open(place.replace("items", "forget"))) == [], (
        "what is asked before it is forgotten"
    )


def test_what_was_asked_in_another_language_is_told_in_that_of_the_page(german: None, browser: Browser) -> None:
    browser.open("/app/chat/new")
    thread = browser.url.rpartition("/")[2]
    say(browser, thread, message=PERSON)
    assert "You want to be asked before every change." in browser.text
    browser.client.headers["accept-language"] = "de"
    assert find_untranslated(browser.open(browser.url)) == [], "what is asked"
    browser.client.headers["accept-language"] = "en"
    browser.open(browser.url)
    say(browser, thread, message=f"{PERSON}.")
    assert f"“{PERSON}.” was not carried out" in browser.text
    browser.client.headers["accept-language"] = "de"
    assert find_untranslated(browser.open(browser.url)) == [], "what is asked again"
    browser.client.headers["accept-language"] = "en"
    browser.open(browser.url)
    say(browser, "decide", all="reject")
    assert "Not done, you said no: Stores" in browser.text
    browser.client.headers["accept-language"] = "de"
    assert find_untranslated(browser.open(browser.url)) == [], "what was refused"


def test_a_receipt_is_kept_as_it_was_written(browser: Browser) -> None:
    browser.client.headers["accept-language"] = "es"
    browser.open("/app/chat/new")
    place = browser.url
    say(browser, browser.url.rpartition("/")[2], message="Note: the key is in the tin")
    assert browser.one(".receipt").get_text(strip=True).startswith("Guardado:«the key is in the tin»(nota")
    assert re.search(r"· \d,\d s", browser.open("/app/turns").get_text()), "numbers are written as it does"
    browser.client.headers["accept-language"] = "en"
    assert "(note" in browser.open(place).get_text()
    state = browser.client.get(f"/threads/{browser.url.rpartition('/')[2]}/state").json()
    assert "- Guardado: “the key is in the tin”" in state["values"]["messages"][-1]["content"]
    browser.follow("How")
    browser.submit("Run it again")
    assert "The same again: 1 step and the answer." in browser.text


def test_an_answer_without_a_model_is_said_to_be_english(browser: Browser) -> None:
    browser.client.headers["accept-language"] = "de"
    browser.open("/app/chat/new")
    said = "Ohne Modell verstehe und beantworte ich nur Englisch."
    assert said in browser.text
    say(browser, browser.url.rpartition("/")[2], message="What is 6 * 7?")
    assert said in browser.text
    assert browser.one(".unchanged .receipt").get_text() == "keine Änderungen"
    browser.client.headers["accept-language"] = "en"
    assert "English alone" not in browser.open(browser.url).get_text()
    assert browser.one(".unchanged .receipt").get_text() == "no changes"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Said(status=401, error="no"), "Anbieter des Modells hat den Schlüssel abgelehnt (401). Prüf den Schlüssel"),
        (Said(status=400, error="odd"), "hat die Anfrage abgelehnt (400): “odd”. Prüf den Schlüssel"),
        (Said(refusal="I will not"), "Das Modell hat abgelehnt zu antworten: „I will not“. Sag es mit anderen Worten."),
        (Said("Half", finish="length"), "Half … (Die Antwort wurde an der Grenze des Modells abgeschnitten"),
        (None, "war nicht zu erreichen. Prüf das Netz"),
    ],
    ids=["key", "request", "refusal", "cut", "nobody"],
)
def test_a_fault_of_a_provider_is_told_in_the_language_of_the_page(
    home: object, monkeypatch: pytest.MonkeyPatch, reply: Said | None, told: str
) -> None:
    with ExitStack() as stack:
        with ExitStack() as listening:
            stub = listening.enter_context(openai_stub(reply or Said("unheard")))
            use_model(monkeypatch, stub)
            if reply:
                stack.push(listening.pop_all())
        app = build_app()
        browser = Browser(app, stack.enter_context(browse(app)))
        browser.client.headers["accept-language"] = "de"
        browser.open("/app/chat/new")
        say(browser, browser.url.rpartition("/")[2], message="buy milk")
        assert told in browser.text


def test_a_model_that_is_tried_in_vain_is_told_of_in_the_language_of_the_page(
    home: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    with openai_stub(Said(status=404, error="no")) as stub:
        use_model(monkeypatch, stub)
        with browse(build_app()) as client:
            client.headers |= {"accept-language": "de", BY_SCRIPT: "1"}
            client.get("/app/settings")
            fields = {"test": "1", "form_token": client.cookies["ana-form"]}
            answer = client.post("/app/settings/model", data=fields)
    assert "hat nicht geantwortet: Der Anbieter kennt dieses Modell nicht (404): “no”." in answer.text
