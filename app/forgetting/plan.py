"""The turns that are forgotten with a message or a record: the named turns, and the turns that wrote or show the
record.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ana.errors import NotFound
from ana.handles import DataHandles
from ana.memory.backend import RecordKey, to_key
from ana.memory.changes import KINDS
from ana.output import quote
from ana.threads.ids import TRASHED
from ana.tracing.lines import ID
from ana.tracing.port import Traces
from ana.tracing.schema import Record
from ana.translation import _, mark_plural, mark_text, ngettext
from ana.workspace import Workspace
from app.mentions import Mentions, list_texts, name_unreached
from app.privacy import describe_leaving
from app.show.text import show_moment

MOST_NAMED = 10
"""How many of a kind are named before they are asked about."""

TITLES = mark_text(
    ("This goes:", "This was stored with it, and stays:", "The same words still stand in:", "Out of reach:")
)
"""Before each part of what the person is told."""

_PLACES = mark_plural("{n} more place", "{n} more places")

QUOTED = 60
"""Characters of each."""


@dataclass(frozen=True)
class Plan:
    """The turns to forget, and a description for the person, who is asked before.

    Args:
        day: The day of forgetting, by the person's clock.
        named: The ids of the named turns; the other turns follow from the records.
        records: Items and lines.
        turns: The records of all turns to forget, with every attempt.
        threads: The conversations that contain these turns.
        trashed: Deleted conversations that contain these turns, by their ids in the trash; they are removed as a whole.
        texts: The texts of the turns, and all present and earlier texts of the records.
        forgets: A line for each thing that is removed.
        stored: Other records that the turns wrote, each with a line.
        stays: A line for each place that still contains the same words.
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

    @cached_property
    def items(self) -> set[str]:
        """The ids of the items."""
        return {id for kind, id in self.records if kind == "item"}

    @cached_property
    def messages(self) -> set[str]:
        """The ids of the messages that the turns answer."""
        return list_messages(self.turns)

    def means(self, record: Record) -> bool:
        """Return whether a record is to be forgotten, even if it was written after the plan was made."""
        known = record["id"] in {turn["id"] for turn in self.turns} or record.get("message") in self.messages
        return known or shows(record, self.items)

    @property
    def question(self) -> str:
        """The text in place of a forgotten message."""
        return f"(forgotten on {self.day})"

    def to_json(self) -> dict[str, list[str]]:
        """Return the description for the person."""
        stored = [*self.stored.values()]
        return {"forgets": [*self.forgets], "stored": stored, "stays": [*self.stays], "unreached": [*self.unreached]}

    def list_parts(self) -> list[tuple[str, list[str]]]:
        """Return the text for the person: each part that is not empty, with its title."""
        return [(_(title), lines) for title, lines in zip(TITLES, self.to_json().values(), strict=True) if lines]


