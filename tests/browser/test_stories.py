"""Stories of the page."""

import threading
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ana.evaluations import Evaluation, keep_evaluation
from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.values import Json
from evals.bench.page import fill
from tests.browser.conftest import PATIENCE, Open
from tests.openai_stub import Said
from tests.sent import typed
from tests.servers import demo_serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(5 * PATIENCE)]

LONG = " ".join(f"word{n}" for n in range(400))


def reads_then_answers(answer: Said) -> Any:
    """A model that looks something up, and then says this."""

    def reply(request: dict[str, Any]) -> Said:
        if request["messages"][-1]["role"] == "user":
            return Said(calls=[("query_items", {"text": typed(request["messages"][-1]["content"])})])
        return answer

    return reply


def test_a_conversation_is_kept_and_what_it_did_is_taken_back(house: Open) -> None:
    anna = house().visit()
    anna.go("/app")
    anna.look("empty")
    anna.say("the spare key is in the blue tin", "Stored: “the spare key is in the blue tin”")
    anna.settle()
    anna.look("conversation")
    anna.press("Undo")
    anna.sees("taken back")
    anna.look("taken-back")
    anna.press("Undo")
    anna.page.get_by_text("taken back", exact=True).wait_for(state="detached")


def test_an_answer_grows_while_it_is_written_and_nothing_else_moves(house: Open) -> None:
    written = threading.Event()
    anna = house(reads_then_answers(Said(f"First {LONG}", pause=lambda: written.wait(PATIENCE)))).visit()
    anna.go("/app")
    anna.page.evaluate(
        "new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput)"
        " window.moved = (window.moved || 0) + e.value; }).observe({type: 'layout-shift', buffered: true})"
    )
    anna.say("where is the key?")
    anna.sees("First")
    anna.sees("looked for")
    anna.look("writing")
    anna.page.evaluate("window.moved = 0")
    written.set()
    anna.sees("word399")
    anna.settle()
    assert anna.page.evaluate("window.moved || 0") < 0.1


def test_a_reader_is_told_whole_sentences(house: Open) -> None:
    written = threading.Event()
    anna = house(Said("Nothing is due. Rest well today", pause=lambda: written.wait(PATIENCE))).visit()
    anna.go("/app")
    anna.say("what is due?")
    anna.sees("Nothing")
    log = anna.page.locator("[role=log]")
    assert log.get_attribute("aria-live") == "polite"
    assert log.text_content() == ""
    written.set()
    anna.settle()


def deletes(request: dict[str, Any]) -> Said:
    """A model that keeps what it is told, and deletes all it finds when it is told to clean up."""
    last = request["messages"][-1]
    if last["role"] == "user":
        said = typed(last["content"])
        if said.startswith("clean"):
            return Said(calls=[("query_items", {"where": {"type": "task"}})])
        return Said(calls=[("create_item", {"content": said, "properties": {"type": "task", "status": "active"}})])
    if last["role"] == "tool" and '"items"' in last["content"]:
        ids = [part.split('"')[0] for part in last["content"].replace('"id": "', '"id":"').split('"id":"')[1:]]
        return Said(calls=[("delete_item", {"id": id}) for id in ids])
    return Said("Done.")


def test_an_approval_is_edited(house: Open) -> None:
    anna = house(ANA_AUTONOMY="advise").visit()
    anna.go("/app")
    anna.say("the spare key is in the blue tin", "Not done yet; may I?")
    anna.look("approval")
    anna.page.get_by_text("Edit", exact=True).click()
    anna.look("approval-edited")
    anna.page.get_by_label("Content").fill("the spare key is in the red tin")
    anna.press("Approve")
    anna.sees("Stored: “the spare key is in the red tin”")


def test_enter_decides_nothing(house: Open) -> None:
    sent: list[str] = []
    anna = house(ANA_AUTONOMY="advise").visit()
    anna.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    anna.go("/app")
    anna.say("the spare key is in the blue tin", "Not done yet; may I?")
    sent.clear()
    for place in (".waiting summary", ".waiting", "#message", "h1"):
        anna.page.locator(place).first.focus()
        anna.page.keyboard.press("Enter")
    assert not sent


