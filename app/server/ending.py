"""The server that `ana serve` runs: when it is told to end, it ends soon, even while requests and runs are at work."""

import signal
from types import FrameType

import uvicorn

GRACE_SECONDS = 2
"""How long requests that are being answered may go on when the server is told to end."""

END_SECONDS = 4.5
"""When the process is gone, however it hangs: a thread that computes, a disk, a model, a lock. What was acknowledged is
on the disk by then, and what was not is left as after a kill."""


class Server(uvicorn.Server):
    """Ends in time."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if hasattr(signal, "setitimer"):  # by the system, which needs neither this thread nor Python's lock
            signal.setitimer(signal.ITIMER_REAL, END_SECONDS)
