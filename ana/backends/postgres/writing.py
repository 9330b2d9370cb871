"""How changes are made: one round trip reads everything they depend on, another writes and reads back."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

import numpy as np

from ana.backends.postgres.journal import ENTRIES, check_embedder, find_by_keys, make_entries, read_entries
from ana.backends.postgres.names import POSTGRES, to_bytes, to_decimal, to_name
from ana.backends.postgres.zones import ANALYZE, LOCK, MANY, ZONES, enter_dates, remove_zone
from ana.backends.sql.compiler import iter_typed_rows
from ana.embedders import Embedder
from ana.embedders.known import embed_many
from ana.embedders.wordllama import embed_words
from ana.errors import DuplicateItem
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, combine, net
from ana.memory.digests import content_digest
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item, from_json, to_json
from ana.memory.search.property_text import property_text
from ana.memory.search.scoring import TAG_KEYS
from ana.memory.search.tokens import fold_tag, tokenize
from ana.memory.travel import make_absolute
from ana.postgres.session import Rows, Session, Statement
from ana.time.clock import find_zone
from ana.time.repeats import may_repeat
from ana.values import fold_case

_RECORDS = ("row", "kind", "id", "created_at", "date", "digest", "repeats", "words", "vector", "record")
_PROPERTIES = ("row", "key", "element", "value", "folded", "num", "part", "tag")
_TERMS = ("number", "term", "vector")
_STATUS = ('"status"', 0)


@dataclass(frozen=True)
class Present:
    """What the database holds when changes are made, with all other writers kept out.

    Args:
        entries: The number of the last entry.
        row: The last row that was given.
        term: The last number of a word.
        rows: The rows of records that exist, of those that are concerned.
        records: The records themselves.
        terms: The numbers of words that are known, of those that are concerned.
        zones: The zones that have rows.
    """

    entries: int
    row: int
    term: int
    rows: dict[RecordKey, int]
    records: dict[RecordKey, Item]
    terms: dict[str, int]
    zones: dict[int, str]


class Writing:
    """Changes that are made together; what has to be embedded is embedded first, while nobody is kept out.

    Args:
        entries: As they come into the journal.
        embedder: Turns text into vectors.
        zones: Zones by name, for those that this machine names itself.
    """

    def __init__(self, entries: Sequence[Entry], embedder: Embedder, zones: Mapping[str, tzinfo]) -> None:
        self._entries, self._embedder, self._zones = entries, embedder, zones
        self._changes = net(entry.change for entry in entries)
        self._new = [change.after for change in self._changes if change.after and change.kind == "item"]
        texts = {c.key: property_text(c.after.content, c.after.properties) for c in self._changes if c.after}
        self._words = {key: tokenize(text) for key, text in texts.items() if key[0] == "item"}
        vectors = embed_many(embedder, [*dict.fromkeys(texts.values())])
        self._vectors = {key: vectors[text] for key, text in texts.items()}

    def make(self, session: Session, expected: Expected, *, distinct: bool, commits: bool) -> list[Change]:
        """Make the changes and return them; arguments and errors as of `Backend.apply`."""
        concerned = {*expected, *(change.key for change in self._changes)}
        digests = [content_digest(item.content, item.properties) for item in self._new] if distinct else []
        words = {to_name(word) for each in self._words.values() for word in each}
        numbers, earlier, stored, copies, terms, zones = session.run(
            LOCK,
            find_by_keys(entry.key for entry in self._entries if entry.key),
            select_records(concerned),
            Statement(
                "SELECT record FROM records WHERE kind = 'item' AND digest = ANY(?) ORDER BY created_at, id LIMIT 1",
                [digests],
            ),
            Statement("SELECT term, number FROM terms WHERE term = ANY(?)", [[*words]]),
            ZONES,
        )
        made = {entry.key: entry.change for entry in read_entries(earlier)}
        if known := find_earlier_change(made.get, self._entries):
            return [known]
        records = read_records(stored)
        check_expected(expected, records)
        if copies:
            raise DuplicateItem(copies[0][0]["id"])
        rows = {(kind, item["id"]): row for kind, item, row in stored}
        ((last, embedder, _, row, term, _),) = numbers
        check_embedder(embedder if last else None, self._embedder.name)
        present = Present(last, row, term, rows, records, dict(terms), dict(zones))
        self._write(session, present, self._entries)
        (read,) = session.run(select_records([c.key for c in self._changes]), commits=commits)
        back = read_records(read)
        return [replace(c, after=back.get(c.key, c.after)) for c in combine(entry.change for entry in self._entries)]

    def fill(self, session: Session) -> None:
        """Enter new records into a store that is being filled, whose journal comes by itself."""
        words = {to_name(word) for each in self._words.values() for word in each}
        known = Statement("SELECT term, number FROM terms WHERE term = ANY(?)", [[*words]])
        ((last, _, _, row, term, _),), terms, zones = session.run(LOCK, known, ZONES)
        self._write(session, Present(last, row, term, {}, {}, dict(terms), dict(zones)), ())

    def _write(self, session: Session, present: Present, journaled: Sequence[Entry]) -> None:
        if known := [present.rows[change.key] for change in self._changes if change.key in present.rows]:
            for table in ("records", "properties", "item_dates", "property_dates"):
                session.add(f"DELETE FROM {table} WHERE row = ANY(?)", known)
        rows, last_row = dict(present.rows), present.row
        for change in self._changes:
            if change.after and change.key not in rows:
                last_row += 1
                rows[change.key] = last_row
        new_words = [
            *dict.fromkeys(word for each in self._words.values() for word in each if to_name(word) not in present.terms)
        ]
        new_terms = {to_name(word): number for number, word in enumerate(new_words, present.term + 1)}
        terms = present.terms | new_terms
        vectors = map(bytes, embed_words(new_words))
        session.insert("terms", _TERMS, zip(new_terms.values(), new_terms, vectors, strict=True))
        session.insert("records", _RECORDS, (self._make_record(c, rows, terms) for c in self._changes if c.after))
        self._enter_properties(session, present, rows)
        session.insert("entries", ENTRIES, make_entries(journaled, present.entries + 1, rows))
        session.add(
            "UPDATE stores SET embedder = ?, entries = ?, row = ?, term = ?",
            self._embedder.name,
            *(present.entries + len(journaled), last_row, present.term + len(new_terms)),
        )
        if len(self._changes) >= MANY:
            session.add(ANALYZE)

    def _make_record(self, change: Change, rows: Mapping[RecordKey, int], terms: Mapping[str, int]) -> tuple[Any, ...]:
        item = change.after
        assert item
        words = np.array([terms[to_name(word)] for word in self._words.get(change.key, ())], np.uint32)
        digest = content_digest(item.content, item.properties)
        stamps = (
            item.created_at,
            make_absolute(item).date,
            digest,
            change.kind == "item" and may_repeat(item.properties),
        )
        found_by = words.tobytes(), self._vectors[change.key].tobytes()
        return rows[change.key], change.kind, to_name(item.id), *stamps, *found_by, json.dumps(to_json(item))

    def _enter_properties(self, session: Session, present: Present, rows: Mapping[RecordKey, int]) -> None:
        properties = [each for item in self._new for each in iter_properties(rows["item", item.id], item)]
        session.insert("properties", _PROPERTIES, properties)
        statuses = {row: value.lower() for row, key, element, value, *_ in properties if (key, element) == _STATUS}
        items = [
            (
                *(row := rows["item", item.id], to_name(item.id), item.created_at, make_absolute(item).date),
                *(statuses.get(row), item if may_repeat(item.properties) else None),
            )
            for item in self._new
        ]
        for number, name in present.zones.items():
            if zone := find_zone(name, self._zones):
                enter_dates(session, number, zone, items, [each[:4] for each in properties])
            else:
                remove_zone(session, number)


def iter_properties(row: int, item: Item) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of an item's properties, and of what it has besides."""
    for key, value in ({key: getattr(item, key) for key in OWN_KEYS} | make_absolute(item).properties).items():
        name = POSTGRES.name_key(key)
        members = [value, *(value if isinstance(value, list) else ())]
        for member, (_, element, text, folded, _) in zip(members, iter_typed_rows(key, value), strict=True):
            is_number = isinstance(member, int | float) and not isinstance(member, bool)
            part = to_bytes(str(fold_case(member))) if isinstance(member, str) and not element else None
            tag = fold_tag(member) if isinstance(member, str) and key in TAG_KEYS else None
            yield row, name, element, text, folded, to_decimal(member) if is_number else None, part, tag


def select_records(keys: Collection[RecordKey]) -> Statement:
    """Return what reads the records of these that exist: kind, record, row."""
    kinds, ids = [kind for kind, _ in keys], [to_name(id) for _, id in keys]
    these = "unnest(?::text[], ?::text[]) AS these(kind, id)"
    return Statement(f"SELECT kind, record, row FROM {these} JOIN records USING (kind, id)", [kinds, ids])


def read_records(rows: Rows) -> dict[RecordKey, Item]:
    """Return the records of the rows of `select_records`."""
    return {(kind, record["id"]): from_json(record) for kind, record, _ in rows}
