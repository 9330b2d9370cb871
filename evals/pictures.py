"""`make pictures`: the page in Chromium, for the README and docs/page.md: what `ana demo` shows, on a fixed day."""

import os
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import uvicorn

from ana.handles import Handles
from ana.settings import PROJECT, load_settings
from ana.workspace import Workspace, load_workspace
from app.demo import play
from app.server.app import build_app
from app.server.workspaces import Workspaces, open_served
from evals.load.server import name_places

FOLDER = PROJECT / "docs" / "pictures"
THEMES = ("dark", "light")
WEDNESDAY = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
CHROMIUM = "/usr/bin/chromium"
CONVERSATION, ITEM = "I am ill", "Take the car to the garage"
"""What is opened: a conversation that moves three items, and one of those, whose history tells of it."""
WIDTH = 1200
HEIGHTS = {"chat": 540, "today": 640, "items": 640, "calendar": 660, "item": 800}
"""How high the picture of each part is."""

WEBP = {"format": "webp", "quality": 95}
"""Half as large as a PNG; Playwright's own screenshots have no such format."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Yield the address of a server on a fixed day, with the demo's three weeks before it."""
    with mock.patch.dict(os.environ, name_places(folder, ANA_TIMEZONE="Europe/Berlin")):
        app = build_app()
        play(load_workspace(), WEDNESDAY)
        app.state.workspaces = Workspaces(load_settings, _open_on_wednesday)
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            thread.join(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join()


def _open_on_wednesday(workspace: Workspace) -> Handles:
    handles = open_served(workspace)
    moments = (WEDNESDAY + timedelta(milliseconds=n) for n in count())
    handles.clock.source = partial(next, moments)
    return handles


def take() -> None:
    """Write what the page shows, a picture of each part in both themes."""
    from playwright.sync_api import sync_playwright

    theme: Any
    for theme in THEMES:
        with (
            TemporaryDirectory(prefix="ana-") as folder,
            serve(Path(folder)) as url,
            sync_playwright() as play,
        ):
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(color_scheme=theme, timezone_id="Europe/Berlin")
            chromium = page.context.new_cdp_session(page)
            for part, height in HEIGHTS.items():
                page.set_viewport_size({"width": WIDTH, "height": height})
                _open(page, url, part)
                picture = chromium.send("Page.captureScreenshot", WEBP)["data"]
                (FOLDER / f"page-{part}-{theme}.webp").write_bytes(b64decode(picture))
            browser.close()


def _open(page: Any, url: str, part: str) -> None:
    """Have a browser show a part of the page."""
    if part == "chat":
        page.goto(f"{url}/app")
        page.get_by_role("link", name=CONVERSATION).click()
        page.locator(".turn .more").wait_for()
    elif part == "item":
        page.goto(f"{url}/app/items")
        page.get_by_role("link", name=ITEM).click()
        page.get_by_role("heading", name="History").wait_for()
    else:
        page.goto(f"{url}/app/{part}")


if __name__ == "__main__":
    take()
