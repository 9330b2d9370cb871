"""Who may see the page, and which forms it takes: every route is walked."""

import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from ana.people import People
from ana.reminders.buttons import PATH
from ana.settings import load_settings
from app.page.forms import COOKIE, FIELD
from app.page.routes import PAGES
from app.page.shell import FILES
from app.reaching import PATH as HELLO
from app.server.app import build_app
from app.server.sign_in import OPEN_PAGES
from tests.app.page.conftest import Browser, browse, list_fields

ROUTES = [route for route in PAGES if isinstance(route, Route) and not route.path.startswith((PATH, HELLO))]
"""Those for which a person signs in; what a signature opens is in test_button.py, a secret address in test_phone.py."""

GETS = [route.path for route in ROUTES if "GET" in (route.methods or ())]
POSTS = [route.path for route in ROUTES if "POST" in (route.methods or ())]


def fill(path: str) -> str:
    return re.sub(r"{\w+}", lambda _: str(uuid.uuid4()), path).replace("{line:int}", "7")


def send(client: TestClient, path: str, form: str, **headers: str) -> int:
    """Send a form with this token, and return the status of the answer."""
    files = {"file": ("a", b"x")} if path == "/app/files" else None
    return client.post(fill(path), data={FIELD: form}, files=files, headers=headers).status_code


@pytest.fixture
def tokens(home: Path) -> dict[str, str]:
    people = People(load_settings())
    return {"owner": people.renew("owner"), "ann": people.add("ann"), "bob": people.add("bob")}


@pytest.fixture
def nobody(tokens: dict[str, str]) -> Iterator[TestClient]:
    with browse(build_app()) as client:
        yield client


def enter(client: TestClient, token: str) -> str:
    """Sign in, and return the token of this browser's forms."""
    client.get("/app/sign-in")
    form = client.cookies[COOKIE]
    answer = client.post("/app/sign-in", data={FIELD: form, "token": token}, follow_redirects=False)
    assert (answer.status_code, answer.headers.get("location")) == (303, "/app"), answer.text
    client.get("/app/today")  # the forms of before are none any more
    return str(client.cookies[COOKIE])


def test_every_kind_of_route_is_known() -> None:
    assert {type(route) for route in PAGES} == {Route, Mount}
    assert len(GETS) > 5
    assert len(POSTS) > 5


def test_nobody_sees_anything_but_what_is_listed(nobody: TestClient) -> None:
    for path in GETS:
        answer = nobody.get(fill(path), follow_redirects=False)
        is_open = path in OPEN_PAGES
        assert answer.status_code == (200 if is_open else 303), path
        assert is_open or answer.headers["location"] == "/app/sign-in", path
        assert nobody.get(fill(path), headers={"x-ana-script": "true"}).status_code == (200 if is_open else 401), path
    for path in POSTS:
        answer = nobody.post(fill(path), data={}, follow_redirects=False)
        assert answer.status_code == (403 if path in OPEN_PAGES else 303), path


