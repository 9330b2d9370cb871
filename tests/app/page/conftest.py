"""The page as somebody without JavaScript uses it: links that are followed, forms that are sent."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.values import Properties
from ana.workspace import load_workspace
from app.server.app import build_app
from tests.conftest import live_in
from tests.openai_stub import Stub


@dataclass
class Browser:
    """One person's browser.

    Args:
        app: The application it talks to.
        client: Keeps the cookies, and follows where it is sent.
    """

    app: Starlette
    client: TestClient
    shown: str = ""
    """The page as it came."""
    url: str = ""
    _read: BeautifulSoup | None = None

    @property
    def page(self) -> BeautifulSoup:
        """What is shown."""
        if self._read is None:
            self._read = BeautifulSoup(self.shown, "html.parser")
        return self._read

    def open(self, path: str) -> BeautifulSoup:
        """Go to a path, and return the page there."""
        self.show(self.client.get(path))
        return self.page

    def follow(self, text: str) -> BeautifulSoup:
        """Follow the first link of this text."""
        links = [*self.page.select("main a"), *self.page.select("a")]
        link = next(a for a in links if a.get_text(strip=True) == text)
        return self.open(urljoin(self.url, str(link["href"])))

    def submit(self, button: str, **fields: str) -> BeautifulSoup:
        """Send the first form that has a button of this text, with what these fields say; return the page after it."""
        pressed = next(
            b for b in self.page.find_all("button") if button in (b.get_text(strip=True), b.get("aria-label"))
        )
        form = pressed.find_parent("form")
        assert form is not None
        sent = list_fields(form)
        assert fields.keys() <= sent.keys(), f"the form has {[*sent]}"
        if name := pressed.get("name"):
            sent[str(name)] = [str(pressed.get("value", ""))]
        sent |= {name: [value] for name, value in fields.items()}
        self.show(self.client.post(str(pressed.get("formaction") or form["action"]), data=sent))
        return self.page

    def wait(self) -> BeautifulSoup:
        """Load the page again until nothing works there."""
        while 'http-equiv="refresh"' in self.shown:
            time.sleep(0.02)
            self.show(self.client.get(self.url))
        return self.page

    def say(self, message: str) -> BeautifulSoup:
        """Say something in the conversation that is shown, and return the page with the answer."""
        self.submit("Send", message=message)
        return self.wait()

    def show(self, response: Any) -> None:
        """Have the page of a response before one."""
        assert response.status_code < 400, f"{response.status_code}: {response.text}"
        self.shown, self.url, self._read = response.text, str(response.url), None

    @property
    def text(self) -> str:
        """What can be read in the middle of the page."""
        return " ".join(self.one("main").get_text(" ").split())

    def one(self, selector: str) -> Tag:
        """Return the first element that a CSS selector finds."""
        found = self.page.select_one(selector)
        assert found is not None, f"there is no {selector}"
        return found


def list_fields(form: Tag) -> dict[str, list[str]]:
    """Return what a browser sends of a form in which nothing was changed."""
    sent: dict[str, list[str]] = {}
    for each in form.find_all(["input", "textarea", "select"]):
        name, kind = each.get("name"), each.get("type")
        if not name or (kind in ("checkbox", "radio") and not each.has_attr("checked")):
            continue
        if each.name == "select":
            chosen = each.find("option", selected=True) or each.find("option")
            value = str(chosen.get("value", chosen.get_text())) if chosen else ""
        else:
            written = each.get_text().removeprefix("\n")  # as browsers read a field of several lines
            value = written if each.name == "textarea" else str(each.get("value", ""))
        sent.setdefault(str(name), []).append(value)
    return sent


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a deployment, which the environment names."""
    live_in(tmp_path, monkeypatch, ANA_AUTONOMY="confirm")
    return tmp_path


def keep(content: str, written: str = "type: note") -> str:
    """Keep an item of the person who is alone with these properties, lines of `name: value`, and return its id."""
    with open_data(load_workspace(), "a test") as handles:
        return handles.memory.create(content, yaml.load(written, yaml.BaseLoader), make_edit()).id


def read_properties(id: str) -> Properties:
    with open_data(load_workspace(), "a test") as handles:
        return handles.memory.get(id).properties


def bring_in(browser: Browser, data: bytes, name: str = "all.jsonl", **fields: str) -> Any:
    """Send a file in the form of the settings; return the answer."""
    browser.open("/app/settings")
    form = list_fields(browser.one("form[enctype]"))
    sent = {name: value for name, (value,) in form.items() if name != "file"} | fields
    return browser.client.post("/app/files", data=sent, files={"file": (name, data)})


def add_and_sign_in(browser: Browser, name: str = "anna") -> None:
    """Add a person, and go on as them."""
    browser.open("/app/settings")
    browser.submit("Add a person", name=name)
    token = browser.one("code.long").get_text()
    browser.client.cookies.delete("ana-session")
    browser.open("/app/sign-in")
    browser.submit("Sign in", token=token)
    browser.open("/app/settings")


def use_model(patch: pytest.MonkeyPatch, stub: Stub) -> None:
    """Have this model answer in the application that is built next."""
    for name, value in stub.env.items():
        patch.setenv(name, value)


def browse(app: Starlette) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:2024", follow_redirects=True)


def sign_in(app: Starlette, token: str) -> Browser:
    """Return the browser of whoever has a token."""
    client = browse(app)
    client.headers["authorization"] = f"Bearer {token}"
    return Browser(app, client)


@pytest.fixture
def browser(home: Path) -> Iterator[Browser]:
    """The browser of somebody who is alone on this machine."""
    app = build_app()
    with browse(app) as client:
        yield Browser(app, client)
