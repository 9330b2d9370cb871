"""What a person sets on the page, files, and the people of a deployment."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from ana import settings as settings_module
from ana.people import People
from ana.places import Places
from ana.settings import load_settings
from ana.workspace import load_workspace, open_workspace
from tests.app.page.conftest import Browser, add_and_sign_in, bring_in, list_fields
from tests.openai_stub import Said, openai_stub
from tests.transfer.test_whose import CALENDAR, EVENT, EVENTS


@pytest.fixture(autouse=True)
def env_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The .env of the deployment, which is not that of the checkout."""
    file = home / ".env"
    places = Places(home, file, home / "data", home / "log" / "ana.log")
    monkeypatch.setattr(settings_module, "find_places", lambda: places)
    for name in ("ANA_TIMEZONE", "ANA_AUTONOMY"):
        monkeypatch.delenv(name, raising=False)
    return file


def test_what_is_saved_counts_and_is_shown(browser: Browser, env_file: Path) -> None:
    browser.open("/app/settings")
    browser.submit("Save", ana_timezone="Asia/Tokyo", ana_autonomy="advise", ana_daily_budget_usd="2.5")
    assert "Saved." in browser.text
    assert browser.one("[name=ana_timezone]")["value"] == "Asia/Tokyo"
    assert str(browser.one("[name=ana_autonomy][checked]")["value"]) == "advise"
    settings = load_settings()
    assert (settings.ana_timezone, settings.ana_autonomy, settings.ana_daily_budget_usd) == (
        "Asia/Tokyo",
        "advise",
        2.5,
    )
    assert env_file.stat().st_mode & 0o077 == 0


def test_a_wrong_value_changes_nothing_and_is_told(browser: Browser, env_file: Path) -> None:
    browser.open("/app/settings")
    with pytest.raises(AssertionError, match=r"The time zone is wrong(?!.*ANA_).*Nothing was changed"):
        browser.submit("Save", ana_timezone="Mars/Base")
    with pytest.raises(AssertionError, match=r"The most for models in a day is wrong(?!.*ANA_).*Nothing was changed"):
        browser.submit("Save", ana_daily_budget_usd="-1")
    assert not env_file.exists()


def test_an_address_is_added_without_being_shown_and_removed(browser: Browser) -> None:
    browser.open("/app/settings")
    page = browser.submit("Add", add="json://localhost:1/a-secret-of-mine")
    assert "a-secret-of-mine" not in str(page)
    assert load_settings().ana_notify is not None
    browser.submit("Send a test")
    assert "It was not delivered" in browser.text
    assert "a-secret-of-mine" not in str(browser.page)
    browser.submit("Remove")
    assert load_settings().ana_notify is None


def test_the_calendars_key_changes(browser: Browser) -> None:
    browser.open("/app/settings")
    before = load_workspace().get_calendar_key()
    assert before in browser.text
    browser.submit("Change the key")
    assert before not in browser.text
    assert load_workspace().get_calendar_key() in browser.text


