"""A turn that runs only once, even if several programs try, or if it is interrupted."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from langchain_core.messages import AIMessage, AnyMessage

from ana.handles import Handles
from app.messages import UserMessage
from app.outcome import CutShort, Waiting, read_waiting
from app.turn import Assistant
from graph.builder import open_graph
from nodes.history import call_ids, split_turns
from nodes.turns import find_unanswered
from nodes.typed import make_message


class Asker(Assistant):
    """Asks routines: it only proposes writes, and does not wait for a thread in which another door works."""

    def ask_once(self, question: UserMessage, thread_id: str, name: str) -> AIMessage | Waiting:
        """Run a turn that must not be run twice; return its answer, or the request with which it waits.

        It is run again only if it ended with an error. An earlier waiting turn is ended, with a record.

        Args:
            name: A name that identifies the message in the thread.

        Raises:
            StoreBusy: Another door works in the thread.
            UserError: The turn could not run; the thread takes the next message all the same.
        """
        with self._own(thread_id):
            state = self._read(thread_id)
            if isinstance(self._open_turn(state), CutShort):
                self._finish(state, lambda _: None)
                state = self._read(thread_id)
            attempts = _list_attempts(state.values.get("messages", []), name)
            if attempts and (answer := attempts[-1]) and not answer.response_metadata.get("ana_error"):
                return answer
            if unanswered := find_unanswered(state):
                if attempts and attempts[-1] is None:
                    return read_waiting(state, unanswered[0], self.handles.clock)
                self._end_waiting(state, unanswered[0])
            message = make_message(question.text, question.pasted, f"{name}-{len(attempts)}")
            outcome = self._run({"messages": [message]}, thread_id, None, lambda _: None)
            if isinstance(outcome, Waiting):
                return outcome
            return AIMessage(outcome.answer, response_metadata={"ana_error": outcome.error} if outcome.error else {})


@contextmanager
def open_asker(handles: Handles) -> Iterator[Asker]:
    """Open an asker on handles that stay in use elsewhere. Errors as of `graph.builder.open_graph`."""
    with open_graph(handles) as graph:
        asker = Asker(handles, graph, "a routine", patience=0.0)
        asker.autonomy = "advise"
        yield asker


def _list_attempts(messages: Sequence[AnyMessage], name: str) -> list[AIMessage | None]:
    """Return the outcomes of all turns of a repeated message, in order; None for an open turn."""
    answers: list[AIMessage | None] = []
    for turn in split_turns(messages):
        if str(turn[0].id).startswith(f"{name}-"):
            ended = turn[-1]
            answers.append(ended if isinstance(ended, AIMessage) and not call_ids(ended) else None)
    return answers
