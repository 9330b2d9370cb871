"""Items on the page."""

from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest

from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.memory.sources import name_assistant
from ana.values import Properties
from ana.workspace import load_workspace
from tests.app.page.conftest import Browser, keep, list_fields, read_properties


def write(browser: Browser, content: str) -> str:
    """Keep a note, and return its path."""
    browser.open("/app/items")
    browser.submit("Keep", content=content)
    return browser.url.partition("?")[0]


def test_an_item_is_kept_changed_and_its_history_told(browser: Browser) -> None:
    path = write(browser, "The key is under the mat")
    more = {"new-name": "place", "new-value": "hall", "field-tags": "keys, home"}
    browser.submit("Save", content="The key is in the tin", **more)
    assert browser.one("[name=content]").get_text().strip() == "The key is in the tin"
    assert browser.one("[name=field-place]")["value"] == "hall"
    assert browser.one("[name=field-tags]")["value"] == "keys, home"
    told = [each.get_text() for each in browser.page.select("li .receipt")]
    assert len(told) == 2
    assert told[1].startswith("Stored: “The key is under the mat”")
    browser.open(path)
    browser.submit("Undo")
    browser.open(path)
    assert "under the mat" in browser.one("[name=content]").get_text()


def test_saving_what_was_not_changed_is_no_act(browser: Browser) -> None:
    write(browser, "  two spaces\n\nand a line")
    browser.submit("Save")
    assert len(browser.page.select("li .receipt")) == 1


def test_what_a_turn_kept_leads_to_the_turn(browser: Browser) -> None:
    browser.open("/app")
    browser.say("Note: the spare key is in the blue tin")
    browser.open("/app/items")
    browser.follow("the spare key is in the blue tin")
    browser.follow("how it came about")
    assert "How this was answered" in browser.text


def test_an_item_that_changed_meanwhile_is_not_overwritten(browser: Browser) -> None:
    path = write(browser, "The key is under the mat")
    form = browser.one("form.stack")
    browser.submit("Save", content="The key is in the tin")
    answer = browser.client.post(path, data=list_fields(form) | {"content": ["The key is lost"]})
    assert answer.status_code == 409
    assert "It was changed meanwhile" in answer.text
    assert "The key is in the tin" in answer.text
    assert "The key is lost" in answer.text
    browser.open(path)
    assert browser.one("[name=content]").get_text().strip() == "The key is in the tin"


def test_what_is_searched_for_is_found_and_why(browser: Browser) -> None:
    for content in ("The key is under the mat", "Buy oat milk", "Call the plumber"):
        write(browser, content)
    browser.open("/app/items?q=milk")
    assert "Buy oat milk" in browser.one("ul.plain li").get_text()
    assert "Found by" not in browser.text
    browser.follow("Why these?")
    assert "Found by" in browser.one("ul.plain li").get_text()


def test_what_does_not_fit_a_search_is_left_out_and_counted_out(browser: Browser) -> None:
    for content in ("call the bank", "water the plants", "dentist on friday", "ideas for a birthday"):
        write(browser, content)
    browser.open("/app/items?q=bank")
    assert [each.get_text() for each in browser.page.select(".thing .what a")] == ["call the bank"]
    assert "1 item" in browser.one(".bar").get_text()
    browser.open("/app/items?q=quarks")
    assert "Nothing fits well" in browser.text


def test_items_are_filtered_by_what_is_in_use(browser: Browser) -> None:
    write(browser, "Buy oat milk")
    browser.submit("Save", **{"field-type": "task", "field-project": "kitchen", "field-tags": "shop"})
    write(browser, "Call the plumber")
    for query, found in (("project=kitchen", 1), ("tags=shop", 1), ("type=note", 1), ("project=none", 0)):
        browser.open(f"/app/items?{query}")
        assert len(browser.page.select("ul.plain li")) == found, query


def test_several_are_done_together_and_brought_back_together(browser: Browser) -> None:
    for content in ("Buy milk", "Buy bread", "Buy salt"):
        write(browser, content)
    browser.open("/app/items?select=1")
    ids = [str(box["value"]) for box in browser.page.select("[name=id]")]
    sent = list_fields(browser.one("form:has([name=id])"))
    for do, more in (
        ("done", {}),
        ("move", {"day": ["2027-01-01"]}),
        ("set", {"name": ["room"], "value": ["kitchen"]}),
    ):
        answer = browser.client.post("/app/items", data=sent | {"id": ids[:2], "do": [do]} | more)
        assert answer.status_code == 200, answer.text
        assert answer.text.count('class="receipt"') == 2, do
    browser.client.post("/app/items", data=sent | {"id": ids, "do": ["delete"]})
    browser.open("/app/items")
    assert not browser.page.select("li.thing")
    browser.open("/app/items/trash")
    assert len(browser.page.select("form.line")) == 3
    browser.submit("Restore")
    assert len(browser.page.select("form.line")) == 2


