"""How conversations stand, for every door that runs the graph itself."""

from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from ana.handles import Handles
from app.outcome import CutShort, Outcome, Waiting, config_of, read_done, read_open
from graph.updates import keep_usable
from nodes.history import this_turn


class ThreadReader:
    """Reads conversations.

    Args:
        graph: The compiled graph, with its saver.
    """

    def __init__(self, handles: Handles, graph: "CompiledStateGraph[Any, Any, Any, Any]") -> None:
        self.handles = handles
        self._graph = graph
        self._store = handles.workspace.open_thread_store()

    def find_open_turn(self, thread_id: str) -> Waiting | CutShort | None:
        """Return the thread's last turn if it has not ended.

        Unless the caller owns the thread, a turn that runs elsewhere at this moment looks as if it were cut short.
        """
        with self._store.map_errors(), self.handles.workspace.recent.enter():
            return self._open_turn(self._read(thread_id))

    def find_last_turn(self, thread_id: str) -> Outcome | None:
        """Return how the thread's last turn ended, or as `find_open_turn` that it has not; None without one."""
        with self._store.map_errors(), self.handles.workspace.recent.enter():
            state = self._read(thread_id)
            messages, turn = this_turn(state.values.get("messages", [])), state.values.get("turn")
            is_open = self._open_turn(state)
            if is_open or not messages or not turn:
                return is_open
            return read_done(self.handles, thread_id, turn, messages)

    def _open_turn(self, state: StateSnapshot) -> Waiting | CutShort | None:
        return read_open(self._graph.checkpointer, state, self.handles.clock)

    def _read(self, thread_id: str) -> StateSnapshot:
        state = self._graph.get_state(config_of(thread_id))
        return state._replace(values=keep_usable(state.values))