def test_a_wrong_token_is_told_in_a_sentence_beside_the_field(house: Open) -> None:
    home = house()
    owner = home.visit()
    owner.go("/app/settings")
    owner.page.get_by_label("Name", exact=True).fill("Robin")
    owner.press("Add a person")
    owner.sees("The token of robin")
    nobody = home.visit()
    nobody.go("/app")
    nobody.page.get_by_label("Token").fill("wrong")
    nobody.press("Sign in")
    nobody.sees("This is no token, or one that has ended")
    assert nobody.page.locator("#problem").is_hidden()
    nobody.look("wrong-token")


def test_what_is_written_while_an_answer_comes_stays(house: Open) -> None:
    written = threading.Event()
    anna = house(Said(f"Begun {LONG}", pause=lambda: written.wait(PATIENCE))).visit()
    anna.go("/app")
    anna.say("tell me everything", "Begun")
    anna.page.get_by_label("Message").fill("and what I write meanwhile stays")
    written.set()
    anna.sees("word399")
    anna.settle()
    assert anna.page.get_by_label("Message").input_value() == "and what I write meanwhile stays"


def test_several_changes_are_decided_one_by_one(house: Open) -> None:
    anna = house(deletes).visit()
    anna.go("/app")
    for item in ("buy milk", "buy bread", "buy salt", "buy tea", "buy rice", "buy oats"):  # one more than needs no yes
        anna.say(item, f"Stored: “{item}”")
        anna.settle()
    anna.say("clean up", "Not done yet; may I?")
    anna.look("approval-of-six")
    waits = anna.page.locator(".talks li", has=anna.page.locator(".tag"))
    edge = "(each) => each.getBoundingClientRect()"
    title_end = waits.locator("a").evaluate(f"{edge}.right")
    assert title_end <= waits.locator(".tag").evaluate(f"{edge}.left"), "the mark lies over the title"
    ticks = anna.page.locator(".waiting input[type=checkbox]")
    assert ticks.count() == 6
    assert anna.page.locator(".waiting input:checked").count() == 0
    ticks.first.focus()
    anna.page.keyboard.press("Enter")
    anna.press("Do what is ticked")
    anna.page.get_by_text("Nothing is ticked").wait_for()
    assert anna.page.locator(".waiting").count() == 1, "nothing was decided"
    for number in (0, 2, 4):
        ticks.nth(number).check()
    anna.press("Do what is ticked")
    anna.page.locator(".receipt", has_text="Deleted: “buy").nth(2).wait_for()
    anna.settle()
    assert anna.page.locator(".receipt", has_text="Deleted: “buy").count() == 3


def test_a_turn_is_stopped_while_it_is_written(house: Open) -> None:
    anna = house(Said("First", hang="word after word")).visit()
    anna.go("/app")
    anna.say("tell me everything")
    anna.page.locator(".working").wait_for()
    anna.page.get_by_role("button", name="Stop").wait_for()
    anna.page.keyboard.press("Escape")
    anna.settle()
    anna.sees("This was stopped")
    anna.look("stopped")


def test_a_lost_connection_in_the_middle_goes_on(house: Open) -> None:
    written = threading.Event()
    home = house(Said(f"Overture {LONG}", pause=lambda: written.wait(PATIENCE)))
    wire = home.connect()
    anna = home.visit(wire.url)
    anna.go("/app")
    anna.say("tell me everything")
    anna.sees("Overture")  # which no other words of the page contain: the message has arrived
    assert wire.cut()
    written.set()
    anna.sees("word399")
    anna.settle()
    assert anna.page.locator("article.turn").count() == 1