def test_enter_in_a_field_does_its_row_and_marks_nothing_done(browser: Browser) -> None:
    write(browser, "Buy milk")
    browser.open("/app/items?select=1")
    form = browser.one("form:has([name=id])")
    assert not form.select("button")[0].get("name"), "Enter presses the first button"
    sent = list_fields(form) | {"id": [str(browser.one("[name=id]")["value"])]}
    assert "due Fri 1 Jan" in browser.client.post("/app/items", data=sent | {"day": ["2027-01-01"]}).text
    assert "Sat 2 Jan" in browser.client.post("/app/items", data=sent | {"day": ["2 January 2027"]}).text
    assert "room hall" in browser.client.post("/app/items", data=sent | {"name": ["room"], "value": ["hall"]}).text
    refused = browser.client.post("/app/items", data=sent | {"name": ["due_date"], "value": ["next week"]})
    assert "is no day" in refused.text
    for unclear in ({}, {"day": ["2027-01-02"], "name": ["room"]}):
        answer = browser.client.post("/app/items", data=sent | unclear)
        assert "It was not said what to do" in answer.text


def test_where_one_cannot_be_marked_none_is(browser: Browser) -> None:
    path = write(browser, "Buy milk")
    browser.open("/app/items?select=1")
    sent = list_fields(browser.one("form:has([name=id])"))
    ids = [path.rpartition("/")[2], "abcdefgh"]
    answer = browser.client.post("/app/items", data=sent | {"id": ids, "do": ["done"]})
    assert answer.status_code == 404
    assert "There is no such item." in answer.text
    browser.open(path)
    assert "status" not in read_properties(path.rpartition("/")[2])


