"""One turn, for every door that runs the graph itself."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from ana.backends.chroma.index.tables import damaged
from ana.errors import AnaError, StoreBroken, UserError
from ana.handles import Handles
from ana.tracing.record import build_record, cost, list_steps
from ana.tracing.traces import Step
from ana.values import plain_text
from app.threads import thread_lock
from graph.builder import builder
from graph.checkpoints import open_saver, saver_path
from graph.context import LocalContext
from graph.state import Turn
from nodes.history import changes, this_turn
from nodes.load_context import new_turn
from tools.catalog import catalog

_log = logging.getLogger(__name__)
Event = dict[str, Any]
STOPPED = "Stopped."


@dataclass(frozen=True)
class Answer:
    """What a turn came to.

    Args:
        answer: The text for the person.
        thread_id: The conversation.
        trace_id: The id of the turn's record.
        trace_path: The file that holds it.
        steps: What happened.
        usage: Tokens: input_tokens, output_tokens, estimated.
        cost_usd: By the prices in the settings.
        changes: Receipts of every write, in order.
        error: Why the turn failed; None when it did not.
    """

    answer: str
    thread_id: str
    trace_id: str
    trace_path: str
    steps: list[Step]
    usage: dict[str, Any]
    cost_usd: float
    changes: list[dict[str, Any]]
    error: str | None

    def to_json(self) -> dict[str, Any]:
        """The object that `ask --json` and POST /ask give."""
        hidden = ("changes", "error")
        return {key: value for key, value in asdict(self).items() if key not in hidden}


class Assistant:
    """Runs turns on a graph with a saver, one at a time in a thread.

    Args:
        handles: The live handles.
        graph: The compiled graph, with its saver.
        program: How this process is called in another's message.
    """

    def __init__(self, handles: Handles, graph: "CompiledStateGraph[Any, Any, Any, Any]", program: str = "ana") -> None:
        self.handles = handles
        self._graph = graph
        self._program = program

    def ask(
        self,
        question: str,
        thread_id: str,
        max_steps: int | None = None,
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> Answer:
        """Run a turn.

        Args:
            question: What the person said.
            thread_id: The conversation.
            max_steps: Most model calls; None for the setting.
            on_event: Called with every draft piece and tool call as it happens.

        Raises:
            UserError: The turn could not run; the thread takes the next message all the same.
        """
        if not question.strip():
            raise UserError("There is no question.", "Say something.")
        with _kept(), self._owned(thread_id):
            return self._run({"messages": [HumanMessage(plain_text(question))]}, thread_id, max_steps, on_event)

    def unfinished(self, thread_id: str) -> str | None:
        """The question of a turn that a crash cut short, or None."""
        with _kept():
            state = self._graph.get_state(self._config(thread_id))
        messages = state.values.get("messages", [])
        return str(this_turn(messages)[0].text) if state.next and messages else None

    def finish(self, thread_id: str, on_event: Callable[[Event], None] = lambda _: None) -> Answer | None:
        """Go on with a turn that a crash cut short; what it had written is not written again. None where there is none.

        It is looked for only while the conversation is owned: a turn that runs elsewhere is not cut short.
        """
        with _kept(), self._owned(thread_id):
            return self._run(None, thread_id, None, on_event) if self.unfinished(thread_id) else None

    def _run(
        self, given: dict[str, Any] | None, thread_id: str, max_steps: int | None, on_event: Callable[[Event], None]
    ) -> Answer:
        config = self._config(thread_id)
        context = LocalContext(max_steps=max_steps, opened=self.handles, on_event=on_event)
        try:
            self._graph.invoke(given, config, context=context, durability="sync")
        except KeyboardInterrupt:
            self._close_turn(config, thread_id, STOPPED)
            raise
        except AnaError as exc:
            self._close_turn(config, thread_id, exc.message)
            raise
        except (sqlite3.Error, OSError):
            raise
        except Exception as exc:  # whatever it is: a turn left open would be begun again, and fail again, for ever
            _log.exception("a turn failed in a way that was not foreseen")
            why = f"Something went wrong that was not foreseen: {type(exc).__name__}: {exc}."
            self._close_turn(config, thread_id, why)
            raise UserError(why, "The next message works; the log tells where it happened.") from exc
        return self._answer(thread_id, config)

    def _answer(self, thread_id: str, config: RunnableConfig) -> Answer:
        values = self._graph.get_state(config).values
        turn: Turn = values["turn"]
        messages = this_turn(values["messages"])
        return Answer(
            answer=turn["answer"] or "",
            thread_id=thread_id,
            trace_id=turn["id"],
            trace_path=str(self.handles.traces.path(thread_id)),
            steps=list_steps(messages, turn["corrections"]),
            usage=dict(turn["usage"]),
            cost_usd=cost(turn["usage"], self.handles.settings),
            changes=changes(messages),
            error=turn["error"],
        )

    def _close_turn(self, config: RunnableConfig, thread_id: str, why: str) -> None:
        """End a turn that was stopped or failed, so that the thread takes the next message and the trace tells it."""
        state = self._graph.get_state(config)
        if not state.next or not state.values.get("messages"):
            return
        turn = _turn_of(state, self.handles) | {"answer": why, "error": why}
        ended = {"messages": [AIMessage(why, id=f"{turn['id']}-answer")], "turn": turn, "draft": ""}
        self._graph.update_state(config, ended, as_node="reflect")
        record = build_record(turn, this_turn(state.values["messages"]), thread_id, self.handles.settings)
        self.handles.traces.write(record)

    def _config(self, thread_id: str) -> RunnableConfig:
        return {"configurable": {"thread_id": thread_id}}

    @contextmanager
    def _owned(self, thread_id: str) -> Iterator[None]:
        """One process at a time in a thread."""
        lock = thread_lock(self.handles.settings, thread_id, self._program)
        lock.acquire()
        try:
            yield
        finally:
            lock.release()


@contextmanager
def open_assistant(handles: Handles, program: str = "ana") -> Iterator[Assistant]:
    """An assistant on the handles' data folder.

    Raises:
        ConfigError: A module of TOOLS_MODULES cannot be used.
    """
    try:
        catalog(handles.settings.tools_modules)
        with _kept(), open_saver(saver_path(handles.settings)) as saver:
            yield Assistant(handles, builder.compile(checkpointer=saver, name="ana"), program)
    finally:
        handles.memory.close()


def _turn_of(state: StateSnapshot, handles: Handles) -> Turn:
    """The turn that was cut short; one that had not begun is made up."""
    if state.next != ("load_context",) and "turn" in state.values:
        turn: Turn = state.values["turn"]
        return turn
    question = this_turn(state.values["messages"])[0]
    return new_turn(f"{state.config}/{question.id}", question.text, handles.clock)


@contextmanager
def _kept() -> Iterator[None]:
    """Map what the saver and the file system raise."""
    try:
        yield
    except (sqlite3.Error, OSError) as exc:
        hint = "Check that the disk has room and the data folder may be written."
        if isinstance(exc, sqlite3.DatabaseError) and damaged(exc):
            hint = "`ana doctor --repair` sets the damaged file aside; what was stored stays."
        raise StoreBroken(f"The conversation could not be kept: {exc}.", hint) from exc
