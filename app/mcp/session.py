"""What another assistant does on a person's store: its calls, weighed as ours are, each an act that can be undone."""

import json
import secrets
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.runtime import ExecutionInfo, Runtime

from ana.handles import Handles
from ana.memory.digests import line_digest
from ana.models.fence import FENCE
from app.mcp.again import Again
from graph.context import Context, LocalContext
from graph.state import Asked, Loaded, State
from nodes.autonomy.batch import read_batch
from nodes.autonomy.request import digest_write, make_request
from nodes.autonomy.unspoken import weigh_unspoken
from nodes.autonomy.weigh import Asking, Batch
from nodes.autonomy.weighed import ChangedSinceWeighed, bind
from nodes.calls import ReadCall, read_call
from nodes.evidence import list_calls
from nodes.execute_tools import run_call
from nodes.history import receipts
from nodes.receipt import render_receipt
from nodes.turns import new_turn, write_record
from tools.catalog import CONTEXT_TOOLS

MOST_REMEMBERED = 50
"""Calls whose results count as in view: a client's own window of them is not known."""

CALL = "-call"
"""How the id of a call ends; that of its turn comes before."""

TURN = "mcp-"
"""How the turn of a call begins; the client's name follows."""


class Session:
    """The calls of one client, one at a time, in a conversation of their own.

    Args:
        handles: The store, and where records are kept.
        client: The client's name, as it tells it.
        began: The moment, as it stands in the conversation's name.
    """

    def __init__(self, handles: Handles, client: str, began: str) -> None:
        self.handles = handles
        self.client = client
        self._began = began
        self._thread = ""
        self._turns: deque[list[AnyMessage]] = deque(maxlen=MOST_REMEMBERED)
        self._lines: dict[str, str] = {}
        """Digests of the lines of Global Context that the client has seen, by number."""
        self._again = Again(handles.workspace.calls_folder, client)
        self._lock = threading.Lock()

    @property
    def thread(self) -> str:
        """The id of the conversation, which has a name for lists."""
        if not self._thread:
            threads = self.handles.workspace.open_threads()
            self._thread = threads.remember(f"{self.client} {self._began} {secrets.token_hex(2)}")
        return self._thread

    def read_lines(self) -> dict[int, str]:
        """Return Global Context; the client has seen it then, and may change it."""
        lines = self.handles.memory.lines()
        self._lines = {str(number): line_digest(text) for number, text in lines.items()}
        return lines

    def call(
        self, name: str, args: Mapping[str, Any], approved: Mapping[str, str] | None = None
    ) -> ToolMessage | Asked:
        """Run a call, and keep a record of it. One that asks is not run.

        Args:
            name: The tool.
            args: Its arguments.
            approved: What the person has approved, as in a request's `digests`.

        Returns:
            The answer, or what the person is to be asked.
        """
        with self._lock, self._again.open(name, args) as act:
            state, runtime = self._build(name, args, f"{TURN}{self.client}-{act}")
            for _ in range(3):  # what changed since it was weighed is weighed again
                read = read_call(state, runtime, _last(state), 0)
                batch = self._read_batch(state, runtime, read)
                asking = [each for each in weigh_unspoken(batch) if not _is_approved(each, approved)]
                if asking:
                    return make_request(asking, "", date.fromisoformat(state["turn"]["ts"][:10]))
                touched = [each for write in batch.writes for each in write.touched]
                try:
                    answer = run_call(read, bind(read.context, touched), runtime.context)
                except ChangedSinceWeighed:
                    continue
                self._keep(state, answer)
                return answer
            raise ChangedSinceWeighed(name)

    def keep_waiting(self, name: str, args: Mapping[str, Any], asked: Asked) -> str:
        """Let a call wait for the person's decision, wherever they give it. Return the request's id.

        Args:
            name: The tool.
            args: Its arguments.
            asked: What the person is asked.
        """
        from app.pending import keep_waiting

        state, _ = self._build(name, args, asked["calls"][0].removesuffix(CALL))
        said, message = state["messages"][-2:]
        turn = state["turn"] | {"asked": asked, "question": said.text}
        waiting: Any = {**state, "messages": [said, message], "turn": turn}
        return keep_waiting(self.handles, waiting, f"{self.client} {self._began} asks {secrets.token_hex(2)}")

    def see(self, *texts: str) -> None:
        """Note stored texts that the client has read, which may order something."""
        self._turns.append([ToolMessage(json.dumps({"texts": texts}), tool_call_id="read")])

    def close(self) -> None:
        """End the session: its last call was answered."""
        self._again.close()

    def _build(self, name: str, args: Mapping[str, Any], id: str) -> tuple[State, Runtime[Context]]:
        said = HumanMessage(f"{self.client}: {name}", id=f"{id}-said")
        call = ToolCall(name=name, args=dict(args), id=f"{id}{CALL}", type="tool_call")
        message = AIMessage("", id=f"{id}-message", tool_calls=[call])
        turn = new_turn(id, {"messages": [said]}, self.handles.clock)
        turn |= {"id": id, "question": "", "shown": self._lines}
        loaded = Loaded(now="", vocabulary="", lines=self.handles.memory.lines())
        earlier = [each for messages in self._turns for each in messages]
        state: Any = {"messages": [*earlier, said, message], "turn": turn, "draft": "", "loaded": loaded}
        info = ExecutionInfo("", "", "", thread_id=self.thread)
        return state, Runtime(context=LocalContext(opened=self.handles), execution_info=info)

    def _read_batch(self, state: State, runtime: Runtime[Context], call: ReadCall) -> Batch:
        """Return what is weighed: changes of the whole session count, as those of a turn do in the graph."""
        done = receipts(state["messages"])
        made = frozenset(str(each["id"]) for each in done if each["op"] == "create")
        changed = frozenset(str(each["id"]) for each in done if each["op"] == "update") - made
        return replace(read_batch(state, runtime, [call]), changed=changed, ids=made)

    def _keep(self, state: State, answer: ToolMessage) -> None:
        answer.additional_kwargs[FENCE] = secrets.token_hex(4)
        said, message = state["messages"][-2:]
        turn, messages = state["turn"], [said, message, answer]
        self._turns.append(messages)
        if answer.name in CONTEXT_TOOLS:  # their client wrote what stands there now
            self.read_lines()
        receipt = render_receipt([*list_calls(messages)], said.text)
        closed = turn | {"question": said.text, "answer": receipt or "", "receipt": receipt}
        write_record(self.handles, closed, messages, self.thread)


def _last(state: State) -> AIMessage:
    message = state["messages"][-1]
    assert isinstance(message, AIMessage)
    return message


def _is_approved(asking: Asking, approved: Mapping[str, str] | None) -> bool:
    return digest_write(asking.write) in (approved or {}).values()
