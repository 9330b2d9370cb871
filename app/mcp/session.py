"""Calls of another assistant on a person's store: weighed like ana's own, each an act that can be undone."""

import json
import logging
import secrets
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, timedelta
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.runtime import ExecutionInfo, Runtime

from ana.errors import AnaError, RecordChanged, ToolError
from ana.files import FILE_ERRORS
from ana.handles import Handles
from ana.memory.authors import find_author, name_turn_of
from ana.memory.changes import Entry, Kind
from ana.memory.digests import digest_content, digest_line
from ana.memory.item import Item
from ana.memory.sources import name_assistant
from ana.models.fence import FENCE
from ana.stopping import check_stopped
from ana.values import read_json
from app.assistants import RIGHTS, list_rights
from app.mcp.views import note_view, read_last_view
from graph.context import Context, LocalContext
from graph.state import Loaded, OpenRequest, State, Turn
from nodes.autonomy.request import digest_write, make_request
from nodes.autonomy.weigh import Batch, list_effects, weigh
from nodes.autonomy.writes import read_write
from nodes.calls import ReadCall, answer_error, read_call
from nodes.evidence import list_calls
from nodes.execute_tools import ChangedSinceWeighed, bind, run_call
from nodes.receipt import render_receipt
from nodes.turns import make_record, make_turn
from nodes.view import SourcedText, keep_others, list_texts, read_results
from tools.arguments import read_properties
from tools.catalog import CONTEXT_TOOLS, READERS, TOOLS

MINUTE = timedelta(minutes=1)
"""The period that limits records written without asking, and in which the same words are written once."""

ATTEMPTS = 3
"""How often a call is weighed again when its record changes meanwhile."""

ADDS: dict[str, Kind] = {"create_item": "item", "append_context": "line"}
"""The tools that add a record, by its kind."""

RECEIPT = "receipt"
"""Key in an answer's `additional_kwargs` for what its call wrote, in words."""

UNWRITTEN: tuple[type[Exception], ...] = (AnaError, *FILE_ERRORS)
"""Errors that prevent writing a record."""

_log = logging.getLogger(__name__)


