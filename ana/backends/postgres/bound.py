"""What a thread does in one transaction."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ana.postgres.session import Session


class Bound(threading.local):
    """The transaction in which a thread does everything until it ends."""

    session: Session | None = None
    writes = False

    @contextmanager
    def bind(self, session: Session, *, writes: bool) -> Iterator[None]:
        self.session, self.writes = session, writes
        try:
            yield
        finally:
            self.session, self.writes = None, False
