"""Opening the assistant in the background, so that typing can begin at once."""

import gc
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from ana.errors import AnaError
from ana.models.providers import embedding_destination
from ana.workspace import Workspace

if TYPE_CHECKING:
    from app.turn import Assistant


class Opening:
    """Opens the assistant once, in a thread of its own, and then loads what a search needs while nobody waits.

    Args:
        workspace: The person's.
        on_open: Called in that thread with the assistant, as soon as it can be used.
    """

    def __init__(self, workspace: Workspace, on_open: "Callable[[Assistant], None]") -> None:
        self._workspace = workspace
        self._on_open = on_open
        self._stack = ExitStack()
        self._assistant: Assistant | None = None
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._open, daemon=True)
        self._preparing = threading.Thread(target=self._prepare, daemon=True)
        self._awaited = False

    def start(self) -> None:
        """Begin to open; every call after the first does nothing."""
        if self._thread.ident is None:
            self._thread.start()

    def wait(self) -> None:
        """Return when it is open, or has failed to open."""
        self._awaited = True
        self.start()
        self._thread.join()

    def assistant(self) -> "Assistant":
        """Wait for the assistant and return it.

        Raises:
            AnaError: It could not be opened.
        """
        self.wait()
        if self._failure is not None:
            raise self._failure
        assert self._assistant is not None
        return self._assistant

    def __enter__(self) -> "Opening":
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.ident is not None:
            self._thread.join()
        if self._preparing.ident is not None:
            self._preparing.join()
        self._stack.close()

    def _open(self) -> None:
        gc.disable()  # what is loaded stays: looking for garbage in it takes a twentieth of the time
        try:
            from ana.handles import open_handles
            from app.turn import open_assistant
            from prompts import decision_prompt

            handles = open_handles(self._workspace, "ana chat", instruct=decision_prompt)
            self._assistant = self._stack.enter_context(open_assistant(handles, "ana chat"))
            self._on_open(self._assistant)
        except (AnaError, OSError) as exc:
            self._failure = exc  # raised again by whoever asks for the assistant: this thread has no listener
        else:
            if not self._awaited and embedding_destination(self._workspace.settings) is None:
                self._preparing.start()
        finally:
            gc.freeze()
            gc.enable()

    def _prepare(self) -> None:
        """Search once, so that encoder, words and vectors are in memory before anybody asks."""
        assert self._assistant is not None
        with suppress(AnaError, OSError):  # the person's own search will say what is wrong
            self._assistant.handles.memory.find("what is there", limit=1)
