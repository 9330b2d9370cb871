"""One turn, for every door that runs the graph itself."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from langchain_core.messages import ToolMessage
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Interrupt, StateSnapshot

from ana.errors import AnaError, UserError
from ana.handles import Handles
from ana.logs import name_log
from ana.settings import Autonomy
from ana.text import check_text
from ana.threads.ports import PATIENCE, owning
from ana.translation import _, speaking
from app.messages import UserMessage
from app.outcome import (
    CutShort,
    Done,
    NotShown,
    Outcome,
    Waiting,
    config_of,
    describe_unforeseen,
    read_done,
    read_open,
    read_waiting,
    require_waiting,
    thread_of_state,
)
from graph.builder import open_graph
from graph.context import LocalContext
from graph.replies import mark_answered, save_reply, was_stopped
from graph.updates import keep_usable
from nodes.history import is_answered, this_turn
from nodes.requests import read_message, read_reply, read_request
from nodes.short_replies import read_short_reply
from nodes.turns import (
    DROPPED,
    STOPPED,
    build_input,
    close_turn,
    find_turn,
    find_unanswered,
    refuse_calls,
)
from nodes.typed import make_message

_log = logging.getLogger(__name__)
Event = dict[str, Any]
Listener = Callable[[Event], None]


def _ignore(_: Event) -> None: ...


class Assistant:
    """Reads conversations, and runs turns on a graph with a saver, one at a time in a thread.

    Args:
        graph: The compiled graph, with its saver.
        program: The name of this process in messages of other processes.
        patience: Seconds to wait for a thread in which another door works.
    """

    def __init__(
        self,
        handles: Handles,
        graph: "CompiledStateGraph[Any, Any, Any, Any]",
        program: str = "ana",
        patience: float = PATIENCE,
    ) -> None:
        self.handles = handles
        self._graph = graph
        self._store = handles.workspace.open_thread_store()
        self._locks = handles.workspace.open_locks()
        self._program = program
        self._patience = patience
        self.autonomy: Autonomy | None = None
        """How much is done without asking; None for the setting."""

    def find_open_turn(self, thread_id: str) -> Waiting | CutShort | None:
        """Return the thread's last turn if it has not ended.

        Unless the caller owns the thread, a turn that runs elsewhere at this moment looks as if it were cut short.
        """
        with self._store.map_errors(), self.handles.workspace.recent.enter():
            return self._open_turn(self._read(thread_id))

    def find_last_turn(self, thread_id: str) -> Outcome | None:
        """Return the outcome of the thread's last turn, even if it has not ended; None if the thread has no turn."""
        with self._store.map_errors(), self.handles.workspace.recent.enter():
            state = self._read(thread_id)
            if unfinished := self._open_turn(state):
                return unfinished
            messages, turn = this_turn(state.values.get("messages", [])), state.values.get("turn")
            return read_done(self.handles, thread_id, turn, messages) if messages and turn else None

    def ask(
        self,
        question: str | UserMessage,
        thread_id: str,
        max_steps: int | None = None,
        on_event: Listener = _ignore,
        request_id: str | None = None,
    ) -> Done | Waiting:
        """Run a turn, or let a waiting turn of this thread go on. A turn that was cut short is finished first; if it
        then waits, its request is returned and the question is not put, as that would reject a request that nobody saw.

        A yes or a no decides the request that was shown. The first other message is not carried out: the request is
        shown again and says so. The next one ends the waiting turn, with a record, and an event {"ended": sentence}.

        Args:
            question: The message; if it is a plain text, it is unknown which part was pasted.
            max_steps: Most model calls; None for the setting.
            on_event: Called with every draft piece and tool call as it happens.
            request_id: The request that this door has shown the person last in this thread.

        Raises:
            NotShown: The message says yes or no to a request that was not shown; nothing was done.
            UserError: The turn could not run; the thread takes the next message all the same.
        """
        message = UserMessage(question, None) if isinstance(question, str) else question
        if not message.text.strip():
            raise UserError("There is no question.", "Say something.")
        check_text(message.text, UserError)
        with self._own(thread_id):
            state = self._read(thread_id)
            if isinstance(self._open_turn(state), CutShort):
                finished = self._finish(state, _ignore)
                if isinstance(finished, Waiting):
                    return finished
                state = self._read(thread_id)
            if unanswered := find_unanswered(state):
                request, waits = read_request(unanswered[0]), find_turn(state, self.handles.clock).get("asked")
                if read_short_reply(message.text) and request_id != unanswered[0].id:
                    raise NotShown(read_waiting(state, unanswered[0], self.handles.clock), request_id)
                if reply := read_message(message.text, request, waits):
                    return self._reply(state, unanswered[0], reply, max_steps, on_event)
                on_event({"ended": self._end_waiting(state, unanswered[0])})
            return self._run({"messages": [make_message(message.text, message.pasted)]}, thread_id, max_steps, on_event)

    def finish(self, thread_id: str, on_event: Listener = _ignore) -> Done | Waiting | None:
        """Go on with a turn that was cut short; nothing is written twice. Return None if the thread has no such turn.

        A waiting turn is left alone: only a reply or a new message may end it. A turn that a person stopped is ended.
        """
        with self._own(thread_id):
            state = self._read(thread_id)
            return self._finish(state, on_event) if isinstance(self._open_turn(state), CutShort) else None

    def drop(self, thread_id: str) -> str:
        """End a waiting turn without a decision; return the sentence that closes it.

        Raises:
            NotWaiting: No turn of this conversation waits.
        """
        with self._own(thread_id):
            state = self._read(thread_id)
            return self._end_waiting(state, require_waiting(state)[0], DROPPED)

    def rewrite(self, thread_id: str, change: Callable[[Any], dict[str, Any]], beside: Callable[[], object]) -> None:
        """Replace the state of a conversation, and keep no earlier state; a waiting or interrupted turn is ended first.

        Args:
            change: Returns the update of the state; not called if the conversation has no state.
            beside: Called while nobody else can work in the conversation.
        """
        with self._own(thread_id):
            state = self._read(thread_id)
            if state.values:
                self._end_open(state, STOPPED)
                self._graph.update_state(config_of(thread_id), change(self._read(thread_id).values), as_node="reflect")
                cast("Any", self._graph.checkpointer).prune([thread_id])
            beside()

    def resume(
        self,
        thread_id: str,
        reply: Any,
        request_id: str | None,
        max_steps: int | None = None,
        on_event: Listener = _ignore,
    ) -> Done | Waiting:
        """Go on with a waiting turn.

        Args:
            reply: {"decisions": [...]}, or a shorter form (`read_reply`); for a request in another shape, any value
                that the asking node accepts.
            request_id: The request that was shown to the person; if it is None, unknown, nothing is done.
            max_steps: Most model calls in the whole turn; None for the setting.

        Raises:
            NotWaiting: No turn of this conversation waits.
            NotShown: The turn waits for the reply to another request, which the error names.
            WrongReply: The reply does not answer the request.
        """
        with self._own(thread_id):
            state = self._read(thread_id)
            interrupt = require_waiting(state)[0]
            if request_id != interrupt.id:
                raise NotShown(read_waiting(state, interrupt, self.handles.clock), request_id)
            return self._reply(state, interrupt, read_reply(reply, read_request(interrupt)), max_steps, on_event)

    def _open_turn(self, state: StateSnapshot) -> Waiting | CutShort | None:
        return read_open(self._graph.checkpointer, state, self.handles.clock)

    def _read(self, thread_id: str) -> StateSnapshot:
        state = self._graph.get_state(config_of(thread_id))
        return state._replace(values=keep_usable(state.values))

    def _finish(self, state: StateSnapshot, on_event: Listener) -> Done | Waiting | None:
        """Go on with a turn that was cut short; None if a person had stopped it, and it is ended now."""
        if was_stopped(self._graph.checkpointer, state):
            self._end_open(state, STOPPED)
            return None
        return self._run(build_input(state), thread_of_state(state), None, on_event)

    def _reply(
        self, state: StateSnapshot, interrupt: Interrupt, reply: Any, max_steps: int | None, on_event: Listener
    ) -> Done | Waiting:
        new = {interrupt.id: reply}
        save_reply(self._graph.checkpointer, state, new)
        return self._run(build_input(state, new), thread_of_state(state), max_steps, on_event)

    def _run(self, inputs: Any, thread_id: str, max_steps: int | None, on_event: Listener) -> Done | Waiting:
        context = LocalContext(max_steps=max_steps, autonomy=self.autonomy, opened=self.handles, on_event=on_event)
        try:
            # the output holds the whole turn, so that nothing is read from the disk again when it is done
            ended = self._graph.invoke(
                inputs,
                config_of(thread_id),
                context=context,
                durability="sync",
                output_keys=["messages", "turn"],
                version="v2",
            )
        except KeyboardInterrupt:
            self._end_open(self._read(thread_id), STOPPED)
            raise
        except AnaError as exc:
            self._end_open(self._read(thread_id), exc.message)
            raise
        except self._store.errors:
            raise
        except Exception as exc:  # a turn that is left open would begin again, and fail again, each time
            _log.exception("a turn failed in a way that was not foreseen")
            why, log = describe_unforeseen(exc), name_log(self.handles.workspace.person)
            self._end_open(self._read(thread_id), why)
            raise UserError(why, f"{log} tells where it happened; the next message works.") from exc
        if ended.interrupts:
            state = self._read(thread_id)
            return read_waiting(state, find_unanswered(state)[0], self.handles.clock)
        return read_done(self.handles, thread_id, ended.value["turn"], this_turn(ended.value["messages"]))

    def _end_waiting(self, state: StateSnapshot, interrupt: Interrupt, why: str = "") -> str:
        """End a turn that nobody replied to; return the sentence that closes it."""
        weighed = find_turn(state, self.handles.clock).get("asked")
        closing, answers = refuse_calls(state.values["messages"], None if weighed else read_request(interrupt))
        self._end(state, why or closing, answers)
        mark_answered(self._graph.checkpointer, state)
        return _(why or closing)

    def _end_open(self, state: StateSnapshot, why: str) -> None:
        """End a turn that was stopped or failed, so that the thread takes the next message and the trace has it."""
        messages = this_turn(state.values.get("messages", []))
        if state.tasks and messages and not is_answered(messages):
            self._end(state, why)

    def _end(self, state: StateSnapshot, why: str, answers: Sequence[ToolMessage] = ()) -> None:
        messages, thread_id = this_turn(state.values["messages"]), thread_of_state(state)
        turn = find_turn(state, self.handles.clock)
        added, turn = close_turn(self.handles, turn, messages, why, thread_id, answers)
        # all of the turn: of what its last step wrote, a state that is read has all, and one that is updated nothing
        ended = {"messages": [*messages, *added], "turn": turn, "draft": ""}
        self._graph.update_state(config_of(thread_id), ended, as_node="reflect")

    @contextmanager
    def _own(self, thread_id: str) -> Iterator[None]:
        """Keep every other door out of the thread, including those of this process."""
        with (
            speaking(self.handles.settings.language),
            self._store.map_errors(),
            self.handles.workspace.recent.enter(),
            owning(self._locks.lock(thread_id, self._program, self._patience)),
        ):
            yield


@contextmanager
def open_assistant(handles: Handles, program: str = "ana", patience: float = PATIENCE) -> Iterator[Assistant]:
    """Open an assistant on the handles' data folder. Arguments as of `Assistant`, errors as of `open_graph`."""
    try:
        with open_graph(handles) as graph:
            yield Assistant(handles, graph, program, patience)
    finally:
        handles.memory.close()
