"""Runs of the server that are stopped while a model is asked."""

import contextvars
import threading
from collections.abc import Callable

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage

from ana.errors import AnaError, TurnStopped
from ana.models.call import complete
from ana.stopping import present
from ana.threads.runs import Run

PROMPT = 40.0
"""Seconds that a loaded machine may take for what takes milliseconds; what is stopped here would take minutes."""


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


def call(
    model: BaseChatModel, on_text: Callable[[str | None], None] | None = None, said: str = "hello"
) -> StoppableRun:
    return StoppableRun(lambda: complete(model, [HumanMessage(said)], "one", on_text=on_text))