def test_the_address_alone_leads_to_the_page_but_nobody_who_has_no_token(home: Path) -> None:
    with browse(build_app()) as owner:
        answer = owner.get("/", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (307, "/app")
    People(load_settings()).add("ann")
    with browse(build_app()) as nobody:
        assert nobody.get("/", follow_redirects=False).status_code == 401


def test_no_form_is_taken_without_the_token_of_this_browser(nobody: TestClient, tokens: dict[str, str]) -> None:
    enter(nobody, tokens["ann"])
    other = browse(build_app())
    other.get("/app/sign-in")
    for value in ("", "x" * 22, other.cookies[COOKIE]):
        for path in POSTS:
            assert send(nobody, path, value) == 403, path


def test_a_form_of_another_page_is_refused_whatever_it_has(nobody: TestClient, tokens: dict[str, str]) -> None:
    form = enter(nobody, tokens["ann"])
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site", "sec-fetch-dest": "document"}):
        for path in POSTS:
            assert send(nobody, path, form, **headers) == 403, path


def test_only_where_a_file_is_taken_may_one_be_sent(nobody: TestClient) -> None:
    for path in POSTS:
        answer = nobody.post(fill(path), files={"file": ("a", b"x")}, follow_redirects=False)
        assert answer.status_code == (303 if path == "/app/files" else 415), path


def test_a_link_to_the_page_may_stand_anywhere(browser: Browser) -> None:
    from_outside = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert browser.client.get("/app/chat/new", headers=from_outside).status_code == 200
    assert browser.client.get("/app/chat/new", headers=from_outside | {"sec-fetch-dest": "image"}).status_code == 403
    assert browser.client.get("/threads", headers=from_outside).status_code == 403


def test_what_is_anothers_is_as_what_is_not_there(nobody: TestClient, tokens: dict[str, str]) -> None:
    form = enter(nobody, tokens["ann"])
    thread = str(uuid.uuid4())
    nobody.post(f"/app/chat/{thread}", data={FIELD: form, "message": "Note: the key is under the mat"})
    assert "under the mat" in nobody.get(f"/app/chat/{thread}").text
    nobody.cookies.clear()
    form = enter(nobody, tokens["bob"])
    missing = str(uuid.uuid4())
    told = [
        re.sub(r'_id" value="[^"]*', "", nobody.get(f"/app/chat/{id}").text.replace(id, "ID"))
        for id in (thread, missing)
    ]
    assert told[0] == told[1]
    assert "mat" not in nobody.get("/app", follow_redirects=True).text


def test_a_session_ends_with_its_token_and_by_signing_out(nobody: TestClient, tokens: dict[str, str]) -> None:
    form = enter(nobody, tokens["ann"])
    assert nobody.get("/app/chat/new").status_code == 200
    assert nobody.get("/threads/search").status_code == 401, "a session is for the page alone"
    nobody.post("/app/sign-out", data={FIELD: form})
    assert nobody.get("/app", follow_redirects=False).headers["location"] == "/app/sign-in"
    enter(nobody, tokens["ann"])
    People(load_settings()).renew("ann")
    assert nobody.get("/app", follow_redirects=False).headers["location"] == "/app/sign-in"


def test_a_form_that_one_person_opened_is_none_of_the_next_in_the_same_browser(
    nobody: TestClient, tokens: dict[str, str]
) -> None:
    form = enter(nobody, tokens["ann"])
    nobody.post("/app/sign-out", data={FIELD: form})
    assert enter(nobody, tokens["bob"]) != form
    assert nobody.post("/app/items", data={FIELD: form, "content": "of ann"}).status_code == 403


def test_a_changed_session_is_none(nobody: TestClient, tokens: dict[str, str]) -> None:
    enter(nobody, tokens["ann"])
    kept = nobody.cookies["ana-session"]
    for changed in (kept.replace("ann", "owner", 1), kept.replace("ann", "bob", 1), kept[:-1], "", "ann", "é.x.y"):
        nobody.cookies.clear()
        answer = nobody.get("/app", headers={b"cookie": f"ana-session={changed}".encode()}, follow_redirects=False)
        assert answer.headers["location"] == "/app/sign-in", changed


def test_the_code_of_a_link_signs_in_once(nobody: TestClient, tokens: dict[str, str]) -> None:
    code = People(load_settings()).make_code("ann")
    nobody.get("/app/sign-in")
    sent = {FIELD: nobody.cookies[COOKIE], "code": code}
    assert nobody.post("/app/sign-in", data=sent).status_code == 200
    nobody.cookies.delete("ana-session")
    nobody.get("/app/sign-in")
    assert nobody.post("/app/sign-in", data=sent | {FIELD: nobody.cookies[COOKIE]}).status_code == 401


def test_nothing_foreign_and_no_inline_script_or_style_is_in_any_page(browser: Browser) -> None:
    for path in GETS:
        if "runs" in path or path.endswith(("sw.js", "manifest.webmanifest")):
            continue
        answer = browser.client.get(fill(path))
        policy = answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store", "nobody sees it who goes back after signing out"
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", answer.text), path
        assert not re.findall(r'(?:src|href|action)="(?!/app|#)[^"]*"', answer.text), path


def test_no_field_has_the_name_of_what_a_script_does_with_its_form() -> None:
    methods = {"after", "append", "before", "closest", "contains", "matches", "prepend", "remove", "reset", "submit"}
    for template in (FILES.parent / "templates").glob("*.html"):
        names = set(re.findall(r'\bname="(\w+)"', template.read_text(encoding="utf-8")))
        assert not names & methods, f"{template.name}: form.remove would be the field"


def test_a_wrong_token_is_answered_in_a_sentence(nobody: TestClient) -> None:
    nobody.get("/app/sign-in")
    wrong = {FIELD: nobody.cookies[COOKIE], "token": "wrong"}
    plain = nobody.post("/app/sign-in", data=wrong)
    assert plain.status_code == 401
    by_script = nobody.post("/app/sign-in", data=wrong, headers={"x-ana-script": "true"})
    assert by_script.status_code == 200, "the script puts in place what is well, and shows the text of anything else"
    for answer in (plain, by_script):
        assert '<p class="wrong" role="alert">This is no token' in answer.text
        assert "`ana users token NAME` makes a new one" in answer.text


def test_no_page_is_an_error_to_the_script(browser: Browser) -> None:
    browser.open("/app/items")
    browser.submit("Keep", content="Tea")
    place = browser.url.split("?")[0]
    sent = {name: value for name, (value,) in list_fields(browser.one("form.stack")).items()}
    for headers, status in (({}, 409), ({"x-ana-script": "true"}, 200)):
        answer = browser.client.post(place, data=sent | {"content": "Oats", "shown": "before"}, headers=headers)
        assert answer.status_code == status
        assert "It was changed meanwhile" in answer.text
    for path in ("/app/items/none", "/app/nothing", "/app/today?day=never"):
        answer = browser.client.get(path, headers={"x-ana-script": "true"})
        assert answer.status_code >= 400
        assert answer.headers["content-type"].startswith("text/plain"), path


PARTS = {
    "Today": ("today", "routines"),
    "Calendar": ("calendar",),
    "Items": ("items", "items?type=task&q=tea", "items/trash"),
    "About me": ("about",),
    "Activity": ("turns",),
    "Settings": ("settings", "assistants"),
    "Chat": ("chat/all",),
}


def test_the_frame_says_where_one_is(browser: Browser) -> None:
    for part, paths in PARTS.items():
        for path in paths:
            browser.open(f"/app/{path}")
            here = browser.page.select(".part[aria-current]:not(.only-small)")
            assert [each.get_text(strip=True) for each in here] == [part], path
