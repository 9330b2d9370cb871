"""Requests for which nobody could be asked at once: each waits as a turn of a conversation, like any other request."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ana.handles import Handles
from ana.models.base import StreamingModel, to_chunk
from ana.threads.threads import Threads
from app.outcome import Waiting, config_of
from app.turn import Assistant
from graph.builder import open_graph
from graph.context import LocalContext
from graph.state import State
from nodes.turns import find_unanswered


class ClosingModel(StreamingModel):
    """Ends a turn after the person's decision; the receipt below the answer says what was done."""

    @property
    def _llm_type(self) -> str:
        return "closing"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=to_chunk(AIMessage("That was decided.")))


def keep_waiting(handles: Handles, state: State, name: str) -> str:
    """Let a turn wait for a person in a conversation of its own, which every door shows. Return the request's id.

    If a request waits in that conversation already, it stays, and its id is returned.

    Args:
        state: The turn with its request; its calls have not run.
    """
    config = config_of(handles.workspace.open_threads().remember(name))
    with open_graph(handles) as graph:
        if waiting := find_unanswered(graph.get_state(config)):
            return waiting[0].id
        fields = {key: state[key] for key in ("messages", "turn", "draft")}
        graph.update_state(config, fields, as_node="execute_tools")
        graph.invoke(None, config, context=LocalContext(opened=handles), durability="sync")
        return graph.get_state(config).interrupts[0].id


@dataclass(frozen=True)
class Pending:
    """A request that waits.

    Args:
        name: The conversation's name, or its id.
        since: How long it has waited: 5 min, 3 h, 2 days.
    """

    name: str
    since: str
    waiting: Waiting


def list_pending(assistant: Assistant, threads: Threads) -> Iterator[Pending]:
    """Yield the requests that wait for a decision in any conversation, the newest first."""
    names = threads.store.names()
    for id, since in threads.waiting().items():
        waiting = assistant.find_open_turn(id)
        if isinstance(waiting, Waiting):
            yield Pending(names.get(id, id), since, waiting)
