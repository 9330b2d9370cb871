"""A request to the page in the form that its parts get, and the answer of a part."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.background import BackgroundTask
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ana.handles import Handles
from ana.keys import OWNER
from ana.memory.changes import Cause, make_edit
from ana.people import People
from ana.translation import mark_text
from app.page.forms import read_text
from app.server.guard import PAGE
from app.server.workspaces import OpenWorkspace

ACT = "act"
"""In an address, the turn that the page tells of."""


class NoSuchPage(HTTPException):
    """There is no page at this address, or this person is not told that there is."""

    def __init__(self) -> None:
        super().__init__(404, mark_text("There is no such page."))


class Page:
    """A whole page to draw.

    Args:
        template: One that extends layout.html.
        status: The status of the answer.
        headers: Further headers of the answer, beside those of every page.
        background: A task for the time after the answer was sent.
        values: Further values for the template, beside those of every page.
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
        request: The request itself.
        form: The submitted form; empty if a page is opened.
        known: The person's workspace; None if nobody has signed in.
        by: The act of this form, a separate turn.
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

    @property
    def is_owner(self) -> bool:
        """Whether the person is the owner of the deployment."""
        return bool(self.request.state.person == OWNER)

    def require_owner(self) -> None:
        """Raise NoSuchPage unless the person is the owner of the deployment."""
        if not self.is_owner:
            raise NoSuchPage

    @property
    def people(self) -> People:
        """The people of the deployment."""
        people: People = self.request.app.state.people
        return people

    @property
    def today(self) -> date:
        """The person's day."""
        return self.handles.clock.now().date()

    def read(self, name: str) -> str:
        """Return a field of the form, without spaces around it; empty if it is missing."""
        return read_text(self.form, name)

    def ask(self, name: str) -> str:
        """Return a value from the address's query, without spaces around it; empty if it is missing."""
        return self.request.query_params.get(name, "").strip()

    def find(self, name: str) -> str:
        """Return the part of the address's path that has this name in the route."""
        return str(self.request.path_params[name])

    def go_on(self, path: str) -> str:
        """Return the address to go on to, with a notice about the act."""
        return go_on(path, self.by.turn)

    def go_back(self, other: str, turn: str = "") -> str:
        """Return the address that the form names, with a notice about this act or about another turn.

        Args:
            other: The address to use if the form names no path of the page.
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
        turn: The act's turn; empty if nothing was done.
        query: Further parts of the address's query.
    """
    path, _, there = path.partition("?")
    kept = {name: value for name, value in parse_qsl(there) if name != ACT}
    asked = urlencode(kept | query | ({ACT: turn} if turn else {}))
    return f"{PAGE}{quote(path, safe='/-')}{'?' if asked else ''}{asked}"


def keep_here(path: str, other: str) -> str:
    """Return the named address if it is a path of the page, with its query; else the other one."""
    return path if path.startswith("/") and not path.startswith("//") else other
