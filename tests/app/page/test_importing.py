"""A file of many records is brought in by a page that grows meanwhile; where nobody takes it, nothing is done."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from ana.memory.item import Item, to_json
from app.page.forms import COOKIE, FIELD
from app.server.app import build_app
from app.server.guard import FILE_FORM
from tests.app.page.conftest import Browser, bring_in

MANY = 600


def make_export(count: int) -> bytes:
    header: dict[str, Any] = {"export": "ana export", "format": 1, "next_line": 0}
    items = (Item(f"i{n}", f"note {n}", {}, STAMP, STAMP) for n in range(count))
    return "".join(f"{json.dumps(each)}\n" for each in (header, *({"item": to_json(item)} for item in items))).encode()


STAMP = "2026-01-07T08:00:00.000000+00:00"


def test_many_records_are_told_of_as_they_come_in(browser: Browser) -> None:
    answer = bring_in(browser, make_export(MANY))
    assert answer.status_code == 200
    told = re.findall(r'<p class="step">(.*?)</p>', answer.text)
    assert told[0] == "Reading the file." or "prepared" in told[0] or "stored" in told[0]
    assert f"{MANY} new, 0 were here already" in answer.text
    assert answer.text.count("</html>") == 1
    browser.show(answer)
    browser.submit("Undo")
    assert "note 1" not in browser.open("/app/items").get_text()


def test_few_records_are_told_when_they_are_there_and_taken_back(browser: Browser) -> None:
    answer = bring_in(browser, make_export(3), "all.jsonl")
    assert "3 new, 0 were here already" in answer.text
    browser.show(answer)
    browser.submit("Undo")
    assert "Deleted: “note 1”" in browser.text


def test_why_a_large_file_cannot_be_brought_in_is_told_on_the_page(browser: Browser) -> None:
    answer = bring_in(browser, make_export(1) + b'{"item": 1}\n' + b" " * 1_100_000)
    assert "Nothing was imported from this file: line 3" in answer.text
    assert 'role="alert"' in answer.text


async def _send_and_leave(app: Any, body: bytes, cookie: str) -> None:
    """Send a file, and go away as soon as the answer has begun."""
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    begun = asyncio.Event()

    async def receive() -> Message:
        if not left:
            await begun.wait()
            return {"type": "http.disconnect"}
        return left.pop()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body" and message["body"]:
            begun.set()

    headers = {"host": "127.0.0.1", "content-length": f"{len(body)}", "content-type": f"{FILE_FORM}; boundary=B"}
    raw = [(name.encode(), value.encode()) for name, value in (headers | {"cookie": f"{COOKIE}={cookie}"}).items()]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/app/files", "headers": raw}
    here = {"query_string": b"", "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2), "scheme": "http"}
    await app(scope | here | {"asgi": {"version": "3.0", "spec_version": "2.3"}}, receive, send)


def test_whoever_leaves_the_page_stops_the_import_and_nothing_is_done(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie, name = "a-token-of-this-browser", 'Content-Disposition: form-data; name="{}"'
    form = f'--B\r\n{name.format(FIELD)}\r\n\r\n{cookie}\r\n--B\r\n{name.format("file")}; filename="a.jsonl"\r\n\r\n'
    app = build_app()

    async def play() -> tuple[int, int]:
        async with app.router.lifespan_context(app):
            opened = await app.state.workspaces.open("owner")
            embedder, gate = opened.handles.memory.backend.embedder, asyncio.Event()
            loop, embed = asyncio.get_running_loop(), embedder.embed_documents

            def embed_slowly(texts: list[str]) -> list[list[float]]:
                asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
                return list(embed(texts))

            monkeypatch.setattr(embedder, "embed_documents", embed_slowly)
            await _send_and_leave(app, form.encode() + make_export(MANY) + b"\r\n--B--\r\n", cookie)
            working = opened.imports
            gate.set()
            while opened.imports:
                await asyncio.sleep(0.01)
            return working, await asyncio.to_thread(opened.handles.memory.count)

    assert asyncio.run(asyncio.wait_for(play(), 60)) == (1, 0)


TABLE = b"task;when;state;area\nPaint the hall;5/13/2026;open;Hall\nSand the floor;5/1/2026;finished;Hall\n"


def test_rows_of_a_known_program_are_shown_before_they_come_in(browser: Browser) -> None:
    data = b"TYPE,CONTENT,DATE\ntask,Order bulbs,2026-03-01\ntask,Dig,every 3 days\n"
    browser.show(bring_in(browser, data, "Garden [12345678].csv"))
    shown = browser.page.get_text(" ", strip=True)
    assert "2 items, before they come in" in shown
    assert "Order bulbs" in shown
    assert "does not name one day" in shown
    assert "Order bulbs" not in browser.open("/app/items").get_text()
    browser.show(bring_in(browser, data, "Garden [12345678].csv"))
    browser.submit("Bring these in")
    assert "2 new" in browser.page.get_text(" ", strip=True)
    assert "Garden" in browser.open("/app/items").get_text()


def test_of_rows_that_nobody_knows_the_person_says_what_the_columns_are(browser: Browser) -> None:
    browser.show(bring_in(browser, TABLE, "own.csv"))
    assert "Nothing says which column is the title" in browser.one("p.wrong").get_text()
    browser.submit("Show it so", title="task", due="when", done="state", done_is="finished", list="area")
    assert browser.page.select_one("p.wrong") is None
    assert "Wed 13 May" in browser.page.get_text(" ", strip=True)
    key = str(browser.one("[name=key]")["value"])
    browser.submit("Bring these in")
    items = browser.open("/app/items").get_text(" ", strip=True)
    assert "Paint the hall" in items
    token = str(browser.one(f"[name={FIELD}]")["value"])
    again = browser.client.post("/app/files/rows", data={FIELD: token, "key": key})
    assert "not here any more" in again.text


def test_what_an_assistant_may_do_is_set_on_the_page(browser: Browser) -> None:
    assert "None wrote anything" in browser.open("/app/assistants").get_text()
    token = str(browser.client.cookies[COOKIE])
    asked = {FIELD: token, "name": "cursor", "right": "read"}
    answer = browser.client.post("/app/assistants", data=asked)
    assert "cursor only reads from now on." in answer.text
    browser.open("/app/assistants")
    assert browser.one("option[selected]")["value"] == "read"
    assert browser.client.post("/app/assistants", data=asked | {"right": "rule"}).status_code == 422
    assert browser.client.post("/app/assistants", data=asked | {"day": "2026-01-01"}).status_code == 422
