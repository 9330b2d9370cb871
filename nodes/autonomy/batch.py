"""Read the batch that is weighed: the calls that are left, the records they touch, and what the model has in view."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.runtime import Runtime

from ana.errors import ToolError
from ana.memory.authors import is_told
from ana.memory.backend import Backend
from ana.memory.changes import Change, Kind
from ana.memory.digests import line_digest
from ana.memory.memory import Memory
from ana.memory.search.tokens import fold_tag
from ana.tracing.schema import INVALID
from ana.values import Properties, iter_texts, read_json
from graph.context import Context, context_of
from graph.state import State
from nodes.autonomy.own_tools import needs_no_question
from nodes.autonomy.weigh import Batch
from nodes.autonomy.words import Words
from nodes.autonomy.writes import Touched, Write
from nodes.calls import ReadCall
from nodes.history import previous_turn, receipts, shown_before, this_turn
from nodes.load_context import loaded_of
from tools.arguments import quote_message
from tools.call import CallContext
from tools.catalog import TOOLS, WRITERS, catalog
from tools.undo import find_own_undo, preview_undo

_STORED_WORDS = {
    "undo": "changes",  # the ids of turns are no words
    **dict.fromkeys(("create_item", "append_context", "replace_context", "delete_context"), "similar"),
    **dict.fromkeys(("calculator", "now", "resolve_date"), ""),
}
"""Tools whose results hold nothing that their calls or the prompt did not hold, except under a name."""


def read_batch(state: State, runtime: Runtime[Context], calls: Iterable[ReadCall]) -> Batch:
    """Return what is weighed before calls run; those that cannot run are left out."""
    handles, done = context_of(runtime).handles, receipts(this_turn(state["messages"]))
    writes, made = list[Write](), {str(each["id"]) for each in done if each["op"] == "create"}
    for call in calls:
        if call.name in TOOLS and call.name not in WRITERS:
            continue
        if not _has_run(call) and (write := read_write(call, handles.settings.tools_modules)):
            writes.append(write)
    view, lines, read, shown = _find_view(state["messages"]), dict[int, str](), list[str](), list[tuple[str, str]]()
    question = state["turn"]["question"]
    if writes:
        loaded = loaded_of(state, handles)
        overdue, lines = loaded.get("overdue", {}), loaded["lines"]
        read = [state.get("summary", ""), *overdue.values(), *iter_texts([*iter_results(view)])]
        shown = [*overdue.items(), *((str(line), text) for line, text in lines.items())]
    return Batch(
        message=question,
        writes=_mark_shared(writes, Words(question), handles.memory.backend),
        lines=lines,
        read=read,
        changed=frozenset(str(each["id"]) for each in done if each["op"] == "update") - made,
        deleted=sum(each["op"] == "delete" and each["kind"] == "item" for each in done),
        dial=context_of(runtime).dial,
        before=shown_before(state["messages"]),
        ids=frozenset(str(each["id"]) for each in done),
        latest=frozenset(str(each["id"]) for each in receipts(previous_turn(state["messages"]))),
        sought=[*iter_sought(this_turn(state["messages"]))],
        told=lambda: _find_told([*shown, *_iter_records(view)], handles.memory),
        waited=_find_waited(previous_turn(state["messages"]), handles.memory),
        today=date.fromisoformat(state["turn"]["ts"][:10]),
    )


def _find_view(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return what the model had read when it made the calls that wait: not the results of others of these calls."""
    last = next((n for n in reversed(range(len(messages))) if not isinstance(messages[n], ToolMessage)), -1)
    return [*messages[: last + 1]]


def read_write(call: ReadCall, modules: tuple[str, ...]) -> Write | None:
    """Return a call as it is weighed; None if it asks by itself or cannot run: its record is not there, say."""
    id, name, args, context = call.id, call.name, call.args, call.context
    if call.fault:
        return None
    if name == "create_item":  # the person is shown the text, not a reference to it
        try:
            args = args | {"content": quote_message(args["content"], context.message)}
        except ToolError:
            return None
    if name not in TOOLS:
        return None if needs_no_question(catalog(modules)[name]) else Write(id, name, args, own=True)
    if name == "undo":
        changes = preview_undo(context, args.get("turn"))
        return Write(id, name, args, tuple(map(_foresee, changes)))
    if name in ("create_item", "append_context"):
        return Write(id, name, args)
    touched = _read_touched(name, args, context)
    return Write(id, name, args, (touched,)) if touched else None


def _foresee(change: Change) -> Touched:
    """Return the record of a change that an undo would make."""
    return Touched(change.kind, change.id, change.before, change.op == "delete", change.after)