def test_a_turn_that_could_not_be_followed_is_followed_anew(house: Open) -> None:
    written = threading.Event()
    anna = house(Said(f"Overture {LONG}", pause=lambda: written.wait(PATIENCE))).visit()
    anna.page.route("**/chat/*/runs/*", lambda route: route.fulfill(status=503), times=1)
    anna.go("/app")
    anna.say("tell me everything")
    anna.sees("Overture")
    written.set()
    anna.sees("word399")
    anna.settle()


def test_two_tabs_show_the_same_turn(house: Open) -> None:
    written = threading.Event()
    home = house(Said(f"Overture {LONG}", pause=lambda: written.wait(PATIENCE)))
    anna = home.visit()
    anna.go("/app")
    anna.say("tell me everything")
    anna.sees("Overture")
    other = anna.page.context.new_page()
    other.goto(anna.page.url)
    other.get_by_text("Overture").first.wait_for()
    written.set()
    other.locator(".working").wait_for(state="detached")
    assert "word399" in other.inner_text("main")
    anna.sees("word399")


def test_a_message_that_cannot_be_sent_stays(house: Open) -> None:
    home = house()
    anna = home.visit()
    anna.go("/app")
    home.server.kill()
    anna.say("the spare key is in the blue tin")
    anna.page.get_by_text("The server cannot be reached").wait_for()
    assert anna.page.get_by_label("Message").input_value() == "the spare key is in the blue tin"
    anna.look("not-reached")


def test_without_javascript_all_of_it_works(house: Open) -> None:
    anna = house(ANA_AUTONOMY="advise").visit(java_script_enabled=False)
    anna.go("/app")
    anna.page.get_by_label("Message").fill("the spare key is in the blue tin")
    anna.press("Send")
    anna.sees("Not done yet; may I?")
    anna.press("Approve")
    anna.sees("Stored: “the spare key is in the blue tin”")
    anna.press("Undo")
    anna.sees("taken back")


def test_by_keys_alone(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/about")
    anna.page.keyboard.press("1")
    anna.page.wait_for_url("**/app/chat/**")
    anna.page.evaluate("document.activeElement.blur()")
    anna.page.keyboard.press("/")
    anna.page.keyboard.type("the spare key")
    anna.page.keyboard.press("Shift+Enter")
    anna.page.keyboard.type("is in the tin")
    anna.page.keyboard.press("Enter")
    anna.sees("Stored: “the spare key")
    anna.settle()
    assert anna.page.evaluate("document.activeElement.id") == "message", "the focus stays over what is put in"


def test_a_device_of_the_smallest_size(house: Open) -> None:
    anna = house().visit(viewport={"width": 320, "height": 560}, has_touch=True, is_mobile=True)
    anna.go("/app")
    anna.say("Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverkäufer" * 3, "Stored: “Donau")
    for path in (
        "/app",
        "/app/chat/all",
        "/app/more",
        "/app/today",
        "/app/calendar?month=2027-02",
        "/app/items",
        "/app/about",
        "/app/turns",
        "/app/settings",
    ):
        anna.go(path)
        assert anna.page.evaluate("document.documentElement.scrollWidth") <= 320, path


PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def test_on_a_phone_the_name_and_the_menu_stay_in_sight(house: Open) -> None:
    anna = house().visit(**PHONE)
    anna.go("/app")
    anna.say(LONG, "Stored: “word0")
    anna.settle()
    anna.page.wait_for_function("scrollY > 500")
    top = "(each) => each.getBoundingClientRect().top"
    menu = anna.page.locator(".menu summary")
    assert menu.evaluate(top) >= 0, "it has been scrolled away"
    menu.click()
    anna.page.locator(".panel input[name=name]").fill("Words")
    anna.press("Rename")
    name = anna.page.get_by_role("heading", name="Words", exact=True)
    name.wait_for()
    assert name.evaluate(top) >= 0


def test_on_a_phone_what_has_the_focus_is_not_under_the_bar(house: Open) -> None:
    anna = house().visit(**PHONE)
    anna.go("/app/settings")
    covered = """[...document.querySelectorAll("main :is(a, button, input, select, summary)")].filter((each) => {
      each.scrollIntoView({ block: "end" });
      const { bottom, height } = each.getBoundingClientRect();
      return height > 0 && bottom > document.querySelector(".side").getBoundingClientRect().top;
    }).map((each) => each.outerHTML)"""
    assert anna.page.evaluate(covered) == []


HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script>",
    "[a](javascript:alert(3)) ![b](https://evil.example/x.png) <https://evil.example>",
    "\u202e\u2066evil\u2069 \u202d{{ 7*7777 }} ${7*7777} \x1b[31m",
    "x" * 60_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=["markup", "links", "bidi", "long"])
