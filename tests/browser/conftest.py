"""The page in Chromium, in front of a server in a process of its own and a scripted model.

ANA_PICTURES=FOLDER keeps a picture of everything that a story looks at, at 360 and 1280 px, light and dark.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ana.settings import PROJECT, load_settings
from ana.workspace import Workspace, open_workspace
from evals.load.server import Server
from tests.browser.wire import Wire
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.servers import Serve, own_serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page

AXE = PROJECT / "tests/js/node_modules/axe-core/axe.min.js"
CHROMIUM = "/usr/bin/chromium"
PATIENCE = 120
"""Seconds that a story waits for what has to come: how busy the machine is decides nothing."""
PICTURES = os.environ.get("ANA_PICTURES")
VIEWS: list[tuple[int, Any]] = [(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")]
QUIET = (
    *("Failed to load resource", "net::ERR"),
    *(
        "BodyStreamBuffer was aborted",
        "An unknown error occurred when fetching the script",
        "Failed to register a ServiceWorker",
    ),
)
"""What Chromium says of a server, or of a connection, that a story ends."""


def say_what_is_kept(request: dict[str, Any]) -> Said:
    """A model that keeps each message as a note, and then says so."""
    from tests.openai_stub import stores_what_is_said

    return stores_what_is_said(request)


@dataclass
class Visitor:
    """Somebody at a browser of their own.

    Args:
        page: What they see.
        url: Of the server.
    """

    page: "Page"
    url: str
    told: list[str] = field(default_factory=list)
    """What the browser complained of."""
    asked: set[str] = field(default_factory=set)
    """The servers that the page asked something of."""

    def go(self, path: str) -> None:
        self.page.goto(f"{self.url}{path}")

    def press(self, name: str, place: int = 0) -> None:
        """Press the button of this name."""
        self.page.get_by_role("button", name=name).nth(place).click()

    def say(self, message: str, answer: str | None = None) -> None:
        """Say something, and wait until this is in the page."""
        self.page.get_by_label("Message").fill(message)
        self.page.keyboard.press("Enter")
        if answer:
            self.sees(answer)

    def sees(self, text: str) -> "Locator":
        """Wait until this text is in the page."""
        found = self.page.locator("main").get_by_text(text).first
        found.wait_for()
        return found

    def settle(self) -> None:
        """Wait until nothing works."""
        self.page.locator(".working").wait_for(state="detached")

    def look(self, name: str) -> None:
        """Check what is shown: nothing is wider than the window, and axe finds nothing; keep pictures of it."""
        was = self.page.viewport_size
        for width, colours in VIEWS:
            self.page.set_viewport_size({"width": width, "height": 800})
            self.page.emulate_media(color_scheme=colours)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{name}: {wide} px wide at {width}"
            self._check(f"{name} at {width} px, {colours}")
            if PICTURES:
                self.page.screenshot(path=f"{PICTURES}/{name}-{width}-{colours}.png")
        self.page.emulate_media(color_scheme="light")
        if was:
            self.page.set_viewport_size(was)

    def _check(self, where: str) -> None:
        if not self.page.evaluate("typeof axe === 'object'"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run().then((r) => r.violations)")
        shown = [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]
        assert not shown, f"{where}: {json.dumps(shown, indent=1)}"


@dataclass
class House:
    """A server, and who visits it.

    Args:
        server: The server.
        browser: Chromium.
        stack: Closes what is opened.
        workspace: Its owner's.
    """

    server: Server
    browser: "Browser"
    stack: ExitStack
    workspace: Workspace
    visitors: list[Visitor] = field(default_factory=list)

    def connect(self) -> Wire:
        """Return a wire to the server that can be cut."""
        return self.stack.enter_context(closing(Wire(self.server.url)))

    def visit(self, url: str | None = None, **options: Any) -> Visitor:
        """Return somebody with a browser of their own; where they find the server, options of a browser's context."""
        context: BrowserContext = self.browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | options))
        context.set_default_timeout(PATIENCE * 1000)
        self.stack.callback(context.close)
        visitor = Visitor(context.new_page(), url or self.server.url)
        self.watch(visitor)
        return visitor

    def watch(self, visitor: Visitor) -> None:
        """Note what the browser complains of, and which servers it asks."""
        page, told, asked = visitor.page, visitor.told, visitor.asked

        def note(message: "ConsoleMessage") -> None:
            if message.type in ("error", "warning"):
                told.append(message.text)

        page.on("console", note)
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("request", lambda request: asked.add("/".join(request.url.split("/")[:3])))
        self.visitors.append(visitor)


Open = Callable[..., House]
"""Opens a house: a script of the model, and variables of the server."""


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def house(tmp_path: Path, chromium: "Browser") -> Iterator[Open]:
    """Opens servers, each with what its model says; at the end nobody may have asked a foreign server."""
    with ExitStack() as stack:
        opened: list[House] = []

        def open_house(
            *script: Any,
            prepare: Callable[[Mapping[str, str]], None] | None = None,
            serve: Serve = own_serving,
            **env: str,
        ) -> House:
            model = stack.enter_context(openai_stub(*(script or (say_what_is_kept,))))
            told = folders(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="k", OPENAI_BASE_URL=model.url)
            told |= {"OPENAI_MODEL": "one", "ANA_AUTONOMY": "confirm"} | env
            if prepare:
                prepare(told)
            server = stack.enter_context(serve(told, tmp_path / "server.log"))
            opened.append(House(server, chromium, stack, open_workspace(load_settings(told))))
            return opened[-1]

        yield open_house
        for visitor in (visitor for each in opened for visitor in each.visitors):
            assert visitor.asked <= {visitor.url}, "a foreign server was asked"
            assert not [text for text in visitor.told if not text.startswith(QUIET)]
