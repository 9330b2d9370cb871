"""Queries of one person's items: rows are found in the database, and ranked by what is kept in memory.

What the database is asked does not depend on what is in memory, so that all of it is asked at once.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ana.backends.postgres.derived import Derived
from ana.backends.postgres.journal import STATE, STATE_COLUMNS, read_state
from ana.backends.postgres.names import POSTGRES, to_name, without_status
from ana.backends.postgres.zones import ZoneRows
from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.dialect import Sql, join
from ana.backends.sql.lookup import UNDATED, on_days, with_status
from ana.backends.sql.search import make_found, sort_by_date
from ana.embedders.base import Vector
from ana.memory.item import Item, from_json
from ana.memory.search.found import First, Found, Reason
from ana.memory.search.postings import Rows, Terms
from ana.memory.search.query import ParsedQuery, Query
from ana.memory.search.ranking import DEEPER, Ranking
from ana.memory.search.scoring import TAG_KEYS, Weights
from ana.memory.search.series import SeriesHits
from ana.memory.search.words import QueryWord, Scores
from ana.postgres.session import Session, Statement

Answer: TypeAlias = list[tuple[Any, ...]]

FEW = 4
"""Of as many times the limit the items are read while they are put in order: that saves a round trip."""

_DESCRIBED = "SELECT row, id, date, created_at{} FROM records WHERE row = ANY(?)"
_IN_ORDER = "start, date, created_at DESC, id"
_TAG_KEYS = [POSTGRES.name_key(key) for key in TAG_KEYS]


class Search:
    """One query in one transaction."""

    def __init__(self, session: Session, query: Query, dates: ZoneRows) -> None:
        self._session, self._query, self._dates = session, query, dates
        self._conditions = [compile_filter(query.where, dates, POSTGRES)] if query.has_filter else []
        if query.due:
            self._conditions.append(on_days(*query.due, dates.zone))
        if query.excluded:
            self._conditions.append(without_status(query.excluded))
        self._asked = self._ask_by_meaning(query.text) if query.text else {}
        self._answers: dict[str, Answer] = {}
        self._dated: Answer = []
        self.state = read_state([])
        """Of the store, in this transaction."""

    def ask(self, *, commits: bool) -> None:
        """Ask for everything that the query needs to know of rows, in one round trip."""
        if self._query.text is None:
            state, self._dated = _ask_with_state(self._session, self._ask_by_date(), commits=commits)
        else:
            state, *answers = self._session.run(STATE, *self._asked.values(), commits=commits)
            self._answers = dict(zip(self._asked, answers, strict=True))
        self.state = read_state(state)

    def find_at_once(self, derived: Derived, vector: Vector) -> Found | None:
        """Return what was found, in one round trip; None if more must be asked, or others have written meanwhile."""
        if self._asked or not derived.seq:
            return None
        series = derived.load_series(self._dates.zone).find(self._query)
        candidates = self._choose(derived, vector, series, commits=True)
        found = self._rank_by_meaning(candidates, derived, series)  # of what may be outdated, and is looked at with it
        return found if candidates.state and derived.is_at(read_state(candidates.state)) else None

    def find(self, derived: Derived, vector: Vector | None, *, commits: bool) -> Found:
        """Return what was found, once what is kept in memory is as of this position.

        Args:
            derived: What is kept in memory.
            vector: That of the query's text, None without one.
            commits: Whether the transaction may end here.
        """
        series = derived.load_series(self._dates.zone).find(self._query)
        if vector is None:
            return self._rank_by_date(series)
        candidates = self._choose(derived, vector, series, commits=commits)
        return self._rank_by_meaning(candidates, derived, series)

    def _choose(self, derived: Derived, vector: Vector, series: SeriesHits, *, commits: bool) -> "PostgresCandidates":
        few = FEW * self._query.limit if commits else 0
        return PostgresCandidates(self._session, self._query, derived, vector, series, self._answers, few)

    def _rank_by_meaning(self, candidates: "PostgresCandidates", derived: Derived, series: SeriesHits) -> Found:
        passing = None
        if self._conditions:
            passing = np.sort(np.concatenate([_unpack(self._answers["passing"]), series.rows]))
        ranking = Ranking(candidates, derived.words, passing, Weights())
        hits = ranking.find_best(self._query.limit)
        reasons = ranking.explain(hits, self._query.has_filter)
        return make_found(candidates.load, [hit.row for hit in hits], reasons, ranking.total, series)

    def _ask_by_meaning(self, text: ParsedQuery) -> dict[str, Statement]:
        items, asked = f"{self._dates.items} AS items", {}
        if self._conditions:
            asked["passing"] = _pack(items, join("AND", self._conditions))
        days = [on_days(mention.first, mention.last, self._dates.zone) for mention in text.mentions]
        if text.undated:
            days.append(UNDATED)
        if days:
            asked["on_day"] = _pack(items, join("OR", days))
        if text.is_open is not None:
            asked["status"] = _pack("properties AS items", with_status(is_open=text.is_open))
        if text.tags:
            tagged = Sql("key = ANY(?) AND tag = ANY(?)", (_TAG_KEYS, [*text.tags]))
            asked["tag"] = _pack("properties AS items", tagged)
        if text.ids:
            of_ids = Sql("kind = 'item' AND id = ANY(?)", ([to_name(id) for id in text.ids],))
            asked["id"] = _pack("records AS items", of_ids)
        return asked

    def _ask_by_date(self) -> Statement:
        items, passing = f"{self._dates.items} AS items", join("AND", self._conditions)
        first = f"SELECT *, count(*) OVER () AS total FROM {items} WHERE {passing.text} ORDER BY {_IN_ORDER} LIMIT ?"
        columns = "first.row, start, first.date, first.created_at, first.id, record, total"
        whole = f"SELECT {columns} FROM ({first}) AS first JOIN records USING (row)"
        return Statement(whole, [*passing.params, self._query.limit])

    def _rank_by_date(self, series: SeriesHits) -> Found:
        found = self._dated
        stored = {row: from_json(item) for row, *_, item, _ in found}
        best = sort_by_date([each[:5] for each in found], series, self._query.limit)
        reasons = [Reason(date=each[2] if self._query.due else None, filter=self._query.has_filter) for each in best]
        total = (found[0][-1] if found else 0) + len(series.rows)
        return make_found(
            lambda rows: [stored[row] for row in rows], [each[0] for each in best], reasons, total, series
        )


class PostgresCandidates:
    """The items of a query with a text; its methods are those of `Candidates`."""

    def __init__(
        self,
        session: Session,
        query: Query,
        derived: Derived,
        vector: Vector,
        series: SeriesHits,
        answers: dict[str, Answer],
        few: int,
    ) -> None:
        assert query.text
        self._few = few
        """Of so many rows the items are read at once, and the transaction ends with that."""
        self._items: dict[int, Item] = {}
        self.state: Answer = []
        """What STATE said when the items were read at once."""
        self._session, self._text, self._derived, self._vector = session, query.text, derived, vector
        self._series, self._answers = series, answers

    def find_words(self) -> dict[str, QueryWord]:
        return self._derived.find_words(self._text.words)

    def find_on_day(self) -> Rows:
        return np.sort(np.concatenate([self._get("on_day"), self._series.rows[self._series.on_day]]))

    def find_with_status(self) -> Rows:
        return self._get("status")

    def find_first(self) -> dict[int, First]:
        first: dict[int, First] = dict.fromkeys(self._get("tag").tolist(), "tag")
        for phrase in self._text.phrases:
            first |= dict.fromkeys(self._derived.find_with_phrase(phrase), "phrase")
        return first | dict.fromkeys(self._get("id").tolist(), "id")

    def get_terms(self, rows: Sequence[int]) -> list[Terms]:
        return [self._derived.documents[row] for row in rows]

    def describe(self, rows: Iterable[int]) -> Iterable[tuple[int, str, str | None, str]]:
        asked = list(rows)
        if not 0 < len(asked) <= self._few:
            return self._session.ask(_DESCRIBED.format(""), asked)
        described = Statement(_DESCRIBED.format(", record"), [asked])
        self.state, found = _ask_with_state(self._session, described, commits=True)
        self._items = {row: from_json(item) for row, *_, item in found}
        return [(row, id, date, created_at) for row, id, date, created_at, _ in found]

    def load(self, rows: Sequence[int]) -> list[Item]:
        """Return the items of these rows, in their order."""
        missing = [row for row in rows if row not in self._items]
        found = self._session.ask("SELECT row, record FROM records WHERE row = ANY(?)", missing) if missing else []
        every = self._items | {row: from_json(item) for row, item in found}
        return [every[row] for row in rows]

    def compare(self, rows: Rows, bonus: Scores, limit: int, first: Sequence[int]) -> Scores:
        weight, limit = Weights().vector, DEEPER * limit
        return self._derived.vectors.compare_likely(self._vector, rows, bonus, weight, limit, first)

    def _get(self, name: str) -> Rows:
        return _unpack(self._answers.get(name, []))


def _ask_with_state(session: Session, asked: Statement, *, commits: bool) -> tuple[Answer, Answer]:
    """Return what STATE says and the rows of a query, in one statement, which sees one state."""
    joined = f"SELECT * FROM ({STATE.text}) AS state LEFT JOIN LATERAL ({asked.text}) AS found ON TRUE"
    (rows,) = session.run(Statement(joined, asked.params), commits=commits)
    found = [row for each in rows if (row := each[STATE_COLUMNS:])[0] is not None]
    return [each[:STATE_COLUMNS] for each in rows[:1]], found


def _pack(table: str, passing: Sql) -> Statement:
    """Return what reads the rows of a table that pass, all in one value: a row of each would take longer."""
    return Statement(
        f"SELECT string_agg(int4send(items.row), ''::bytea) FROM {table} WHERE {passing.text}", passing.params
    )


def _unpack(answer: Answer) -> Rows:
    packed = answer and answer[0][0]
    return np.unique(np.frombuffer(packed, ">i4").astype(np.int64)) if packed else np.empty(0, np.int64)