def test_hostile_texts_do_nothing(house: Open, text: str) -> None:
    def repeats(request: dict[str, Any]) -> Said:
        last = request["messages"][-1]
        if last["role"] != "user":
            return Said(text)
        return Said(
            calls=[("create_item", {"content": text, "properties": {text[:50]: text[:500], "tags": [text[:50]]}})]
        )

    anna = house(repeats).visit()
    anna.go("/app")
    anna.say(text)
    anna.settle()
    assert not anna.page.locator("main a[href^=javascript], main img, main script, main a[href*=evil]").count()
    assert "54439" not in anna.page.inner_text(".turn >> nth=0")
    anna.go("/app/about")
    anna.page.get_by_label("What I should know").fill(text[:300])
    anna.press("Add")
    anna.sees("Undo")
    anna.look(f"hostile-{HOSTILE.index(text)}")


def test_what_is_known_is_added_and_forgotten(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/about")
    anna.page.get_by_label("What I should know").fill("Likes tea")
    anna.press("Add")
    anna.sees("Likes tea")
    anna.look("about")
    anna.press("Forget line")
    anna.sees("Nothing yet")
    anna.press("Undo")
    anna.sees("Likes tea")


def test_a_turn_is_told_as_a_story(house: Open) -> None:
    home = house()
    anna = home.visit()
    anna.go("/app")
    anna.say("the spare key is in the blue tin", "Stored: “the spare key")
    anna.settle()
    keep_evaluation(
        home.workspace, Evaluation("2026-11-27T10:00:00+00:00", "one", {"time": 0.9, "undo": 1, "all": 0.95})
    )
    anna.go("/app/turns")
    anna.look("turns")
    anna.page.locator("main").get_by_role("link", name="the spare key").click()
    anna.sees("How this was answered")
    anna.press("Run it again")
    anna.sees("The same again")
    anna.look("story")


def test_a_person_signs_in_by_a_link_and_sees_nothing_of_another(house: Open) -> None:
    home = house()
    owner = home.visit()
    owner.go("/app")
    owner.say("the passport is in the drawer", "Stored: “the passport")
    owner.settle()
    owner.go("/app/settings")
    owner.look("settings")
    owner.page.get_by_label("Name", exact=True).fill("anna")
    owner.press("Add a person")
    owner.sees("The token of anna")
    owner.look("token")
    link = owner.page.locator("code.long").nth(1).inner_text()
    anna = home.visit()
    anna.page.goto(link)
    anna.page.wait_for_url("**/app/chat/**")
    for path in ("/app", "/app/today", "/app/items", "/app/turns", "/app/about", "/app/settings"):
        anna.go(path)
        assert "drawer" not in anna.page.content(), path
    anna.go(owner.page.url.removeprefix(home.server.url))
    anna.go("/app/chat/new")
    anna.page.get_by_label("Message").press_sequentially("half a secret")
    anna.page.get_by_label("Message").fill("")
    anna.go("/app/settings")
    anna.press("Sign out")
    anna.sees("Paste your token")
    assert anna.page.evaluate("sessionStorage.length") == 0
    for _ in range(2):
        anna.page.go_back()
        anna.sees("Paste your token")
    nobody = home.visit()
    nobody.go("/app/turns")
    nobody.sees("Paste your token")
    nobody.look("sign-in")


def test_a_draft_that_was_sent_back_is_a_small_mark(house: Open) -> None:
    said = iter(["It is on Thursday, 11 December 2026.", "It is on Friday, 11 December 2026."])
    anna = house(lambda _: Said(next(said, "On Friday."))).visit()
    anna.go("/app")
    anna.say("what day is 11 December 2026?")
    anna.settle()
    anna.page.get_by_text("A draft was sent back").click()
    anna.sees("It is on Thursday, 11 December 2026.")
    anna.look("sent-back")


def test_ten_thousand_items_make_no_page_large(house: Open) -> None:
    paths: list[str] = []
    anna = house(prepare=lambda env: paths.extend(fill(env))).visit()
    assert paths
    for path in paths:
        anna.go(path)
        size = anna.page.evaluate("performance.getEntriesByType('navigation')[0].encodedBodySize")
        assert 1000 < size < 60_000, f"{path}: {size} bytes"
    anna.go("/app/today")
    anna.look("today-of-many")
    anna.go("/app/items")
    anna.look("items-of-many")


def test_what_is_due_is_done_with_one_tap_and_moved_by_its_date(house: Open) -> None:
    anna = house().visit()
    today = datetime.now(ZoneInfo("Europe/Berlin")).date()
    anna.go("/app/today")
    anna.look("free-day")
    anna.page.get_by_label("What is to be done").fill("Buy milk")
    anna.press("Add")
    anna.sees("Buy milk")
    anna.press("Done: “Buy milk”")
    anna.sees("active → done")
    anna.press("Undo")
    anna.sees("done → active")
    anna.look("today")
    anna.page.get_by_role("link", name="Move “Buy milk”").click()
    dialog = anna.page.locator("dialog")
    dialog.get_by_label("In words").fill("no day at all")
    anna.page.keyboard.press("Enter")
    dialog.get_by_role("alert").get_by_text("is no day").wait_for()
    assert anna.page.locator("#problem").is_hidden(), "it is said once"
    anna.look("moving-to-no-day")
    dialog.get_by_label("A day").fill(str(today + timedelta(days=3)))
    anna.page.keyboard.press("Enter")
    anna.sees("due ")
    dialog.wait_for(state="hidden")
    anna.page.locator("h2", has_text=f"{today + timedelta(days=3):%a}").wait_for()


def test_what_has_a_day_is_dragged_in_the_month_the_week_and_today(house: Open) -> None:
    home = house()
    anna, today = home.visit(), datetime.now(ZoneInfo("Europe/Berlin")).date()
    with open_data(home.workspace, "a test") as handles:
        properties: dict[str, Json] = {"type": "task", "status": "active"}
        handles.memory.create("Choir", properties | {"due_date": "2027-02-10T19:00"}, make_edit())
        handles.memory.create("Books", properties | {"due_date": str(today - timedelta(days=3))}, make_edit())
    anna.go("/app/calendar?month=2027-02")
    anna.look("month")
    anna.page.locator(".entry", has_text="Choir").drag_to(anna.page.locator("[data-day='2027-02-18']"))
    anna.sees("→")
    anna.page.locator("[data-day='2027-02-18'] .entry").wait_for()
    anna.go("/app/calendar?week=2027-02-18")
    hours = anna.page.locator("[data-day='2027-02-16'] .hours")
    quarters = 4 * 3 + 1  # after seven in the morning
    grip: Any = {"x": 8, "y": 4}
    place: Any = {"x": 30, "y": 12 * quarters + 5}
    choir = anna.page.locator(".entry", has_text="Choir")
    choir.drag_to(hours, source_position=grip, target_position=place)
    anna.page.locator("[data-day='2027-02-16'] .entry", has_text="10:15").wait_for()
    anna.look("week")
    anna.press("Undo")
    anna.page.locator("[data-day='2027-02-18'] .entry", has_text="19:00").wait_for()
    anna.go("/app/today")
    books = anna.page.locator("li", has_text="Books")
    books.hover()
    anna.page.mouse.down()
    anna.page.mouse.move(300, 300, steps=3)
    anna.look("dragging")
    tomorrow = anna.page.locator(".dock .button", has_text="Tomorrow")
    tomorrow.hover(force=True)
    day = tomorrow.get_attribute("data-day")
    anna.page.mouse.up()
    anna.page.locator(f"section[data-day='{day}'] li", has_text="Books").wait_for()
    assert not anna.page.locator(".dragged").count()


def test_a_finger_that_stays_drags_and_one_that_moves_at_once_does_not(house: Open) -> None:
    home = house()
    anna = home.visit(
        viewport={"width": 390, "height": 800},
        has_touch=True,
        is_mobile=True,
        timezone_id="Europe/Berlin",  # that of the server: no time is one elsewhere
    )
    with open_data(home.workspace, "a test") as handles:
        handles.memory.create("Choir", {"type": "event", "start_date": "2027-02-10T19:00"}, make_edit())
    touch = anna.page.context.new_cdp_session(anna.page)

    def find_points() -> list[tuple[float, float]]:
        """Open the week; return where the entry and the other day are in it."""
        anna.go("/app/calendar?week=2027-02-10")
        boxes = [anna.page.locator(each).bounding_box() for each in (".entry", "[data-day='2027-02-13']")]
        return [(box["x"] + 40, box["y"] + 9) for box in boxes if box]

    def put(kind: str, *points: tuple[float, float]) -> None:
        told = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})

    (x, y), _ = find_points()
    put("touchStart", (x, y))
    put("touchMove", (x, y - 40))
    put("touchEnd")
    assert not anna.page.locator(".dragged").count()
    (x, y), to = find_points()  # of a page that no finger scrolls any more
    put("touchStart", (x, y))
    anna.page.locator(".dragged").wait_for()
    put("touchMove", (x, y + 20))
    put("touchMove", to)
    put("touchEnd")
    anna.page.locator("[data-day='2027-02-13'] .entry", has_text="19:00 Choir").wait_for()


