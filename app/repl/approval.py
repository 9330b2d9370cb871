"""Show the request that a conversation waits for, and read a yes or no."""

from typing import TYPE_CHECKING, Literal

from ana.errors import StoreBusy, WrongReply
from app.show.text import say

if TYPE_CHECKING:
    from app.outcome import Done, Waiting
    from app.turn import Assistant, Listener

Decision = Literal["approve", "reject"]
DECISIONS: dict[str, Decision] = {"y": "approve", "yes": "approve", "n": "reject", "no": "reject"}


class Approval:
    """Keeps the request that was shown last, so that a yes is given to nothing else.

    It asks with the next line instead of a prompt of its own: commands work meanwhile, an empty line leaves it
    waiting, and any other text is a new message.
    """

    def __init__(self) -> None:
        self._shown: Waiting | None = None

    def look(self, assistant: "Assistant", thread_id: str) -> None:
        """Show what a conversation waits for when it is opened."""
        from app.outcome import Waiting

        self._shown = None
        waiting = assistant.find_open_turn(thread_id)
        if isinstance(waiting, Waiting):
            say("This conversation waits for your decision.")
            self.show(waiting)

    def show(self, outcome: "Done | Waiting") -> None:
        """Show an answer with its changes, or a request."""
        from app.outcome import Waiting
        from app.show.answers import show_answer
        from app.show.request import show_request

        self._shown = outcome if isinstance(outcome, Waiting) else None
        if not isinstance(outcome, Waiting):
            show_answer(outcome)
            return
        show_request(outcome.request)
        say("y does it, n does not; a new message ends it.")

    def read(self, line: str) -> Decision | None:
        """Return the decision that a line is while a request is shown; None for a message."""
        return DECISIONS.get(line.strip().lower()) if self._shown else None

    def resume(self, assistant: "Assistant", decision: Decision, on_event: "Listener") -> "Done | Waiting":
        """Decide on everything that was shown.

        Raises:
            NotWaiting: Somebody else decided, or something else is asked meanwhile.
        """
        from app.reply import decide_all

        assert self._shown is not None
        shown = self._shown
        try:
            return assistant.resume(
                shown.thread_id, decide_all(shown.request, decision), shown.request_id, on_event=on_event
            )
        except (StoreBusy, WrongReply):
            raise  # it still waits
        except BaseException:
            self.forget()  # the turn has ended, or something else is asked
            raise

    def forget(self) -> None:
        """Take the next line as a message: another conversation begins."""
        self._shown = None
