"""The server that `ana serve` runs: its connections, their greatest number and time, and its end in time."""

import asyncio
import signal
from contextlib import suppress
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 20.0
"""How long the headers of a request may take to arrive, and after its answer the rest of a body that nobody wanted."""

READ_SECONDS = 60.0
"""How long a client may take nothing of its answer while more of it waits."""

MOST_FILES = 65_536
"""Files and connections that are open at a time, where the system allows them; by default it allows 1,024."""


GRACE_SECONDS = 2
"""How long requests that are being answered may go on when the server is told to end."""

END_SECONDS = 4.5
"""When the process is gone, however it hangs: a thread that computes, a disk, a model, a lock. What was acknowledged is
on the disk by then, and what was not is left as after a kill."""


class Protocol(H11Protocol):
    """Closes a connection if a request does not arrive in time, or if its answer is not read. The library would wait
    without an end, so one client could open all possible connections and keep everybody out."""

    _waiting: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self._waiting, self._stuck):
            if timer:
                timer.cancel()

    def _wait(self) -> None:
        if self._waiting:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(SECONDS, self._look)

    def _look(self) -> None:
        is_over = self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY  # nobody wants the rest
        if self.conn.their_state is h11.IDLE or is_over:
            self.timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        if self.cycle:
            self.cycle.disconnected = True  # its body cannot be read on, and one answer is enough
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:  # the answer has begun
            self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stuck:
            self._stuck.cancel()


class Server(uvicorn.Server):
    """When it is told to end, it ends soon, even while requests and runs are at work."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if hasattr(signal, "setitimer"):  # by the system, which needs neither this thread nor Python's lock
            signal.setitimer(signal.ITIMER_REAL, END_SECONDS)


def allow_many_files() -> None:
    """Let this process open as many files as the system allows it."""
    with suppress(ImportError, ValueError, OSError):  # the first where the system counts none
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
