"""What of a person's items is kept in memory: words, vectors and what repeats, as of one position of the journal.

A query compares every item, which takes milliseconds here and a multiple of that in the database. Whoever has written
meanwhile, the journal tells which items changed.
"""

from datetime import tzinfo

import numpy as np

from ana.backends.postgres.journal import State
from ana.backends.postgres.names import to_name
from ana.backends.sql.items import LONG_TAIL
from ana.backends.sql.vectors import RowVectors
from ana.embedders.wordllama import embed_words
from ana.memory.backend import JournalPosition
from ana.memory.item import Item, from_json
from ana.memory.search.postings import Terms
from ana.memory.search.series import Series
from ana.memory.search.words import QueryWord, Words
from ana.postgres.session import Rows, Session, Statement

_COLUMNS = "records.words, records.vector, CASE WHEN records.repeats THEN records.record END"
_EVERY = Statement(f"SELECT row, {_COLUMNS} FROM records WHERE kind = 'item' ORDER BY row")
_CHANGED = "SELECT DISTINCT row FROM entries WHERE seq > ? AND kind = 'item' AND row IS NOT NULL"


class Derived:
    """It is of one thread at a time."""

    def __init__(self) -> None:
        self._position: JournalPosition | None = None
        self._embedder: tuple[str, int] | None = None
        self._terms: dict[str, int] = {}
        self._last_term = 0
        self._repeating: dict[int, Item] = {}
        self._series: Series | None = None
        self.documents: dict[int, Terms] = {}
        """The terms of each row's text, in order."""
        self.words = Words([])
        self.vectors = RowVectors([])

    @property
    def seq(self) -> int:
        """Return the number of the last entry that is known here."""
        return self._position[0] if self._position else 0

    def is_at(self, state: State) -> bool:
        """Whether it is as of this state."""
        return (self._position, self._embedder) == (state.position, state.embedder)

    def read(self, session: Session, state: State) -> None:
        """Read what has changed since, or all of it; the state is the store's in this transaction."""
        position, known = state.position, self._embedder == state.embedder
        self._embedder = state.embedder
        if self._position and known and self.words.changed <= LONG_TAIL and self._read_changes(session, position):
            self._position = position
            return
        self._position = None  # after an error nothing is known
        self._terms, self._last_term, self._series = {}, 0, None
        terms, records = session.run(Statement("SELECT number, term, vector FROM terms"), _EVERY)
        self._learn(terms)
        self.documents = {row: np.frombuffer(words, np.uint32) for row, words, *_ in records}
        vectors = [(number, np.frombuffer(vector, np.int8)) for number, _, vector in terms]
        self.words = Words(self.documents.items(), vectors)
        self.vectors = RowVectors((row, vector) for row, _, vector, _ in records)
        self._repeating = {row: from_json(item) for row, *_, item in records if item}
        self._position = position

    def load_series(self, zone: tzinfo) -> Series:
        """Return the items that repeat, in a zone."""
        if self._series is None or str(self._series.zone) != str(zone):
            self._series = Series(zone, self._repeating.items())
        return self._series

    def find_words(self, words: tuple[str, ...]) -> dict[str, QueryWord]:
        """Return the words of a query with their numbers and vectors, in the query's order."""
        vectors = zip(words, embed_words(words), strict=True)
        return {word: QueryWord(self._terms.get(to_name(word)), vector) for word, vector in vectors}

    def find_with_phrase(self, phrase: tuple[str, ...]) -> list[int]:
        """Return the rows whose text has these words in sequence."""
        numbers = [self._terms.get(to_name(word), 0) for word in phrase]
        wanted = np.array(numbers, np.uint32)
        return [row for row in self.words.find_with_all(sorted({*numbers})) if _has_run(self.documents[row], wanted)]

    def _read_changes(self, session: Session, position: JournalPosition) -> bool:
        """Return whether the journal tells what changed since."""
        assert self._position
        since, moment = self._position
        terms, records, made = session.run(
            Statement("SELECT number, term, vector FROM terms WHERE number > ?", [self._last_term]),
            Statement(f"SELECT row, {_COLUMNS} FROM ({_CHANGED}) AS changed LEFT JOIN records USING (row)", [since]),
            Statement("SELECT seq, ts FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?", [since, LONG_TAIL]),
        )
        # after an erasure, or of another store under this name, some are not there or others
        expected = list(range(since, position[0] + 1)) if since else list(range(1, position[0] + 1))
        if [seq for seq, _ in made] != expected or (since and made[0][1] != moment):
            return False
        self._learn(terms)
        for number, _, vector in terms:
            self.words.learn(number, np.frombuffer(vector, np.int8))
        for row, words, vector, item in records:
            self._put(row, words, vector, item and from_json(item))
        return True

    def _learn(self, terms: Rows) -> None:
        self._terms |= {term: number for number, term, _ in terms}
        self._last_term = max([self._last_term, *(number for number, *_ in terms)])

    def _put(self, row: int, words: bytes | None, vector: bytes | None, repeating: Item | None) -> None:
        """Take over a changed item; without words it is gone."""
        self._repeating.pop(row, None)
        if self._series:
            self._series.remove(row)
        if words is None or vector is None:
            self.documents.pop(row, None)
            self.words.remove(row)
            self.vectors.remove(row)
            return
        self.documents[row] = np.frombuffer(words, np.uint32)
        self.words.put(row, self.documents[row])
        self.vectors.put(row, np.frombuffer(vector, np.float32))
        if repeating:
            self._repeating[row] = repeating
            if self._series:
                self._series.put(row, repeating)


def delete_terms(session: Session) -> None:
    """Delete the words that no record has any more; their numbers are not given again."""
    rows = session.ask("SELECT words FROM records WHERE words IS NOT NULL")
    used = {int(number) for (words,) in rows for number in np.unique(np.frombuffer(words, np.uint32))}
    session.add("DELETE FROM terms WHERE number <> ALL(?)", [*used])


def _has_run(terms: Terms, wanted: Terms) -> bool:
    places = np.flatnonzero(terms[: max(len(terms) - len(wanted) + 1, 0)] == wanted[0])
    return any(np.array_equal(terms[place : place + len(wanted)], wanted) for place in places)
