"""A person's sessions, one for each client that uses their store. Only imports for the first answers are here."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from anyio import CapacityLimiter

from ana.errors import AnaError
from ana.files import FILE_ERRORS

if TYPE_CHECKING:
    from ana.handles import Handles
    from app.mcp.session import Session

MOST = 20
"""Most sessions per person: a client over HTTP may give any name."""

MOST_THREADS = 16
"""Most calls of a person in threads at once; others wait without one, because all people share forty threads."""


class Sessions:
    """One person's sessions, on one store.

    Args:
        open_handles: Opens the store; called once, in a thread.
        date: Returns the part of a conversation's name after the client; each value has its own session.
    """

    def __init__(self, open_handles: "Callable[[], Handles]", date: Callable[[], str]) -> None:
        self.limiter = CapacityLimiter(MOST_THREADS)
        self._open_handles = open_handles
        self._date = date
        self._opened: Handles | None = None
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._preparing: threading.Thread | None = None

    def find(self, client: str) -> "Session":
        """Return a client's session. Errors as of `open_handles`."""
        from app.mcp.session import Session

        handles, name = self._open(), f"{client} {self._date()}"
        with self._lock:
            session = self._sessions.pop(name, None) or Session(handles, client, name)
            self._sessions[name] = session
            for forgotten in [*self._sessions][:-MOST]:
                self._sessions.pop(forgotten).settle()
            return session

    def prepare(self) -> None:
        """Start opening the store before it is needed; a call reports problems."""
        if self._preparing is None:
            self._preparing = threading.Thread(target=self._prepare)
            self._preparing.start()

    def close(self) -> None:
        """End every session, and close the store."""
        if self._preparing:
            self._preparing.join()  # SQLite ends the process if its connection is closed while another thread reads
        with self._lock:
            for session in self._sessions.values():
                session.settle()
            if self._opened:
                self._opened.memory.close()

    def _open(self) -> "Handles":
        with self._lock:
            self._opened = self._opened or self._open_handles()
            self._opened.workspace.whereabouts.refresh(self._opened.clock)
            return self._opened

    def _prepare(self) -> None:
        with suppress(AnaError, *FILE_ERRORS):
            self._open().prepare_search()