def _read_touched(name: str, args: dict[str, Any], context: CallContext) -> Touched | None:
    kind: Kind = "item" if name.endswith("_item") else "line"
    id = str(args["id" if kind == "item" else "line"])
    now = context.memory.record(kind, id)
    if now is None or (kind == "line" and (context.shown or {}).get(int(id)) != line_digest(now.content)):
        return None
    return Touched(kind, id, now, name.startswith("delete"))


def _has_run(call: ReadCall) -> bool:
    """Whether a call ran before a crash: what it touched is no longer what was approved."""
    context = call.context
    if call.name == "undo" and find_own_undo(context):
        return True
    return bool(context.cause and context.memory.backend.find_change(context.cause.key))


def iter_results(messages: Sequence[AnyMessage]) -> Iterator[Any]:
    """Yield what every result in view holds that was not made from its own call."""
    # also those of earlier turns: the model still reads them
    for message in messages:
        if isinstance(message, ToolMessage):
            try:
                yield _take_stored(message, read_json(message.text))
            except ValueError:
                yield message.text


def _find_waited(turn: Sequence[AnyMessage], memory: Memory) -> dict[str, str]:
    """Return the items that are there although calls of a turn were to delete them, by id, each with its words."""
    answers = {each.tool_call_id: each.status for each in turn if isinstance(each, ToolMessage)}
    calls = (call for message in turn if isinstance(message, AIMessage) for call in message.tool_calls)
    failed = (c["args"] for c in calls if c["name"] == "delete_item" and answers.get(str(c["id"])) == "error")
    records = (memory.record("item", str(args.get("id"))) for args in failed)
    return {each.id: " ".join((each.content, *iter_texts(each.properties))) for each in records if each}


def _find_told(shown: Sequence[tuple[str, str]], memory: Memory) -> frozenset[str]:
    """Return those texts that are of records which the person told; each is given with the id of its record."""
    with memory.backend.reading() if shown else nullcontext():  # one hold of the folder for all of them
        told = {id: is_told(memory.history(id=id)) for id in dict.fromkeys(id for id, _ in shown)}
    return frozenset(text for id, text in shown if told[id])


def _iter_records(messages: Sequence[AnyMessage]) -> Iterator[tuple[str, str]]:
    """Yield the id and each text of the records in our own tools' results; others may give anything for an id."""
    ours = (each for each in messages if isinstance(each, ToolMessage) and each.name in TOOLS)
    for value in iter_results([*ours]):
        yield from _iter_with_id(value)


def _iter_with_id(value: Any, id: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and id:
        yield id, value
    elif isinstance(value, list | dict):
        own = value.get("id", id) if isinstance(value, dict) else id
        for part in value.values() if isinstance(value, dict) else value:
            yield from _iter_with_id(part, str(own))


def iter_sought(turn: Sequence[AnyMessage]) -> Iterator[str]:
    """Yield what the first calls of a turn look for; whatever is looked for later may be what a result suggested."""
    first = next((message for message in turn if isinstance(message, AIMessage)), None)
    for call in first.tool_calls if first else ():
        if call["name"] == "query_items":
            yield str(call["args"].get("text") or "")


def _take_stored(message: ToolMessage, result: Any) -> Any:
    """Return what a result may hold that neither its call nor the prompt held; our errors name tools in their hints."""
    ours = message.name in TOOLS or message.name == INVALID
    name = "similar" if message.status == "error" else _STORED_WORDS.get(message.name or "")
    if not ours or name is None:
        return result
    return result.get(name) if isinstance(result, dict) else None


def _mark_shared(writes: Sequence[Write], said: Words, backend: Backend) -> list[Write]:
    """Return the writes with those values of their properties that the message has and other items have too.

    Whoever says one has named none of the items. Those that the batch is about to make count as well, whether the
    model stores them before it destroys or after; the store is asked only for what the message says.
    """
    made = Counter(value for write in writes if write.name == "create_item" for value in _fold_all(write.given))

    @cache
    def count_stored(key: str) -> Counter[str]:
        counted = Counter[str]()
        for value, count in backend.list_values(key):
            if isinstance(value, str):
                counted[fold_tag(value)] += count
        return counted

    def find_shared(write: Write) -> Iterator[str]:
        own = _fold_all(write.given if write.name == "create_item" else write.before)
        for key, text in (*_iter_values(write.given), *_iter_values(write.before)):
            value = key, fold_tag(text)
            if said.mention(text) and count_stored(key)[value[1]] + made[value] > (value in own):
                yield text

    return [replace(write, shared=frozenset(find_shared(write))) for write in writes]


def _iter_values(properties: Properties) -> Iterator[tuple[str, str]]:
    return ((key, text) for key, value in properties.items() for text in iter_texts(value))


def _fold_all(properties: Properties) -> set[tuple[str, str]]:
    return {(key, fold_tag(text)) for key, text in _iter_values(properties)}