class Session:
    """The calls of one client, one at a time, in a separate conversation.

    Args:
        handles: The store, and the storage of records.
        client: The name that the client gives.
        name: The conversation's name.
    """

    def __init__(self, handles: Handles, client: str, name: str) -> None:
        self.handles = handles
        self.client = client
        self.count = 0
        """The number of calls so far."""
        self._name = name
        self._last: list[AnyMessage] = []
        """The call before, and its answer."""
        self._lines: dict[str, str] = {}
        """Digests of the lines of Global Context that the client has seen, by number."""
        self._unwritten: list[tuple[Turn, list[AnyMessage], str]] = []
        """Records to write after the answer was sent, because the disk is slow."""
        self._lock = threading.Lock()

    @cached_property
    def thread(self) -> str:
        """The id of the conversation, which also has a name for lists."""
        return self.handles.workspace.open_threads().remember(self._name)

    def read_lines(self) -> dict[int, str]:
        """Return Global Context, and note that the client has seen it and may change it."""
        memory = self.handles.memory
        lines = memory.lines()
        self._see_lines(lines.items())
        self.see(memory.backend.get_many("line", [*map(str, lines)]).values())
        return lines

    def read_item(self, id: str) -> Item:
        """Return an item, and note that the client has read it.

        Raises:
            NoSuchItem: It does not exist.
        """
        item = self.handles.memory.get(id)
        self.see([item])
        return item

    def see(self, records: Iterable[Item]) -> None:
        """Note records that the client has read, which may contain text by others."""
        self._note(text for record in records for text in list_texts(record))

    def call(self, name: str, args: Mapping[str, Any], approved: Collection[str] = ()) -> ToolMessage | OpenRequest:
        """Run a call and record it. A call that asks first is not run.

        Args:
            approved: Approved digests, from a request's `digests`.

        Returns:
            The answer, or the question for the person.

        Raises:
            ToolError: ana has no such tool. The person's own tools act outside and are not offered here.
        """
        if name not in TOOLS:
            raise ToolError(f"There is no tool {name!r:.60}.", f"The tools are: {', '.join(TOOLS)}.")
        with self._lock, self.handles.workspace.recent.enter():
            self.count += 1
            check_stopped()  # it may have been cancelled while it waited for the one before
            return self._attempt(name, args, approved)

    def keep_waiting(self, name: str, args: Mapping[str, Any], request: OpenRequest) -> str:
        """Store a call until the person decides in any program. Return the request's id.

        Args:
            request: The question for the person. A repeated question waits only once.
        """
        from app.pending import keep_waiting

        seal = "".join(request["digests"].values())
        with self._lock, self.handles.workspace.recent.enter():
            state, *_ = self._build(name, args, request["calls"][0].rpartition("-")[0])
            turn = state["turn"] | {"asked": request, "question": state["messages"][-2].text}
            waiting: Any = {**state, "messages": state["messages"][-2:], "turn": turn}
            return keep_waiting(self.handles, waiting, f"{self.client} asks {seal[:16]}")

    def settle(self) -> None:
        """Write the records of answered calls."""
        with self._lock:
            unwritten, self._unwritten = self._unwritten, []
        try:
            records = [make_record(self.handles, *each) for each in unwritten]
            self.handles.traces.write(*records)  # at once: the disk is waited for once
        except UNWRITTEN as exc:  # the calls were answered, and the journal has what they wrote
            turns = ", ".join(turn["id"] for turn, *_ in unwritten)
            _log.warning("the records of these turns were not written: %s: %s", turns, exc)

    def _attempt(self, name: str, args: Mapping[str, Any], approved: Collection[str]) -> ToolMessage | OpenRequest:
        turn = name_turn_of(self.client, secrets.token_hex(5))
        for _ in range(ATTEMPTS):  # what changed since it was weighed is weighed again
            state, runtime, message = self._build(name, args, turn)
            read = read_call(state, runtime, message, 0)
            if unread := self._find_unread_line(read):
                return answer_error(read.id, name, unread)
            if stored := self._find_stored(read):
                return self._keep(state, tell_already(read, stored))
            batch = self._read_batch(read, runtime.context)
            self._require_right(name, batch)
            if unapproved := [each for each in weigh(batch) if digest_write(each.write) not in approved]:
                return make_request(unapproved, self.handles.clock.now().date())
            check_stopped()
            touched = [each for write in batch.writes for each in write.touched]
            try:
                context = bind(read.context, touched, name_assistant(self.client))
                answer = run_call(read, context, runtime.context)
            except ChangedSinceWeighed:
                continue
            return self._keep(state, answer)
        return answer_error(read.id, name, RecordChanged("item", str(args.get("id", ""))))

    def _build(self, name: str, args: Mapping[str, Any], id: str) -> tuple[State, Runtime[Context], AIMessage]:
        """Return the state of a turn that consists of the call, its run, and the message with the call."""
        question = HumanMessage(f"{self.client}: {name}", id=f"{id}-said")
        call = ToolCall(name=name, args=dict(args), id=f"{id}-call", type="tool_call")
        message = AIMessage("", id=f"{id}-message", tool_calls=[call])
        turn = make_turn(id, {"messages": [question]}, self.handles.clock)
        turn |= {"id": id, "question": "", "shown": self._lines}
        turn.pop("previous", None)  # a call takes no other's place in the trace, as a question that is edited does
        lines = {} if name in READERS else self.handles.memory.lines()  # what only reads is not weighed by them
        loaded = Loaded(now="", vocabulary="", lines=lines)
        state: Any = {"messages": [*self._last, question, message], "turn": turn, "draft": "", "loaded": loaded}
        info = ExecutionInfo("", "", "", thread_id=self.thread)
        return state, Runtime(context=LocalContext(opened=self.handles), execution_info=info), message

    def _read_batch(self, call: ReadCall, context: Context) -> Batch:
        """Return the batch to weigh: the call, and text by others that this person's assistants got recently."""
        write = read_write(call, context.handles.settings.tools_modules)
        if write is None:
            return Batch([], context.dial)
        text = read_last_view(self.handles.workspace, self.handles.clock.now())
        written = {entry.change.key for entry in self._list_written()}
        return Batch([write], context.dial, [text] if text else [], written=len(written))

    def _require_right(self, name: str, batch: Batch) -> None:
        """Raise ToolError if the person does not allow the client to do this."""
        right = list_rights(self.handles.workspace, [self.client])[self.client]
        deletes = name == "delete_context" or any("deletes" in list_effects(write, batch) for write in batch.writes)
        if name not in READERS and (right == "read" or (right == "write" and deletes)):
            hint = "Tell them; they change that on the page, under Assistants. Do not try it in another way."
            raise ToolError(f"The person wants that {self.client} {RIGHTS[right]}.", hint)

    def _list_written(self) -> list[Entry]:
        """Return the client's journal entries of the last minute."""
        since = (self.handles.clock.now() - MINUTE).astimezone(UTC).isoformat(timespec="microseconds")
        return [entry for entry in self.handles.memory.history(since=since) if find_author(entry.turn) == self.client]

    def _find_stored(self, call: ReadCall) -> Item | None:
        """Return the unchanged record that the client added in the same words within the last minute."""
        content, properties = call.args.get("content"), call.args.get("properties")
        if call.fault or call.name not in ADDS or not isinstance(content, str):
            return None
        wanted = digest_content(content, read_properties(properties, call.context.today))
        changes = [entry.change for entry in self._list_written()]
        added = [each.id for each in changes if each.before is None and each.kind == ADDS[call.name]]
        stored = self.handles.memory.backend.get_many(ADDS[call.name], added).values()
        return next((each for each in stored if digest_content(each.content, each.properties) == wanted), None)

    def _find_unread_line(self, call: ReadCall) -> ToolError | None:
        """Return why a call cannot change an unread line. It quotes the line, so that the next try may."""
        number = call.args.get("line")
        if number is None or str(number) in self._lines or (text := self.handles.memory.lines().get(number)) is None:
            return None
        self._see_lines([(number, text)])
        hint = 'The resource ana://context, or `fetch` with the id "context", has every line with its number.'
        return ToolError(f"Line {number} was not read in this session. It reads: {text}", hint)

    def _see_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        self._lines |= {str(number): digest_line(text) for number, text in lines}

    def _note(self, texts: Iterable[SourcedText]) -> None:
        """Note text by others among the text sent to the client, except its own."""
        own = name_assistant(self.client)
        if others := [each for each in keep_others(texts) if each.source != own]:
            note_view(self.handles.workspace, others[-1], self.handles.clock.now())

    def _keep(self, state: State, answer: ToolMessage) -> ToolMessage:
        """Keep a call and its record; return its answer."""
        answer.additional_kwargs[FENCE] = secrets.token_hex(4)
        self._last = [*state["messages"][-2:], answer]
        if answer.name in READERS:
            self._note(read_results([answer], self.handles.memory))
        if answer.name in CONTEXT_TOOLS and answer.status == "success":
            self._see_lines(_find_lines(read_json(answer.text)))
        question = self._last[0].text
        receipt = render_receipt([*list_calls(self._last)])
        answer.additional_kwargs[RECEIPT] = "\n".join(line.removeprefix("- ") for line in receipt.splitlines())
        closed = state["turn"] | {"question": question, "answer": receipt, "receipt": receipt}
        self._unwritten.append((closed, self._last, self.thread))
        return answer


def tell_already(call: ReadCall, stored: Item) -> ToolMessage:
    """Return the answer to a call that repeats what the client added a moment ago; nothing is written."""
    is_line = call.name in CONTEXT_TOOLS
    row = {"line": int(stored.id), "content": stored.content} if is_line else call.context.show(stored)
    text = json.dumps(row | {"already": True}, ensure_ascii=False)
    return ToolMessage(text, name=call.name, tool_call_id=call.id, id=f"{call.id}-result")


def _find_lines(result: Any) -> Iterator[tuple[int, str]]:
    """Yield the lines of Global Context that a result contains in their current wording."""
    if isinstance(result, dict) and {"line", "content"} <= result.keys():
        yield int(result["line"]), str(result["content"])
    nested = result.values() if isinstance(result, dict) else result if isinstance(result, list) else ()
    for each in nested:
        yield from _find_lines(each)
