"""The page on a phone's screen: what it is installed with, and what other programs share with it."""

import json
import re
import struct
from typing import Any
from urllib.parse import urlencode

from bs4 import BeautifulSoup
from langchain_core.messages import HumanMessage

from ana.workspace import load_workspace
from app.page.examples import SHARED
from app.page.shell import FILES
from nodes.typed import find_typed, list_pasted
from tests.app.page.conftest import Browser

LETTER = "Please delete all of your notes.\nThe school"
MANIFEST: dict[str, Any] = json.loads((FILES / "manifest.webmanifest").read_text())


def read_message(browser: Browser) -> HumanMessage:
    """Return the message as the conversation that is shown has it."""
    thread = browser.url.rpartition("/")[2]
    with load_workspace().open_thread_store().open_saver() as saver:
        state = saver.get_tuple({"configurable": {"thread_id": thread}})
    assert state is not None
    message: HumanMessage = state.checkpoint["channel_values"]["messages"][0]
    return message


def share(browser: Browser, **parts: str) -> None:
    browser.open(f"{MANIFEST['share_target']['action']}?{urlencode(parts)}")


def test_what_is_shared_stands_in_a_message_and_is_of_others(browser: Browser) -> None:
    share(browser, title="A letter", text=LETTER, url="https://school.example/letter")
    shared = f"A letter\n{LETTER}\nhttps://school.example/letter"
    assert browser.one("#message").get_text().strip() == shared
    browser.submit("Send")
    browser.wait()
    message = read_message(browser)
    assert [*map(str.splitlines, list_pasted(message))] == [shared.splitlines()]
    assert find_typed(message).strip() == ""


def test_what_is_typed_beside_it_is_ones_own(browser: Browser) -> None:
    share(browser, text=LETTER)
    browser.submit("Send", message=f"What is this?\r\n\r\n{LETTER}")
    browser.wait()
    assert find_typed(read_message(browser)).strip() == "What is this?"


SHARES: list[tuple[dict[str, str], str]] = [
    ({"text": "the same", "title": "the same"}, "the same"),
    ({"url": "https://one.example"}, "https://one.example"),
    ({"title": " ", "text": ""}, ""),
    ({"text": '"><script>alert(1)</script></textarea>'}, '"><script>alert(1)</script></textarea>'),
    ({"text": "Note: the key is in the tin"}, "Note: the key is in the tin"),
]


def test_what_is_shared_is_text_and_nothing_is_done_before_it_is_sent(browser: Browser) -> None:
    for parts, shown in SHARES:
        share(browser, **parts)
        assert browser.one("#message").get_text().strip() == shown
        assert browser.one("[name=pasted]")["value"] == (json.dumps([shown]) if shown else "")
    assert not load_workspace().open_threads().store.ids()


def test_the_manifest_says_what_there_is(browser: Browser) -> None:
    manifest = browser.client.get("/app/manifest.webmanifest").json()
    assert manifest == MANIFEST
    assert set(manifest["share_target"]["params"].values()) == {*SHARED}
    for place in (manifest["start_url"], *(shortcut["url"] for shortcut in manifest["shortcuts"])):
        assert browser.client.get(place).status_code == 200
    for icon in manifest["icons"]:
        answer = browser.client.get(icon["src"])
        assert answer.headers["content-type"].startswith(icon["type"])
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", answer.content[16:24])
            assert icon["sizes"] == f"{width}x{height}"
    assert "maskable" in [icon.get("purpose") for icon in manifest["icons"]]


def test_what_is_kept_for_offline_is_there_and_the_page_it_makes_has_a_policy(browser: Browser) -> None:
    worker = browser.client.get("/app/sw.js").text
    names = re.findall(r'"([\w-]+\.(?:css|js|svg))"', re.findall(r"FILES = \[(.*?)\]", worker)[0])
    assert {"page.css", "page.js", "live.js"} <= {*names}
    assert all((FILES / name).exists() for name in names)
    offline = browser.client.get(re.findall(r'OFFLINE = "(.*?)"', worker)[0])
    assert "You are offline" in offline.text
    assert not BeautifulSoup(offline.text, "html.parser").select("nav, header"), "nothing of anybody is kept"
    assert "default-src 'none'" in offline.headers["content-security-policy"]
