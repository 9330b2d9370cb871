"""Whether a phone reaches the server: the owner is shown a code, and told whether it was opened."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ana.people import People
from ana.settings import load_settings
from app import reaching
from app.page.forms import COOKIE, FIELD
from app.page.phone import NOT_YET, YES
from app.reaching import REACHED
from app.server.app import build_app
from tests.app.page.conftest import Browser, sign_in


@pytest.fixture
def people(home: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    monkeypatch.setenv("ANA_PUBLIC_URL", "http://127.0.0.1:2024/")
    return People(load_settings())


def open_on_phone(browser: Browser, address: str) -> tuple[int, str]:
    answer = TestClient(browser.app, base_url="http://127.0.0.1:2024").get(address)
    return answer.status_code, answer.text


def test_the_owner_is_told_whether_a_phone_has_come(people: People) -> None:
    browser = sign_in(build_app(), people.renew("owner"))
    with browser.client:
        browser.open("/app/settings")
        browser.submit("Test whether a phone reaches this server")
        assert browser.one("main svg")
        address = browser.one("code").get_text()
        browser.submit("Was it reached?")
        assert NOT_YET in browser.text
        assert open_on_phone(browser, f"{address}x")[0] == 404
        status, shown = open_on_phone(browser, address)
        assert (status, REACHED in shown) == (200, True)
        browser.submit("Was it reached?")
        assert YES in browser.text


def test_an_address_of_before_counts_no_more(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = sign_in(build_app(), people.renew("owner"))
    with browser.client:
        addresses = []
        for _ in range(2):
            browser.open("/app/settings")
            browser.submit("Test whether a phone reaches this server")
            addresses.append(browser.one("code").get_text())
        assert open_on_phone(browser, addresses[0])[0] == 404
        monkeypatch.setattr(reaching, "time", lambda: 2e10)
        assert open_on_phone(browser, addresses[1])[0] == 404


def test_nobody_but_the_owner_tests_it(people: People) -> None:
    people.renew("owner")
    browser = sign_in(build_app(), people.add("ann"))
    with browser.client:
        assert "Test whether a phone" not in browser.open("/app/settings").get_text()
        browser.open("/app/today")
        form = browser.client.cookies[COOKIE]
        assert browser.client.post("/app/phone", data={FIELD: form}).status_code == 404


def test_without_an_address_of_the_server_there_is_nothing_to_test(browser: Browser) -> None:
    assert "Test whether a phone" not in browser.open("/app/settings").get_text()
