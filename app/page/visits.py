"""A request to the page, as each of its parts gets it, and the answer of a part."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.background import BackgroundTask
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.handles import Handles
from ana.memory.changes import Cause, make_edit
from app.page.forms import read_text
from app.server.guard import PAGE
from app.server.workspaces import OpenWorkspace

ACT = "act"
"""In an address, the turn that the page tells of."""


class Page:
    """A whole page that is to be drawn.

    Args:
        template: One that extends layout.html.
        status: Of the answer.
        headers: Of the answer, beside those that every page has.
        background: What is done once it was sent.
        values: What the template shows beside what all of them have.
    """

    def __init__(
        self,
        template: str,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        background: BackgroundTask | None = None,
        **values: Any,
    ) -> None:
        self.template, self.values = template, values
        self.status, self.headers, self.background = status, headers or {}, background


@dataclass(frozen=True)
class Visit:
    """A person's request to the page.

    Args:
        request: As it came.
        form: What was sent; empty where a page is opened.
        known: The person's workspace; None where nobody has signed in.
        by: What is done by this form: a turn of its own.
    """

    request: Request
    form: FormData
    known: OpenWorkspace | None
    by: Cause = field(default_factory=make_edit)

    @property
    def opened(self) -> OpenWorkspace:
        """The person's workspace."""
        assert self.known
        return self.known

    @property
    def handles(self) -> Handles:
        return self.opened.handles

    def read(self, name: str) -> str:
        """Return a field of the form, without spaces around it; empty without one."""
        return read_text(self.form, name)

    def ask(self, name: str) -> str:
        """Return a value from the address's query, without spaces around it; empty if it is missing."""
        return self.request.query_params.get(name, "").strip()

    def find(self, name: str) -> str:
        """Return the part of the address's path that its route calls by this name."""
        return str(self.request.path_params[name])

    def go_on(self, path: str) -> str:
        """Return the address to go on to, with a notice of what was done."""
        return go_on(path, self.by.turn)

    def go_back(self, other: str, turn: str = "") -> str:
        """Return the address that the form names, with a notice of what was done, by this act or by another turn.

        Args:
            other: Where to go on if it names no path of the page.
        """
        return go_on(keep_here(self.read("next"), other), turn or self.by.turn)


Answer = Page | Response | str
"""A page, another answer, or where to go on."""

Part = Callable[[Visit], Answer | Awaitable[Answer]]
"""A part of the page. One that is no coroutine function runs in a thread."""


def go_on(path: str, turn: str = "", **query: str) -> str:
    """Return the address to go on to after an act.

    Args:
        path: A path of the page, without its base; it may have a query.
        turn: The act's turn; empty where nothing was done.
        query: What else stands in the address.
    """
    path, _, there = path.partition("?")
    kept = {name: value for name, value in parse_qsl(there) if name != ACT}
    asked = urlencode(kept | query | ({ACT: turn} if turn else {}))
    return f"{PAGE}{quote(path, safe='/-')}{'?' if asked else ''}{asked}"


def keep_here(path: str, other: str) -> str:
    """Return a path of the page that somebody names, with its query; another one for anything else."""
    return path if path.startswith("/") and not path.startswith("//") else other
