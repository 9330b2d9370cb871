"""Pictures of the page, for the README and docs/page.md: a scripted conversation in front of our server."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn

from app.server.app import build_app
from app.server.workspaces import Workspaces
from evals.pictures import FOLDER, ON_THE_PAGE, THEMES, open_scene
from evals.scripts import PICTURES, Picture

CHROMIUM = "/usr/bin/chromium"
PARTS = ("today", "items", "calendar")
"""Parts that are taken as they are when that was said."""
SIZE: Any = {"width": 1200, "height": 860}


@contextmanager
def serve(picture: Picture, folder: Path) -> Iterator[str]:
    """Yield the address of a server on a fixed day, with a scripted model and what was kept before."""
    places = {"ANA_DATA_DIR": "data", "TRACES_DIR": "traces", "LOG_FILE_PATH": "log"}
    before = dict(os.environ)
    os.environ.update({name: str(folder / place) for name, place in places.items()} | {"LLM_PROVIDER": "offline"})
    try:
        app = build_app()
        scene = open_scene(picture, folder)
        app.state.workspaces = Workspaces(lambda: scene.settings, lambda _: scene)
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            thread.join(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        thread.join()
    finally:
        os.environ.clear()
        os.environ.update(before)


def take(picture: Picture) -> None:
    """Write what the page shows when the first thing was said and carried out, in both themes."""
    from playwright.sync_api import sync_playwright

    theme: Any
    for theme in THEMES:
        with (
            TemporaryDirectory(prefix="ana-") as folder,
            serve(picture, Path(folder)) as url,
            sync_playwright() as play,
        ):
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, color_scheme=theme)
            page.goto(f"{url}/app")
            page.get_by_label("Message").fill(picture.said[0])
            page.keyboard.press("Enter")
            page.locator(".turn .more").wait_for()
            page.screenshot(path=FOLDER / f"page-{theme}.png")
            for part in PARTS:
                page.goto(f"{url}/app/{part}")
                page.screenshot(path=FOLDER / f"page-{part}-{theme}.png")
            browser.close()


if __name__ == "__main__":
    take(next(picture for picture in PICTURES if picture.name == ON_THE_PAGE))
