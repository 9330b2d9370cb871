"""What one person lets another see on the page: that one record, to be read, as long as its owner likes."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.applications import Starlette

from ana.handles import open_data
from ana.people import People
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.page.forms import COOKIE, FIELD
from app.server.app import build_app
from tests.app.page.conftest import Browser, browse, sign_in

NAMES = ("owner", "ann", "ben", "cat")
PILL = {"due_date": "2030-12-02T08:00", "repeats": "FREQ=DAILY", "remind": "at the time", "note": "behind the tin"}


class Home:
    """Four people at one server; Ann has a pill and a secret."""

    def __init__(self, app: Starlette, tokens: dict[str, str], stack: ExitStack) -> None:
        self._app, self._tokens = app, tokens
        stack.enter_context(browse(app))  # which begins and ends the application
        with open_data(open_workspace(load_settings(), "ann"), "a test") as handles:
            self.pill = handles.memory.create("Mum's pill", dict(PILL)).id
            self.secret = handles.memory.create("Mum's secret", dict(PILL)).id

    def sign_in(self, name: str) -> Browser:
        return sign_in(self._app, self._tokens[name])

    def see(self, name: str) -> str:
        browser = self.sign_in(name)
        browser.open("/app/shared")
        return browser.text


@pytest.fixture
def shared(home: Path) -> Iterator[Home]:
    people = People(load_settings())
    tokens = {name: people.renew(name) if name == "owner" else people.add(name) for name in NAMES}
    with ExitStack() as stack:
        made = Home(build_app(), tokens, stack)
        ann = made.sign_in("ann")
        ann.open(f"/app/items/{made.pill}")
        ann.submit("Show it to somebody", name="Ben")
        yield made


def test_who_was_named_sees_the_one_record_and_nobody_else_does(shared: Home) -> None:
    seen = shared.see("ben")
    assert "Mum's pill ann · Mon 2 Dec 2030 08:00" in seen
    assert "secret" not in seen
    assert "tin" not in seen
    for name in ("owner", "cat", "ann"):
        assert "Nobody shows you anything." in shared.see(name)


def test_it_opens_nothing_else_and_cannot_be_changed(shared: Home) -> None:
    ben = shared.sign_in("ben")
    ben.open("/app/today")
    assert "Mum" not in ben.page.get_text()
    assert "Mum" not in ben.open("/app/items").get_text()
    for id in (shared.pill, shared.secret):
        assert ben.client.get(f"/app/items/{id}").status_code == 404
        for path in (f"/app/items/{id}", f"/app/items/{id}/done", f"/app/items/{id}/share"):
            sent = {FIELD: ben.client.cookies[COOKIE], "name": "cat", "content": "x"}
            assert ben.client.post(path, data=sent).status_code in (404, 422), path
    assert "Nobody shows you anything." in shared.see("cat")


def test_its_owner_ends_it(shared: Home) -> None:
    ann = shared.sign_in("ann")
    ann.open(f"/app/items/{shared.pill}")
    ann.submit("Show no more")
    assert "Nobody shows you anything." in shared.see("ben")


def test_what_is_deleted_is_seen_by_nobody(shared: Home) -> None:
    ann = shared.sign_in("ann")
    ann.open(f"/app/items/{shared.pill}")
    ann.submit("Delete")
    assert "Nobody shows you anything." in shared.see("ben")


def test_alone_nobody_is_offered_it(browser: Browser) -> None:
    with open_data(open_workspace(load_settings()), "a test") as handles:
        id = handles.memory.create("My pill", dict(PILL)).id
    assert "Show it to somebody" not in browser.open(f"/app/items/{id}").get_text()
