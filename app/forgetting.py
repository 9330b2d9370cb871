"""Forgetting: a message with its answer, or an item or a line, taken out of everything that is kept here.

Whole turns go: the one that is named, or those that wrote or show the record. Each store is asked to give up what it has
of them, the journal last, as it tells what else to look for. A note of the ids stands meanwhile: whoever opens the
conversations next finishes what was cut short. Each step can be taken twice.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from ana.errors import NotFound
from ana.handles import DataHandles
from ana.memory.backend import RecordKey, to_key
from ana.memory.changes import KINDS
from ana.output import quote
from ana.threads.ids import TRASHED
from ana.tracing.lines import ID
from ana.tracing.port import Traces
from ana.tracing.schema import Record
from ana.workspace import Workspace
from app.mentions import Mentions, list_texts, name_unreached, remove_lines, remove_typed
from app.privacy import describe_leaving
from app.show.confirm import can_ask, confirm, require_consent
from app.show.text import pluralize, say, show_moment
from app.turn import Assistant
from nodes.history import split_turns

MOST_NAMED = 10
"""How many of a kind are named before they are asked about."""

TITLES = ("This goes:", "This was stored with it, and stays:", "The same words still stand in:", "Out of reach:")
"""Before each part of what the person is told."""

QUOTED = 60
"""Characters of each."""

_KEPT = frozenset("id ts message previous usage cost_usd thread_id model provider durations format".split())
"""What the record of a forgotten turn keeps."""

_EMPTY: dict[str, Any] = {"answer": "", "decisions": [], "error": None}
_OF_RECORD = _EMPTY | {"steps": []}
_OF_STATE = _EMPTY | {"receipt": "", "corrections": [], "checks": [], "asked": None, "approved": {}, "given": []}
"""What stands in place of what was said and done, in a record and in the turn of a state."""


@dataclass(frozen=True)
class Plan:
    """What is to be forgotten, and what the person is told before it is.

    Args:
        day: When, by the person's clock.
        named: The turns that were named, by their ids; the others follow from the records.
        records: Items and lines.
        turns: The records of all turns that go, each attempt.
        threads: The conversations that hold them.
        trashed: Deleted conversations that do, which go as a whole; by their ids in the trash.
        texts: What was said, and what the records are or were.
        forgets: A line for each thing that goes.
        stored: The records that the turns wrote besides, each with a line.
        stays: A line for each place where the same words still stand.
        unreached: A sentence for each place that cannot be reached from here.
    """

    day: str
    named: Collection[str]
    records: Collection[RecordKey]
    turns: Sequence[Record]
    threads: Collection[str]
    trashed: Collection[str]
    texts: Collection[str]
    forgets: Sequence[str]
    stored: dict[RecordKey, str]
    stays: Sequence[str]
    unreached: Sequence[str]

    @property
    def question(self) -> str:
        """What stands in place of a forgotten message."""
        return f"(forgotten on {self.day})"

    def to_json(self) -> dict[str, list[str]]:
        """Return what the person is told."""
        told = (self.forgets, self.stored.values(), self.stays, self.unreached)
        return {name: [*lines] for name, lines in zip(("forgets", "stored", "stays", "unreached"), told, strict=True)}


def make_plan(handles: DataHandles, name: str, *, with_items: bool = False) -> Plan:
    """Find what is forgotten with a message or a record.

    Args:
        name: The id of a turn or of an item, or "line 3".
        with_items: Whether the records go too that the turns wrote.

    Raises:
        NotFound: There is none such.
    """
    key = to_key(name)
    record = handles.traces.find(name) if ID.fullmatch(name) else None
    named, records = set[str](), set[RecordKey]()
    if record and record["id"] == name:
        named.add(name)
    elif handles.memory.record(*key) or any(entry.change.key == key for entry in handles.memory.history(id=key[1])):
        records.add(key)
    else:
        hint = "`ana threads show` names messages by their ids, `ana items` items."
        raise NotFound(f"There is no message, item or line {name!r:.60}.", hint)
    plan = _complete(handles, named, records)
    return _complete(handles, named, records | plan.stored.keys()) if with_items and plan.stored else plan


def carry_out(assistant: Assistant, plan: Plan) -> None:
    """Forget what a plan says. Raises StoreBusy if another program works in one of the conversations."""
    handles, workspace = assistant.handles, assistant.handles.workspace
    note = workspace.note("forgetting")
    note.write(json.dumps({"turns": [*plan.named], "records": [*map(_name, plan.records)]}))
    mentions = Mentions({*plan.texts, *(id for _, id in plan.records)})
    remove_typed(workspace.typed_file, mentions, {record["question"].strip() for record in plan.turns})
    remove_lines(workspace, mentions)
    for thread in plan.threads:
        blank = partial(_blank, plan)
        assistant.rewrite(thread, partial(_leave_out, plan, thread), partial(handles.traces.change, thread, blank))
    workspace.open_threads().purge(plan.trashed)
    workspace.storage.forget_runs(plan.threads)
    if plan.records:
        with handles.memory.backend.alone():  # nobody restores a record before it is erased
            for kind, id in plan.records:
                if handles.memory.record(kind, id):
                    handles.memory.delete(id) if kind == "item" else handles.memory.delete_line(int(id))
            handles.memory.backend.erase(plan.records)
        workspace.open_ledger().forget({id for kind, id in plan.records if kind == "item"})
    note.remove()


def finish(assistant: Assistant) -> bool:
    """Forget what a process began to forget that ended meanwhile; return whether there was something."""
    if not (text := assistant.handles.workspace.note("forgetting").read()):
        return False
    begun = json.loads(text)
    carry_out(assistant, _complete(assistant.handles, {*begun["turns"]}, {*map(to_key, begun["records"])}))
    return True


def ask_and_forget(assistant: Assistant, name: str, *, with_items: bool = False, yes: bool = False) -> None:
    """Tell what goes and what stays, ask, and forget it.

    Args:
        yes: Whether the person has said yes beforehand.

    Raises:
        UserError: There is none such, the person does not agree, or nobody can be asked.
        StoreBusy: Another program works in one of the conversations.
    """
    plan = make_plan(assistant.handles, name, with_items=with_items)
    for title, lines in zip(TITLES, plan.to_json().values(), strict=True):
        for line in (title, *(f"- {line}" for line in lines)) if lines else ():
            say(line)
    if plan.stored and not yes and can_ask() and confirm("Forget what was stored, too?"):
        plan = make_plan(assistant.handles, name, with_items=True)
    require_consent("This cannot be undone. Forget it?", yes=yes, done="forgotten")
    carry_out(assistant, plan)
    say("Forgotten.")


def _complete(handles: DataHandles, named: set[str], keys: set[RecordKey]) -> Plan:
    memory, clock, store = handles.memory, handles.clock, handles.workspace.open_thread_store()
    entries = [entry for _, id in keys for entry in memory.history(id=id) if entry.change.key in keys]
    ids = {id for kind, id in keys if kind == "item"}
    turns = [*_find_turns(handles.traces, named | {entry.turn for entry in entries}, ids)]
    needles = [id.encode() for id in (*ids, *_list_messages(turns))]
    held = store.find_mentions(lambda data: any(needle in data for needle in needles)) if needles else set[str]()
    trashed = {id for id in held if id.startswith(TRASHED)}
    wrote = [e.change for id in {turn["id"] for turn in turns} for e in memory.history(turn=id)]
    stored = {c.key: _describe(handles, c.key) for c in wrote if c.key not in keys and memory.record(*c.key)}
    texts = {turn["question"] for turn in turns if "forgotten" not in turn} | list_texts(entries)
    shown = {turn["id"]: f"the message {_cut(turn['question'])} of {show_moment(turn['ts'], clock)}" for turn in turns}
    forgets = [f"{each}, with its answer" for each in _name_some(shown.values(), "message")]
    forgets += [_describe(handles, key) for key in sorted(keys)]
    forgets += [f"{pluralize(len(trashed), 'deleted conversation')} in the trash"] if trashed else []
    stays = _name_some(_find_words(handles, Mentions(texts), keys | stored.keys(), shown), "place")
    return Plan(
        day=clock.now().date().isoformat(),
        named=named,
        records=keys,
        turns=turns,
        threads=(held - trashed) | {turn["thread_id"] for turn in turns},
        trashed=trashed,
        texts=texts,
        forgets=forgets,
        stored=stored,
        stays=stays,
        unreached=_list_unreached(handles.workspace),
    )


def _find_turns(traces: Traces, turns: Collection[str], ids: Collection[str]) -> Iterator[Record]:
    """Yield the records of turns, by their ids, and of those that show items, each with every other attempt."""
    for thread in traces.ids():
        text = traces.read_text(thread)
        if not any(id in text for id in (*turns, *ids)):
            continue
        attempts = [*traces.iter_attempts(thread)]
        meant = [each for each in attempts if each["id"] in turns or _shows(each, ids)]
        messages = {*_list_messages(meant), *(each["id"] for each in meant)}
        yield from (each for each in attempts if messages & {each["id"], each.get("message")})


def _shows(value: object, ids: Collection[str]) -> bool:
    text = repr(value) if ids else ""
    return any(id in text for id in ids)


def _list_messages(turns: Collection[Record]) -> set[str]:
    return {id for turn in turns if (id := turn.get("message"))}


def _find_words(
    handles: DataHandles, words: Mentions, keys: Collection[RecordKey], turns: Collection[str]
) -> Iterator[str]:
    """Yield what still has the words: records but these, turns but these."""
    memory, traces = handles.memory, handles.traces
    for kind in KINDS:
        for each in memory.backend.scan(kind):
            if (kind, each.id) not in keys and words.are_in(json.dumps([each.content, each.properties]).encode()):
                yield _describe(handles, (kind, each.id))
    for thread in traces.ids():
        if words.are_in(traces.read_text(thread).encode()):
            for turn in traces.read(thread):
                if turn["id"] not in turns and words.are_in(json.dumps(turn).encode()):
                    yield f"the message {turn['id']}, {_cut(turn['question'])}"


def _describe(handles: DataHandles, key: RecordKey) -> str:
    record = handles.memory.record(*key)
    told = f", {_cut(record.content)}" if record else ""
    return f"{'the item ' if key[0] == 'item' else ''}{_name(key)}{told}"


def _name(key: RecordKey) -> str:
    return key[1] if key[0] == "item" else f"line {key[1]}"


def _cut(text: str) -> str:
    return quote(text, QUOTED)


def _name_some(lines: Collection[str] | Iterator[str], noun: str) -> list[str]:
    every = [*lines]
    left = len(every) - MOST_NAMED
    return every if left < 1 else [*every[:MOST_NAMED], f"{left} more {noun}{'s' * (left > 1)}"]


def _list_unreached(workspace: Workspace) -> list[str]:
    leaving = describe_leaving(workspace.settings, local=False)
    told = [f"What was sent stays where it went: {leaving}."] if leaving else []
    told += ["The database's logs and dumps may hold them."] if workspace.has_database else []
    return told + name_unreached(workspace)


def _blank(plan: Plan, record: Record) -> Record:
    """Return what is left of a record: of a forgotten turn when it was, and what it cost; of others no summary."""
    known = cast(dict[str, Any], record)
    if record["id"] in {turn["id"] for turn in plan.turns}:
        day = record.get("forgotten", plan.day)
        kept = {name: value for name, value in known.items() if name in _KEPT}
        return cast(Record, kept | _OF_RECORD | {"question": f"(forgotten on {day})", "forgotten": day})
    if replay := known.get("replay"):
        return cast(Record, known | {"replay": replay | {"summary": ""}})
    return record


def _leave_out(plan: Plan, thread: str, state: Any) -> dict[str, Any]:
    """Return what is new in a conversation's state: a mark for each forgotten turn, no summary in which one may be."""
    said = _list_messages([turn for turn in plan.turns if turn["thread_id"] == thread])
    ids = {id for kind, id in plan.records if kind == "item"} | _list_messages(plan.turns)
    unnamed = {turn["question"] for turn in plan.turns if not turn.get("message")}  # as an earlier version recorded it
    turns = split_turns(state["messages"])

    def is_meant(messages: Sequence[AnyMessage]) -> bool:
        return _shows(messages, ids) or messages[0].text in unnamed

    kept = [each for turn in turns for each in (_mark(plan, turn) if is_meant(turn) else turn)]
    new = {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept], "draft": "", "replies": {}}
    if not said or not said <= {turn[0].id for turn in turns}:  # else the summary is of turns before these
        new["summary"] = ""
    if turn := state.get("turn"):
        replay = turn.get("replay")
        left = _OF_STATE | {"question": plan.question} if _shows(turn, ids) else {}
        new["turn"] = turn | left | ({"replay": replay | {"summary": ""}} if replay else {})
    return new


def _mark(plan: Plan, turn: Sequence[AnyMessage]) -> list[BaseMessage]:
    """Return what stands for a turn: clients know its first message, and a model takes no empty answer."""
    return [HumanMessage(plan.question, id=turn[0].id), AIMessage("(forgotten)", id=turn[-1].id)]
