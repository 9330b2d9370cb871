"""Runs of the server that are stopped while a model is asked."""

import contextvars
import threading
import time
from collections.abc import Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from ana.errors import AnaError, TurnStopped
from ana.models.call import complete
from ana.stopping import present
from ana.threads.runs import Run

PROMPT = 40.0
"""Seconds that a loaded machine may take for what takes milliseconds; what is stopped here would take minutes."""

PATIENCE = 300.0
"""Seconds after which what a test waits for, and only has to happen, is said to have failed."""


class StoppableRun:
    """Something that a run of the server does in a thread, until the run is stopped."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.run = Run(None)
        self.failure: AnaError | None = None
        self._act = act
        self._thread = threading.Thread(target=contextvars.copy_context().run, args=(self._work,), daemon=True)
        self._thread.start()

    def _work(self) -> None:
        present.set(self.run)
        try:
            self._act()
        except AnaError as exc:
            self.failure = exc

    def stop(self) -> None:
        """Stop the run; what it does must end with TurnStopped."""
        assert self._thread.is_alive(), self.failure
        self.run.close()
        self._thread.join(PROMPT)
        assert not self._thread.is_alive()
        assert isinstance(self.failure, TurnStopped)


def call(model: BaseChatModel, on_text: Callable[[str], None] | None = None, said: str = "hello") -> StoppableRun:
    return StoppableRun(lambda: complete(model, [HumanMessage(said)], "one", on_text=on_text))


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for what has to happen before something is stopped, such as a start, however long that takes."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
