"""Opening the assistant in the background, so that typing can begin at once."""

import gc
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from contextvars import copy_context
from typing import TYPE_CHECKING

from ana.workspace import Workspace
from app.show.text import say

if TYPE_CHECKING:
    from app.turn import Assistant


class Opening:
    """Opens the assistant once, in a separate thread, and then loads the data for searches while nobody waits.

    Args:
        on_open: Called in that thread with the assistant, as soon as it can be used.
    """

    def __init__(self, workspace: Workspace, on_open: "Callable[[Assistant], None]") -> None:
        self._workspace = workspace
        self._on_open = on_open
        self._stack = ExitStack()
        self._worker = ThreadPoolExecutor(1)
        self._opened: Future[Assistant] | None = None
        self._awaited = False

    def start(self) -> None:
        """Begin to open; every call after the first does nothing."""
        self._begin()

    def wait(self) -> None:
        """Return when it is open, or has failed to open."""
        self._awaited = True
        wait([self._begin()])

    def assistant(self) -> "Assistant":
        """Wait for the assistant and return it.

        Raises:
            AnaError: It could not be opened.
        """
        self._awaited = True
        return self._begin().result()

    def __enter__(self) -> "Opening":
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened:
            wait([self._opened])
        self._worker.shutdown()
        self._stack.close()

    def _begin(self) -> "Future[Assistant]":
        self._opened = self._opened or self._worker.submit(copy_context().run, self._open)
        return self._opened

    def _open(self) -> "Assistant":
        gc.disable()  # what is loaded stays: looking for garbage in it takes a twentieth of the time
        try:
            from ana.handles import open_handles
            from app.forgetting.erasing import finish_at_start
            from app.reminding import ring_meanwhile
            from app.turn import open_assistant
            from prompts import decision_prompt

            handles = open_handles(self._workspace, "ana chat", instruct=decision_prompt)
            assistant = self._stack.enter_context(open_assistant(handles, "ana chat"))
            finish_at_start(assistant)
            self._on_open(assistant)
            if sys.stdin.isatty():  # in a pipe nobody waits
                self._stack.enter_context(ring_meanwhile(handles, say))
        finally:
            gc.freeze()
            gc.enable()
        if not self._awaited:
            self._worker.submit(handles.prepare_search)
        return assistant