def test_pages_of_fifty(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.page.items.PAGE_SIZE", 2)
    for n in range(5):
        write(browser, f"Note {n}")
    browser.open("/app/items")
    seen = [a.get_text() for a in browser.page.select("ul.plain .what > a")]
    while any(a.get_text(strip=True) == "Next page" for a in browser.page.select("a")):
        browser.follow("Next page")
        seen += [a.get_text() for a in browser.page.select("ul.plain .what > a")]
    assert sorted(seen) == [f"Note {n}" for n in range(5)]


def test_what_is_not_there_is_said(browser: Browser) -> None:
    for page in ("0", "x", "0000019999999"):
        answer = browser.client.get(f"/app/items?page={page}")
        assert (answer.status_code, "That did not work" in answer.text) == (422, True), page
    assert browser.client.get("/app/items/abcdefgh").status_code == 404


def test_a_field_that_cannot_be_read_changes_nothing(browser: Browser) -> None:
    path = write(browser, "Buy milk")
    browser.submit("Save", **{"new-name": "hours", "new-value": "2.5"})
    for name, value in (("due_date", "soon"), ("due_date", "12"), ("hours", "many"), ("hours", "[")):
        with pytest.raises(AssertionError, match=r"^4[12]"):
            browser.submit("Save", **{f"field-{name}": value})
    assert read_properties(path.rpartition("/")[2]) == {"type": "note", "hours": 2.5}


def test_values_of_every_form_come_back_as_they_went_in_and_an_emptied_one_goes(browser: Browser) -> None:
    values: Properties = {
        "due_date": "2027-02-10",
        "tags": ["a", "b"],
        "hours": 2.5,
        "is_mine": True,
        "parts": [{"x": 1}, "y, z"],
        "size": {"width": 3, "unit": "m"},
        "text": "two\nlines",
    }
    with open_data(load_workspace(), "a test") as handles:
        id = handles.memory.create("Everything", values, make_edit()).id
    browser.open(f"/app/items/{id}")
    browser.submit("Save")
    assert read_properties(id) == values
    fields = {"field-due_date": "11 February 2027", "field-tags": "b, c", "field-hours": "3", "field-size.width": "4"}
    browser.submit("Save", **fields, **{"field-text": "", "field-is_mine": "false"})
    size: Properties = {"width": 4, "unit": "m"}
    changed = {"due_date": "2027-02-11", "tags": ["b", "c"], "hours": 3, "is_mine": False, "size": size}
    values.pop("text")
    assert read_properties(id) == values | changed


def test_a_date_has_the_picker_of_the_browser_and_one_that_is_missing_is_written_in_words(browser: Browser) -> None:
    given: Properties = {"due_date": "2027-02-11", "start_date": "2027-02-11T09:00", "date": "some day", "end_date": ""}
    with open_data(load_workspace(), "a test") as handles:
        id = handles.memory.create("Choir", given, make_edit()).id
    browser.open(f"/app/items/{id}")
    kinds = {name: browser.one(f"[name=field-{name}]").get("type") for name in given}
    assert kinds == {"due_date": "date", "start_date": "datetime-local", "date": None, "end_date": None}


def test_an_item_is_done_on_its_page_and_what_is_like_it_stands_there(browser: Browser) -> None:
    id = keep("Buy oat milk", "type: task\nstatus: active")
    keep("Buy milk and tea")
    browser.open(f"/app/items/{id}")
    assert "Near it Buy milk and tea" in browser.text
    browser.submit("Done")
    assert browser.url.partition("?")[0].endswith(f"/app/items/{id}")
    assert read_properties(id)["status"] == "done"
    browser.open("/app/items")
    assert browser.one("ul.plain .done").get_text(" ", strip=True).startswith("✓ Buy oat milk")


def test_a_list_is_narrowed_by_chips_which_are_taken_away_again(browser: Browser) -> None:
    today = datetime.now(ZoneInfo("Europe/Berlin")).date()
    keep("Pay the rent", f"type: task\nstatus: active\ndue_date: {today - timedelta(days=2)}\nproject: home")
    keep("Buy milk", f"type: task\nstatus: done\ndue_date: {today}")
    keep("The key is in the tin", "type: note\ntags: [keys]")
    listed = {
        "state=open": ["Pay the rent", "The key is in the tin"],
        "state=done": ["Buy milk"],
        "when=overdue": ["Pay the rent"],
        "when=today": ["Buy milk"],
        "when=none": ["The key is in the tin"],
        "when=nonsense": ["Pay the rent", "The key is in the tin", "Buy milk"],
        "type=task": ["Pay the rent", "Buy milk"],
        "type=task&state=open&project=home": ["Pay the rent"],
    }
    for query, expected in listed.items():
        browser.open(f"/app/items?{query}")
        assert [a.get_text() for a in browser.page.select("ul.plain .what > a")] == expected, query
    browser.open("/app/items")
    for name in ("Open", "task"):
        browser.follow(name)
    assert len(browser.page.select("ul.plain li")) == 1
    browser.open(f"/app/items{browser.one('.chips [aria-current]')['href']}".replace("/app/items/app", "/app"))
    assert len(browser.page.select("ul.plain li")) == 2


def test_hostile_texts_are_shown_as_they_are(browser: Browser) -> None:
    for text in ("<b>x</b>\"'>", "‮ evil", "{{ 7*7777 }}", "javascript:alert(1)"):
        path = write(browser, text)
        browser.submit("Save", **{"field-type": text, "new-name": "place", "new-value": text})
        for each in ("/app/items", path, "/app/items?q=x", "/app/today"):
            browser.open(each)
            assert not browser.page.select("main b, main a[href^=javascript], main script")
            assert "54439" not in browser.text
        browser.open(path)
        assert browser.one("[name=content]").get_text().strip() == text.strip()


def keep_from_others(browser: Browser) -> None:
    """Keep what others told, of which a part is the person's by now, and a note of the person's."""
    with open_data(load_workspace(), "a test") as handles:
        memory, by = handles.memory, make_edit(source=name_assistant("Friend"))
        memory.create("Milk of Friend", {"place": "hall"}, by)
        memory.update(memory.create("Tea of Friend", {"place": "hall"}, by).id, "My tea")
    write(browser, "The key is under the mat")


def test_items_are_filtered_by_their_source_and_made_mine_together(browser: Browser) -> None:
    keep_from_others(browser)
    for source, found in (("", 3), ("others", 2), ("assistant Friend", 2), ("person", 1), ("import", 0)):
        browser.open(f"/app/items?{urlencode({'source': source})}")
        assert len(browser.page.select("ul.plain li")) == found, source
    browser.open("/app/items?source=others&select=1")
    assert "from assistant Friend" in browser.text
    form = browser.one("form[method=post]:has(li)")
    ids = [str(each["value"]) for each in form.select("[name=id]")]
    sent = list_fields(form) | {"id": ids, "do": ["mine"]}
    answer = browser.client.post("/app/items", data=sent)
    assert answer.text.count("now your own words") == 2
    browser.open("/app/items?source=others")
    assert not browser.page.select("ul.plain li")


def test_an_item_tells_from_whom_it_is_until_it_is_mine(browser: Browser) -> None:
    keep_from_others(browser)
    browser.open("/app/items")
    browser.follow("Milk of Friend")
    assert "From assistant Friend" in browser.text
    browser.open("/app/items")
    browser.follow("My tea")
    assert "From place: assistant Friend" in browser.text
    browser.submit("This is mine")
    assert "now your own words" in browser.text
    assert not [each for each in browser.page.select("button") if each.get_text() == "This is mine"]
    browser.submit("Undo")
    browser.open("/app/items?source=others")
    assert len(browser.page.select("ul.plain li")) == 2