def test_items_are_found_changed_and_marked_together(house: Open) -> None:
    anna = house().visit()
    for content in ("Buy oat milk", "Call the plumber", "The key is under the mat"):
        anna.go("/app/items")
        anna.page.get_by_label("What is kept").fill(content)
        anna.press("Keep")
        anna.sees("History")
    anna.page.get_by_text("Add a property").click()
    anna.page.get_by_label("Name", exact=True).fill("place")
    anna.page.get_by_label("Value", exact=True).fill("hall")
    anna.press("Save")
    anna.sees("place hall")
    anna.look("item")
    anna.go("/app/items")
    anna.page.keyboard.press("/")
    anna.page.keyboard.type("who repairs pipes")
    anna.page.keyboard.press("Enter")
    anna.page.get_by_role("link", name="Why these?").click()
    anna.sees("Found by")
    anna.look("found")
    anna.go("/app/items")
    anna.page.locator("summary", has_text="Kind").click()
    anna.look("narrowing")
    anna.page.get_by_role("link", name="note", exact=True).click()
    anna.sees("3 items")
    anna.page.get_by_role("link", name="Select").click()
    for box in anna.page.locator("[name=id]").all()[:2]:
        box.check()
    anna.look("selected")
    anna.press("Delete")
    anna.sees("Undo")
    anna.look("deleted")
    anna.press("Undo")
    anna.page.locator("[name=id]").nth(2).wait_for()
    anna.go("/app/items/trash")
    anna.look("trash")