def test_everything_is_given_as_files_and_an_export_is_brought_in(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Dentist on Friday at 14:30")
    export = browser.client.get("/app/files/ana.jsonl")
    assert b"Dentist" in export.content
    assert b"BEGIN:VEVENT" in browser.client.get("/app/files/ana.ics").content
    assert zipfile.ZipFile(BytesIO(browser.client.get("/app/files/ana-backup.zip").content)).namelist()
    assert browser.client.get("/app/files/passwd").status_code == 422
    assert "0 new, 1 were here already" in bring_in(browser, export.content, "ana.jsonl").text
    wrong = BeautifulSoup(bring_in(browser, b"\x89PNG\r\n\x1a\n\0\0", "x.png").text, "html.parser")
    told = wrong.select_one(".wrong[role=alert]")
    assert told is not None
    assert "Nothing was imported from this file: line 1 is not UTF-8" in told.get_text()


@pytest.mark.parametrize(("whose", "theirs"), [("", 1), ("mine", 0), ("others", 2)])
def test_what_others_wrote_in_a_file_is_the_persons_with_one_tap(browser: Browser, whose: str, theirs: int) -> None:
    calendar = CALENDAR.format(f"{EVENT.format('Choir', EVENTS['organised'])}\n{EVENT.format('Alone', '')}")
    answer = bring_in(browser, calendar.encode(), "a.ics", whose=whose)
    assert (f"Kept as the words of others: {theirs}." in answer.text) == bool(theirs)
    assert ("These are mine" in answer.text) == bool(theirs)
    browser.open("/app/items?source=others")
    assert len(browser.page.select("ul.plain li")) == theirs
    if theirs:
        browser.show(answer)
        browser.submit("These are mine")
        assert browser.text.count("now your own words") == theirs
        browser.open("/app/items?source=person")
        assert len(browser.page.select("ul.plain li")) == 2


def test_whoever_was_alone_stays_signed_in_when_they_add_somebody(browser: Browser) -> None:
    browser.open("/app/settings")
    assert "You are alone here" in browser.text
    browser.submit("Add a person", name="anna")
    shown = [code.get_text() for code in browser.page.select("code.long")]
    people = People(load_settings())
    assert people.find(shown[0]) == "anna"
    assert people.find(shown[-1]) == "owner"
    browser.open("/app/settings")
    assert "anna" in browser.text
    browser.client.cookies.delete("ana-session")
    browser.open("/app/settings")
    assert browser.url.endswith("/app/sign-in")
    browser.submit("Sign in", token=shown[0])
    browser.open("/app/settings")
    assert not browser.page.select("[name=name]"), "only the owner sees the others"
    token = browser.client.cookies["ana-form"]
    for path in ("/app/people", "/app/people/owner/remove"):
        refused = browser.client.post(path, data={"form_token": token, "name": "eve", "renew": "owner", "sure": "1"})
        assert refused.status_code == 404, path


def test_a_person_is_removed_only_when_it_was_said_twice(browser: Browser) -> None:
    browser.open("/app/settings")
    browser.submit("Add a person", name="anna")
    browser.open("/app/settings")
    browser.submit("Remove")
    assert "Remove anna?" in browser.text
    assert "anna" in People(load_settings()).names()
    browser.submit("Remove anna")
    assert "anna" not in People(load_settings()).names()


def test_another_persons_settings_are_in_their_folder_and_of_the_kinds_that_are_allowed(
    browser: Browser, env_file: Path
) -> None:
    add_and_sign_in(browser)
    browser.submit("Save", ana_timezone="Asia/Tokyo")
    assert open_workspace(load_settings(), "anna").settings.ana_timezone == "Asia/Tokyo"
    assert not env_file.exists() or "Tokyo" not in env_file.read_text()
    with pytest.raises(AssertionError, match="Addresses of the kind json are not allowed here"):
        browser.submit("Add", add="json://127.0.0.1/x")
    with pytest.raises(AssertionError, match="The parameter template is not allowed in a discord address here"):
        browser.submit("Add", add="discord://1234567890/abcdefghijklmnopqrstuvwxyz?template=/etc/shadow")
    assert open_workspace(load_settings(), "anna").settings.ana_notify is None


def test_a_name_may_be_written_in_any_letters_and_one_that_nobody_can_have_is_told(browser: Browser) -> None:
    browser.open("/app/settings")
    assert not browser.one("[name=name]").has_attr("pattern"), "a browser would only say that the format is wrong"
    for written in ("Robin Hood", "Ödön", "../x", "x" * 200):
        with pytest.raises(AssertionError, match=r"422: (?s:.*)Use small letters, digits, - and _\."):
            browser.submit("Add a person", name=written)
    assert People(load_settings()).names() == ["owner"]
    for written, name in (("Robin", "robin"), ("EVE", "eve"), (" mia ", "mia")):
        browser.open("/app/settings")
        browser.submit("Add a person", name=written)
        assert f"The token of {name}" in browser.text
        assert name in People(load_settings()).names()


def choose(browser: Browser, provider: str) -> dict[str, list[str]]:
    """Return the fields of the form that connects a provider."""
    return list_fields(browser.one(f"form:has([value={provider}])"))


def test_a_model_is_connected_once_it_has_answered_and_its_key_is_shown_nowhere(
    browser: Browser, env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.open("/app/settings")
    assert "set in the environment of the server (LLM_PROVIDER)" in browser.text
    assert not browser.page.select("[name=provider]")
    monkeypatch.delenv("LLM_PROVIDER")
    browser.open("/app/settings")
    assert "A small reader answers" in browser.text
    with openai_stub(Said("Hello there.")) as stub:
        sent = choose(browser, "compatible") | {"url": [stub.url], "model": ["one"], "key": ["k-secret"]}
        answer = browser.client.post("/app/settings/model", data=sent)
        assert "Connected. one in " in answer.text
        assert "Hello there." in answer.text
        assert "one answers; " in answer.text
        assert "k-secret" not in answer.text
        assert env_file.stat().st_mode & 0o077 == 0
        settings = load_settings()
        assert (settings.provider, settings.openai_model) == ("openai", "one")
        assert settings.openai_api_key
        assert settings.openai_api_key.get_secret_value() == "k-secret"
        browser.open("/app/chat/new")
        browser.say("hello")
        assert "Hello there." in browser.text
        browser.open("/app/settings")
        browser.submit("Test what answers now")
        assert "Hello there." in browser.text
    browser.submit("Without a model")
    assert "Connected" not in browser.text
    assert load_settings().provider == "offline"


def test_a_server_is_asked_for_its_models_where_none_is_named(
    browser: Browser, env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LLM_PROVIDER")
    browser.open("/app/settings")
    with openai_stub(Said("Hello there.")) as stub:
        stub.models = ["one", "two"]
        sent = choose(browser, "compatible") | {"url": [stub.url], "model": [""]}
        answer = browser.client.post("/app/settings/model", data=sent)
        assert answer.status_code >= 400
        assert "The model is missing" in answer.text
        assert "There are one, two." in answer.text
        assert not env_file.exists()
        stub.models = ["two"]
        answer = browser.client.post("/app/settings/model", data=sent)
        assert "Connected. two in " in answer.text
        assert load_settings().openai_model == "two"


def test_settings_say_how_reminders_reach_a_phone_until_they_do(browser: Browser) -> None:
    browser.open("/app/settings")
    assert "install the app ntfy" in browser.text
    browser.submit("Add", add="ntfys://127.0.0.1/a-secret-of-mine")
    browser.open("/app/settings")
    assert "install the app ntfy" not in browser.text


UNUSABLE: list[tuple[str, dict[str, str], str]] = [
    ("openai", {"key": "two words", "model": "one"}, "This is not a key"),
    ("openrouter", {"key": "k", "model": ""}, "The model is missing"),
    ("compatible", {"url": "http://127.0.0.1:1/v1", "model": "one"}, "one did not answer"),
    ("compatible", {"url": "", "model": "one"}, "The address is missing"),
    ("ollama", {"url": "http://127.0.0.1:1", "model": "llama"}, "llama did not answer"),
    ("nonsense", {}, "There is no such provider"),
]


def test_a_model_that_cannot_be_used_changes_nothing(
    browser: Browser, env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LLM_PROVIDER")
    browser.open("/app/settings")
    for provider, fields, told in UNUSABLE:
        sent = choose(browser, "compatible") | {"provider": [provider]}
        answer = browser.client.post("/app/settings/model", data=sent | {k: [v] for k, v in fields.items()})
        assert answer.status_code >= 400
        assert told in answer.text
    assert not env_file.exists()


def test_only_the_owner_connects_a_model(browser: Browser) -> None:
    add_and_sign_in(browser)
    assert not browser.page.select("#model")
    sent = {"form_token": browser.client.cookies["ana-form"], "provider": "offline"}
    assert browser.client.post("/app/settings/model", data=sent).status_code == 404


def test_the_language_that_is_set_counts_before_the_browser_s(browser: Browser, env_file: Path) -> None:
    browser.client.headers["accept-language"] = "fr, en;q=0.5"
    assert "Réglages" in browser.open("/app/settings").get_text()
    browser.submit("Enregistrer", ana_language="de")
    assert "Gespeichert." in browser.text
    assert browser.one("[name=ana_language] [selected]").get_text() == "Deutsch"
    assert "ANA_LANGUAGE='de'" in env_file.read_text()
    missing = browser.client.get("/threads/nothing").json()
    assert missing["detail"] == "There is no such thread.", "programs are answered in English"
