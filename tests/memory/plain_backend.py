"""A backend in plain Python, in the tests only: what the tables of the others are compared with."""

import pickle
import threading
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.embedders.wordllama import embed_words
from ana.errors import DuplicateItem
from ana.memory.backend import Expected, JournalPosition, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, combine, net
from ana.memory.digests import digest_content, to_canonical_text
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item
from ana.memory.search.property_text import render_text
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import Ranking, sort_similar
from ana.memory.search.result import QueryResult, Reason
from ana.memory.search.scoring import Weights
from ana.memory.search.series import Series
from ana.memory.search.tokens import tokenize
from ana.memory.search.words import QueryWord, Words
from ana.values import Json, fold_case
from tests.memory.plain_query import ItemCandidates, passes, sort_by_date

T = TypeVar("T")


class PlainBackend:
    """Records, vectors and the journal in dictionaries and lists."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._records: dict[Kind, dict[str, Item]] = {"item": {}, "line": {}}
        self._vectors: dict[RecordKey, np.ndarray] = {}
        self._journal: list[Entry] = []
        self._written = 0
        self._line_number = 0
        self._words = Words(())
        self._terms: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        self._lock = threading.RLock()
        self._readers = self._writers = 0

    @property
    def embedder_name(self) -> str:
        return self._embedder.name

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        with self._lock:
            records = self._records[kind]
            return _copy({id: records[id] for id in ids if id in records})

    def scan(self, kind: Kind) -> Iterator[Item]:
        with self._lock:
            return iter(_copy(list(self._records[kind].values())))

    def count(self, kind: Kind) -> int:
        return len(self._records[kind])

    def query(self, query: Query) -> QueryResult:
        # before the lock is taken: an embedder may be a server, and slow
        vector = np.array(self._embedder.embed_query(query.text.text)) if query.text else None
        with self._lock:
            items = self._records["item"]
            every = Series(query.zone, ((self._rows[id], item) for id, item in items.items()))
            series = every.find(query)
            plain = [item for id, item in items.items() if self._rows[id] not in every.rows]
            passing = [item for item in plain if passes(query, item)] + [*series.show(series.rows.tolist()).values()]
            if query.text is None or vector is None:
                sort_by_date(passing, query)
                ranked = [(i, Reason(date=i.date if query.due else None, filter=query.has_filter)) for i in passing]
            else:
                ranked = self._rank(passing, query, query.text, vector)
            best = ranked[: query.limit]
            reasons = tuple(reason for _, reason in best)
            rows = [self._rows[item.id] for item, _ in best]
            found, is_cut, stored = [item for item, _ in best], len(passing) > len(best), series.list_stored(rows)
            others = series.count_others(rows)
            return QueryResult(_copy(found), len(passing), is_cut, reasons, other_dates=others, stored=stored)

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        with self._lock:
            vector = self._vectors.get((kind, id))
            if vector is None:
                return []
            near = [(item, float(self._vectors[kind, item.id] @ vector)) for item in self._records[kind].values()]
        return _copy(sort_similar(each for each in near if each[0].id != id)[:limit])

    def get_vectors(self, kind: Kind, ids: Sequence[str]) -> dict[str, Vector]:
        return {id: self._vectors[kind, id] for id in ids if (kind, id) in self._vectors}

    def list_keys(self) -> dict[str, int]:
        with self._lock:
            items = list(self._records["item"].values())
        keys = Counter(key for item in items for key in item.properties if key not in OWN_KEYS)
        return dict(sorted(keys.items(), key=lambda each: (-each[1], each[0])))

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        known: dict[str, Json] = {}
        spelled: defaultdict[str, Counter[str]] = defaultdict(Counter)
        with self._lock:
            items = list(self._records["item"].values())
        for item in items:
            values = {to_canonical_text(value): value for value in _list_members(item, key)}
            known |= values
            for text, value in values.items():
                spelled[to_canonical_text(fold_case(value))][text] += 1
        names = sorted((-counts.total(), text) for text, counts in spelled.items() if text[:1] not in ("[", "#"))
        commonest = {text: min(counts, key=lambda same: (-counts[same], same)) for text, counts in spelled.items()}
        return [(known[commonest[text]], -count) for count, text in names]

    def find_change(self, key: str) -> Change | None:
        with self._lock:
            return _copy(next((entry.change for entry in self._journal if entry.key == key), None))

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        with self._lock:
            found = [e for e in reversed(self._journal) if turn in (None, e.turn) and id in (None, e.change.id)]
        return _copy([entry for entry in found if entry.ts >= since][: limit if limit >= 0 else None])

    def latest(self, kind: Kind) -> list[Entry]:
        with self._lock:
            last = {entry.change.id: entry for entry in self._journal if entry.change.kind == kind}
        return _copy(sorted(last.values(), key=lambda entry: entry.seq))

    def position(self) -> JournalPosition:
        with self._lock:
            last = self._journal[-1:]
            return last[0].position if last and last[0].seq == self._written else (self._written, "")

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        found: dict[RecordKey, Entry] = {}
        with self._lock:
            for entry in reversed(self._journal):
                kind, id = key = entry.change.key
                is_gone = entry.change.before and not entry.change.after and id not in self._records[kind]
                if is_gone and record in (None, key):
                    found.setdefault(key, entry)
            return _copy(list(found.values()))

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        threads: dict[str, str] = {}
        with self._lock:
            for entry in reversed(self._journal):  # a known turn keeps its place
                threads[entry.turn] = max(threads.get(entry.turn, ""), entry.thread)
        found = [(turn, of) for turn, of in threads.items() if turn.startswith(prefix) and thread in (None, of)]
        return dict(found[: limit if limit >= 0 else None])

    def next_line_number(self) -> int:
        with self._lock:
            return max(self._line_number, max(map(int, self._records["line"]), default=-1) + 1)

    def take_line_number(self) -> int:
        with self._change():
            number = self.next_line_number()
            self._line_number = number + 1
            return number

    def reserve_line_numbers(self, below: int) -> None:
        with self._change():
            self._line_number = max(self._line_number, below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        entries = _copy(entries)  # a caller may change its objects afterwards, as it may change what reads return
        changes = net(entry.change for entry in entries)
        embedded = self._embed(changes)
        with self._change():
            if earlier := find_earlier_change(self.find_change, entries):
                return [earlier]
            check_expected(expected or {}, {(k, id): self._records[k].get(id) for k, id in expected or {}})
            if distinct:
                self._refuse_copies(changes)
            for change in changes:
                self._store(change, *embedded.get(change.key, ("", None)))
            first = self._written + 1  # not the length of the journal, which purging shortens
            self._written += len(entries)
            self._journal += [replace(entry, seq=seq) for seq, entry in enumerate(entries, first)]
            return _copy(combine(entry.change for entry in entries))

    def erase(self, records: Collection[RecordKey]) -> None:
        with self._change():
            self._journal = [entry for entry in self._journal if entry.change.key not in records]

    def fill(self, records: Mapping[RecordKey, Item], entries: Sequence[Entry], line_number: int) -> None:
        """Take over records and their journal from another store; only an empty one may be filled.

        Args:
            records: What is stored.
            entries: How that came about, the oldest first.
            line_number: The number that the next line gets.
        """
        changes = [Change(kind, id, None, item) for (kind, id), item in _copy(dict(records)).items()]
        embedded = self._embed(changes)
        with self._lock:
            for change in changes:
                self._store(change, *embedded[change.key])
            self._journal = list(_copy(entries))
            self._written = max((entry.seq for entry in entries), default=0)
            self._line_number = line_number

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._lock:
            self._readers += 1
            try:
                yield
            finally:
                self._readers -= 1

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._change():
            self._writers += 1
            try:
                yield
            finally:
                self._writers -= 1

    def close(self) -> None:
        """Do nothing: nothing is open."""

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Keep others out while something is written; never in `reading`, where another database could not."""
        with self._lock:
            assert self._writers or not self._readers, "nothing is written in reading()"
            yield

    def _refuse_copies(self, changes: Sequence[Change]) -> None:
        newest_first = sorted(self._records["item"].values(), key=lambda i: (i.created_at, i.id), reverse=True)
        existing = {digest_content(i.content, i.properties): i.id for i in newest_first}
        for change in changes:
            if change.after and (same := existing.get(digest_content(change.after.content, change.after.properties))):
                raise DuplicateItem(same)

    def _embed(self, changes: Iterable[Change]) -> dict[RecordKey, tuple[str, list[float] | None]]:
        """Return the text and the vector of each record as it will be."""
        documents = {c.key: render_text(c.after.content, c.after.properties) for c in changes if c.after}
        vectors = self._embedder.embed_documents(list(documents.values()))
        return {key: (text, vector) for (key, text), vector in zip(documents.items(), vectors, strict=True)}

    def _store(self, change: Change, document: str, vector: list[float] | None) -> None:
        if change.after is None:
            self._records[change.kind].pop(change.id, None)
            self._vectors.pop(change.key, None)
        else:
            self._records[change.kind][change.id] = change.after
        if vector is not None:
            self._vectors[change.key] = np.array(vector)
        if change.kind == "item":
            row = self._rows.setdefault(change.id, len(self._rows))  # a deleted item's row is not used again
            self._words.remove(row)
            if vector is not None:
                words = tokenize(document)
                self._learn([word for word in dict.fromkeys(words) if word not in self._terms])
                self._words.put(row, np.array([self._terms[word] for word in words], np.uint32))

    def _learn(self, words: Sequence[str]) -> None:
        for word, vector in zip(words, embed_words(words), strict=True):
            self._terms[word] = len(self._terms)
            self._words.learn(self._terms[word], vector)

    def _rank(
        self, items: Sequence[Item], query: Query, text: ParsedQuery, vector: np.ndarray
    ) -> list[tuple[Item, Reason]]:
        each = {self._rows[item.id]: item for item in items}
        vectors = {row: self._vectors["item", item.id] for row, item in each.items()}
        asked = zip(text.words, embed_words(text.words), strict=True)
        words = {word: QueryWord(self._terms.get(word), near) for word, near in asked}
        candidates = ItemCandidates(each, text, query.zone, words, vectors, vector)
        ranking = Ranking(candidates, self._words, np.array(sorted(each), np.int64), Weights())
        best = ranking.find_best(query.limit)
        reasons = ranking.explain(best, query.has_filter)
        return [(each[hit.row], reason) for hit, reason in zip(best, reasons, strict=True)]


def _copy(value: T) -> T:
    """Return a copy that shares nothing that can be changed, in a quarter of the time of copy.deepcopy."""
    copied: T = pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    return copied


def _list_members(item: Item, key: str) -> list[Json]:
    if key not in item.properties:
        return [getattr(item, key)] if key in OWN_KEYS else []
    value = item.properties[key]
    return value if isinstance(value, list) else [value]