def test_without_a_connection_the_page_says_so(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/about")
    anna.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    anna.page.reload()
    anna.page.context.set_offline(True)
    anna.page.goto(f"{anna.url}/app/today")
    anna.sees("You are offline")
    assert "What I know about you" not in anna.page.content()
    anna.look("offline")
    anna.page.get_by_label("Message").press_sequentially("call the plumber")
    anna.page.reload()
    anna.sees("You are offline")
    assert anna.page.get_by_label("Message").input_value() == "call the plumber"
    anna.press("Try again")
    anna.sees("You are offline")
    anna.page.context.set_offline(False)
    anna.press("Try again")
    anna.sees("Say what is on your mind")
    assert anna.page.get_by_label("Message").input_value() == "call the plumber"
    anna.page.keyboard.press("Enter")
    anna.sees("Stored: “call the plumber”")
    anna.go("/app/chat/new")
    assert anna.page.get_by_label("Message").input_value() == ""


def test_what_is_shared_and_what_was_pasted_stays_of_others_after_a_reload(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/chat/new?text=A+letter")
    anna.look("shared")
    marked = anna.page.locator("[name=pasted]")
    assert marked.get_attribute("value") == '["A letter"]'
    anna.page.get_by_label("Message").press("Control+End")
    anna.page.keyboard.type("!")
    anna.page.goto(anna.page.url.partition("?")[0])
    assert anna.page.get_by_label("Message").input_value() == "A letter!"
    assert marked.evaluate("each => each.value") == '["A letter"]'


def test_the_first_start_leads_on_and_an_example_stands_in_the_message(house: Open) -> None:
    anna = house(LLM_PROVIDER="offline").visit()
    anna.go("/app")
    anna.look("first-start")
    anna.page.get_by_label("Name").fill("Anna")
    anna.press("Keep")
    anna.sees("Learned: “Name: Anna”")
    for part in ("today", "calendar", "items", "about", "turns"):
        anna.go(f"/app/{part}")
        anna.look(f"empty-{part}")
    anna.go("/app/today")
    anna.page.get_by_role("link", name="Buy bread today").click()
    message = anna.page.get_by_label("Message")
    assert message.input_value() == "Buy bread today"
    anna.page.keyboard.press("Enter")
    anna.sees("Stored: “Buy bread today”")
    assert message.input_value() == ""


def test_a_demo_is_tried_and_ended(house: Open) -> None:
    visitor = house(serve=demo_serving, LLM_PROVIDER="offline").visit()
    visitor.go("/app")
    visitor.sees("Not done yet; may I?")
    visitor.look("demo-request")
    visitor.press("Approve all")
    visitor.sees("Changed: “Class photo, Emil”")
    visitor.go("/app/today")
    visitor.look("demo-today")
    visitor.page.get_by_role("link", name="I am ill").click()
    visitor.sees("recorded")
    visitor.press("Undo")
    visitor.sees("taken back")
    visitor.press("End the demo")
    visitor.sees("The demo has ended")


def test_the_pages_that_are_seldom_seen_are_whole_too(house: Open) -> None:
    anna = house().visit()
    anna.go("/app")
    anna.say("the spare key is in the blue tin", "Stored: “the spare key")
    anna.settle()
    conversation = anna.page.url.removeprefix(anna.url)
    anna.page.get_by_label("This conversation").click()
    anna.page.get_by_label("Name", exact=True).fill("Keys")
    anna.press("Rename")
    anna.page.get_by_role("heading", name="Keys").wait_for()
    anna.go("/app/chat/all?q=key")
    anna.look("conversations")
    anna.go("/app/more")
    anna.look("more")
    anna.go("/app/items")
    anna.page.locator("main").get_by_role("link", name="the spare key").click()
    anna.page.get_by_label("Text").fill("the spare key is lost")
    anna.press("Save")
    anna.sees("Undo")
    anna.go(conversation)
    anna.press("Undo")
    anna.sees("This was changed since")
    anna.look("changed-since")
    anna.press("Take it back all the same")
    anna.sees("taken back")
    anna.page.get_by_label("This conversation").click()
    anna.press("Delete this conversation")
    anna.sees("Restore")
    anna.look("deleted-conversations")
    anna.go("/app/items/abcdefgh")
    anna.sees("That did not work")
    anna.look("error")
    anna.go("/app/settings")
    event = ("UID:1", "DTSTAMP:20261101T000000Z", "DTSTART:20270202T100000Z", "SUMMARY:Choir")
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", *event, "END:VEVENT", "END:VCALENDAR", "")
    calendar: Any = {"name": "a.ics", "mimeType": "text/calendar", "buffer": "\r\n".join(lines).encode()}
    anna.page.get_by_label("Bring in a file").set_input_files(calendar)
    anna.press("Import")
    anna.sees("1 new, 0 were here already")
    anna.page.get_by_role("link", name="Back to the settings").click()
    anna.page.get_by_label("Name", exact=True).fill("ben")
    anna.press("Add a person")
    anna.sees("The token of ben")
    anna.page.get_by_role("link", name="Back to the settings").click()
    anna.press("Remove ben")
    anna.sees("Remove ben?")
    anna.look("remove")


def test_what_is_half_written_is_there_again_and_a_double_click_sends_once(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/chat/new")
    anna.page.get_by_label("Message").fill("the spare key is in")
    anna.page.get_by_role("link", name="Items").click()
    anna.page.wait_for_url("**/app/items")
    anna.page.go_back()
    anna.page.get_by_role("heading", name="A new conversation").wait_for()
    message = anna.page.get_by_label("Message")
    assert message.input_value() == "the spare key is in"
    message.fill("the spare key is in the blue tin")
    anna.page.get_by_role("button", name="Send").dblclick()
    anna.sees("Stored: “the spare key is in the blue tin”")
    anna.settle()
    assert anna.page.locator("article.turn").count() == 1
    assert message.input_value() == ""
    anna.page.reload()
    assert message.input_value() == ""


def test_an_address_is_added_and_the_settings_are_left(house: Open) -> None:
    home = house()
    owner, anna = home.visit(), home.visit()
    owner.go("/app/settings")
    owner.page.get_by_label("Name", exact=True).fill("anna")
    owner.press("Add a person")
    owner.sees("The token of anna")
    anna.page.goto(owner.page.locator("code.long").nth(1).inner_text())
    anna.page.wait_for_url("**/app/chat/**")
    anna.go("/app/settings")
    anna.page.get_by_label("Address", exact=True).fill("ntfys://127.0.0.1/a-secret-of-mine")
    anna.press("Add")
    anna.page.get_by_role("button", name="Remove").wait_for()
    assert anna.page.get_by_label("Address", exact=True).input_value() == ""
    saved = anna.page.get_by_text("Saved.").bounding_box()
    assert saved is not None
    assert saved["y"] >= 0, "it is seen wherever the page was scrolled to"
    anna.press("Send a test")
    anna.sees("It was not delivered")
    anna.page.reload()
    anna.page.get_by_role("link", name="Items").click()
    anna.page.get_by_role("heading", name="Items").wait_for()
    anna.page.get_by_text("Where reminders ring").wait_for(state="detached")


def test_what_went_wrong_is_told_also_after_going_back(house: Open) -> None:
    home = house()
    anna = home.visit()
    anna.go("/app/about")
    anna.page.get_by_role("link", name="Items").click()
    anna.page.get_by_role("heading", name="Items").wait_for()
    anna.page.go_back()
    anna.page.get_by_role("heading", name="What I know about you").wait_for()
    home.server.kill()
    anna.page.get_by_label("What I should know").fill("Likes tea")
    anna.press("Add")
    anna.page.get_by_text("The server cannot be reached").wait_for()
    assert anna.page.get_by_label("What I should know").input_value() == "Likes tea"


def test_a_list_is_walked_done_and_moved_by_keys(house: Open) -> None:
    anna = house().visit()
    anna.go("/app/today")
    keys = anna.page.keyboard
    for task in ("Buy milk", "Buy bread"):
        keys.press("n")
        keys.type(task)
        keys.press("Enter")
        anna.page.locator("main li", has_text=task).wait_for()
        anna.page.evaluate("document.activeElement.blur()")
    keys.press("j")
    keys.press("m")
    anna.page.locator("dialog").get_by_role("button", name="Tomorrow").click()
    anna.page.locator("dialog").wait_for(state="hidden")
    anna.sees("Undo")
    anna.page.evaluate("document.activeElement.blur()")
    keys.press("j")
    keys.press("x")
    anna.sees("active → done")