def make_plan(handles: DataHandles, name: str, *, with_items: bool = False) -> Plan:
    """Find everything that is forgotten with a message or a record.

    Args:
        name: The id of a turn or of an item, or "line 3".
        with_items: Whether to forget also the records that the turns wrote.

    Raises:
        NotFound: It does not exist.
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
    plan = complete(handles, named, records)
    return complete(handles, named, records | plan.stored.keys()) if with_items and plan.stored else plan


def complete(handles: DataHandles, named: set[str], keys: set[RecordKey]) -> Plan:
    """Return the plan for named turns and records."""
    memory, clock, store = handles.memory, handles.clock, handles.workspace.open_thread_store()
    entries = [entry for _kind, id in keys for entry in memory.history(id=id) if entry.change.key in keys]
    ids = {id for kind, id in keys if kind == "item"}
    turns = [*_find_turns(handles.traces, named | {entry.turn for entry in entries if entry.turn}, ids)]
    needles = [id.encode() for id in (*ids, *list_messages(turns))]
    threads = store.find_mentions(lambda data: any(needle in data for needle in needles)) if needles else set[str]()
    trashed = {id for id in threads if id.startswith(TRASHED)}
    wrote = [e.change for id in {turn["id"] for turn in turns} for e in memory.history(turn=id)]
    stored = {c.key: _describe(handles, c.key) for c in wrote if c.key not in keys and memory.record(*c.key)}
    texts = {turn["question"] for turn in turns if "forgotten" not in turn} | list_texts(entries)
    messages = {
        turn["id"]: _("the message {text} of {moment}, with its answer").format(
            text=_cut(turn["question"]), moment=show_moment(turn["ts"], clock)
        )
        for turn in turns
        if turn["id"] in named or "forgotten" not in turn
    }
    forgets = _name_some(messages.values(), mark_plural("{n} more message", "{n} more messages"))
    forgets += [_describe(handles, key) for key in sorted(keys)]
    forgets += [_name_trashed(len(trashed))] if trashed else []
    stays = _name_some(_find_words(handles, Mentions(texts), keys | stored.keys(), messages), _PLACES)
    return Plan(
        day=clock.now().date().isoformat(),
        named=named,
        records=keys,
        turns=turns,
        threads=(threads - trashed) | {turn["thread_id"] for turn in turns},
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
        affected = [each for each in attempts if each["id"] in turns or shows(each, ids)]
        messages = {*list_messages(affected), *(each["id"] for each in affected)}
        yield from (each for each in attempts if messages & {each["id"], each.get("message")})


def shows(value: object, ids: Collection[str]) -> bool:
    """Return whether a value contains one of these ids at any depth."""
    text = repr(value) if ids else ""
    return any(id in text for id in ids)


def list_messages(turns: Collection[Record]) -> set[str]:
    """Return the ids of the messages that turns answer, as far as their records tell."""
    return {id for turn in turns if (id := turn.get("message"))}


def _find_words(
    handles: DataHandles, words: Mentions, keys: Collection[RecordKey], turns: Collection[str]
) -> Iterator[str]:
    """Yield the other records and turns that still contain the words."""
    memory, traces = handles.memory, handles.traces
    for kind in KINDS:
        for each in memory.backend.scan(kind):
            if (kind, each.id) not in keys and words.are_in(json.dumps([each.content, each.properties]).encode()):
                yield _describe(handles, (kind, each.id))
    for thread in traces.ids():
        if words.are_in(traces.read_text(thread).encode()):
            for turn in traces.read(thread):
                if turn["id"] not in turns and words.are_in(json.dumps(turn).encode()):
                    yield _("the message {id}, {text}").format(id=turn["id"], text=_cut(turn["question"]))


def _describe(handles: DataHandles, key: RecordKey) -> str:
    record = handles.memory.record(*key)
    name = (_("the item {id}") if key[0] == "item" else "{id}").format(id=name_record(key))
    return f"{name}, {_cut(record.content)}" if record else name


def name_record(key: RecordKey) -> str:
    """Return the name of a record for people."""
    return key[1] if key[0] == "item" else _("line {n}").format(n=key[1])


def _cut(text: str) -> str:
    return quote(text, QUOTED)


def _name_trashed(count: int) -> str:
    return ngettext("{n} deleted conversation in the trash", "{n} deleted conversations in the trash", count)


def _name_some(lines: Collection[str] | Iterator[str], more: tuple[str, str]) -> list[str]:
    every = [*lines]
    left = len(every) - MOST_NAMED
    return every if left < 1 else [*every[:MOST_NAMED], ngettext(*more, left)]


def _list_unreached(workspace: Workspace) -> list[str]:
    leaving = describe_leaving(workspace.settings, local=False)
    sentences = [_("What was sent stays where it went: {leaving}.").format(leaving=leaving)] if leaving else []
    sentences += [_("The database's logs and dumps may hold them.")] if workspace.has_database else []
    # a client elsewhere is not told where the folder is
    return sentences + [each.replace(str(workspace.folder), "the data folder") for each in name_unreached(workspace)]
