"""Work that is repeated in a separate thread while an ana program runs."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ana.errors import AnaError
from ana.files import FILE_ERRORS
from ana.stopping import Stoppable, working

PASSING: tuple[type[Exception], ...] = (AnaError, *FILE_ERRORS)
"""What may be over when it is tried again: another program is at it, or the disk is full."""

END_SECONDS = 5.0
"""How long the end waits for what is stopped."""

_log = logging.getLogger(__name__)


@contextmanager
def repeat_meanwhile(
    name: str, look: Callable[[], float | None], seconds: float, end: float = END_SECONDS
) -> Iterator[None]:
    """Call something again and again while the context is open; a failure that may pass is logged.

    Args:
        name: A word for the things that it looks at, in the plural, for the log.
        look: May return the seconds after which there is something to do.
        seconds: How long to wait at most between two calls.
        end: How many seconds the end waits for a call.
    """
    ended, work = Event(), Stoppable()

    def keep_looking() -> None:
        with working(work):
            while not ended.is_set():
                soon = None
                try:
                    soon = look()
                except PASSING as exc:
                    if not ended.is_set():
                        _log.warning("%s could not be looked at: %s", name, exc)
                ended.wait(seconds if soon is None else min(seconds, soon))

    thread = Thread(target=keep_looking, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        work.stop()
        thread.join(end)
