"""The only reader of dates in words: the parts of a text that name days, times, moments and repetitions, and the
rest.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from ana.recent import keep_recent
from ana.time.when.days import When
from ana.time.when.grammar import Base, Chart, Grammar, Level, Match, NoSuchDay
from ana.time.when.recurring import RULE_ROWS, Recurrence
from ana.time.when.table import DAY_ROWS
from ana.time.when.times import TIME_ROWS
from ana.time.when.tokens import Token, read_tokens, words

GRAMMAR = Grammar({**DAY_ROWS, **TIME_ROWS, **RULE_ROWS})
_KINDS = ("DAY", "STRETCH", "MOMENT", "RANGE", "TIME", "PARTOFDAY", "RULE", "HABIT")
"""What is looked for; of the same words the first counts."""

_FIRST = frozenset(name for kind in _KINDS for name in GRAMMAR.first[kind])
"""What any of these may begin with: most tokens of most texts begin none."""

_LEADS = words("on due til this from starting")
_UNSURE = words("LEVEL FRACTION DAYMONTH ORDINAL YEAR")
_BEFORE_MONTHS = ("in", "during", "for")

_BESIDE = words("at , -")
_BEHIND = words(
    "and at for to in on with by please i we you he she it they is are was were will if because from until till before"
    " after through when where that then but about instead the this next now every each sharp urgent asap remind"
    " today tomorrow tonight morning afternoon evening night noon midday midnight lunchtime - . , ; : ! ? ) ] \" '"
)
"""What follows a date, and is no noun that it may belong to: the 5th floor, sun cream, at 10 Downing Street."""

_LIMITS = words("except unless but until till up twice week")
"""Words that take something away from what repeats."""

SOME_DAY = date(2000, 1, 1)
"""For what is the same whenever it is read."""


class Piece(NamedTuple):
    """Tokens that name something: its kind, the first token, the token after the last, and the value."""

    kind: str
    start: int
    end: int
    value: Any


class Reading(NamedTuple):
    """A text, its tokens, and the pieces that name something, in order."""

    text: str
    tokens: Sequence[Token]
    pieces: Sequence[Piece]

    def span(self, piece: Piece) -> slice:
        """Return the characters of a piece."""
        return slice(self.tokens[piece.start].start, self.tokens[piece.end - 1].end)

    def list_kind(self, *kinds: str) -> list[Piece]:
        """Return the pieces of some kinds."""
        return [piece for piece in self.pieces if piece.kind in kinds]

    def keep(self, *kinds: str) -> "Reading":
        """Return it with only the pieces of some kinds."""
        return self._replace(pieces=self.list_kind(*kinds))

    @property
    def days(self) -> list[When]:
        """Return the days that it names, each with its place."""
        spans = [(self.span(piece), piece.value) for piece in self.list_kind("DAY") if isinstance(piece.value, When)]
        return [days._replace(start=span.start, end=span.stop, text=self.text[span]) for span, days in spans]

    @property
    def impossible(self) -> list[str]:
        """Return the words for days that no calendar has: 30 February, 31.6.2027."""
        return [self.text[self.span(piece)] for piece in self.pieces if isinstance(piece.value, NoSuchDay)]

    @property
    def unread(self) -> list[Token]:
        """Return the tokens that are in no piece."""
        taken = {at for piece in self.pieces for at in range(piece.start, piece.end)}
        return [token for at, token in enumerate(self.tokens) if at not in taken]


def resolve(text: str, today: date) -> list[When]:
    """Return every mention of days, in order; of overlapping readings the earliest, then the longest."""
    return read(text, today).days


@keep_recent(32)  # one query is read for its words, its days and its kind
def read(text: str, today: date, now: datetime | None = None, most: Level = Level.FAINT) -> Reading:
    """Return the days, times, moments and repetitions that a text names.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted; without it none are read.
        most: The readings that count: all for a phrase (ALONE), fewer for a search, a question or any other text
            (FAINT).
    """
    scan, at = _Scan(text, _make_chart(text, today, now), [], most), 0
    while at < len(scan.chart.tokens):
        piece = next(scan.find_pieces(at), None)
        scan.pieces.extend([piece] if piece else [])
        at = piece.end if piece else at + 1
    return Reading(text, scan.chart.tokens, scan.pieces)


def read_rule(text: str, today: date) -> Recurrence | None:
    """Return the repetition that a text describes, if it says nothing else; days count from the given day."""
    chart = _make_chart(text.rstrip(" .,;!"), today, None)
    matches = chart.match("RULE", 0)
    return matches[0].value if matches and matches[0].end == len(chart.tokens) else None


@keep_recent(32)  # a query is read as a question and as a text
def _make_chart(text: str, today: date, now: datetime | None) -> Chart:
    tokens = read_tokens(text)
    parts = [str(token.kinds["PART"]) for token in tokens if "PART" in token.kinds]  # tomorrow evening at 8
    part = "morning" if "morning" in parts else next((part for part in parts if part != "noon"), "")
    return Chart(GRAMMAR, tokens, Base(today, now, part))


class _Scan(NamedTuple):
    """The readings of a text so far, and the check of which ones count."""

    text: str
    chart: Chart
    pieces: list[Piece]
    most: Level

    def find_pieces(self, at: int) -> Iterator[Piece]:
        """Yield the readings that count from a token on, the longest first."""
        if _FIRST.isdisjoint(self.chart.tokens[at].names):
            return
        matches = [(kind, match) for kind in _KINDS for match in self.chart.match(kind, at)]
        for kind, match in sorted(matches, key=lambda each: -each[1].end):
            if self._counts(kind, at, match):
                yield Piece("DAY" if kind == "STRETCH" else kind, at, match.end, match.value)

    def _counts(self, kind: str, at: int, match: Match) -> bool:
        """Return whether a reading has beside it the words that it needs."""
        is_bare_hour = kind in ("TIME", "RANGE") and match.level == Level.FAINT
        if self.most == Level.ALONE and (not is_bare_hour or self.chart.base.part):
            return True
        if match.level > self.most or self._is_cut(kind, at, match.end):
            return False
        if is_bare_hour:
            return self._is_hour(at, match.end)
        if match.level == Level.SEARCH:
            return "PLAIN" in self._token(at).kinds
        if match.level == Level.QUESTION:
            is_single = match.end - at < 3 or self._token(match.end - 2).word == "the"  # after sun lotion
            is_unsure = is_single and not _UNSURE.isdisjoint(self._token(match.end - 1).kinds)
            return not (is_unsure and has_noun_behind(self.chart.tokens, match.end))
        return match.level == Level.SURE or self._is_beside(kind, at, match)

    def _token(self, at: int) -> Token:
        return self.chart.tokens[at] if 0 <= at < len(self.chart.tokens) else _NONE

    def _is_cut(self, kind: str, at: int, end: int) -> bool:
        """Return whether a reading is a part of something else: Friday13, every Friday, by 4 December, 3 may leave."""
        tokens, (start, stop) = self.chart.tokens, (self._token(at).start, self._token(end - 1).end)
        if self.text[max(0, start - 1) : start].isalnum() or self.text[stop : stop + 1].isalnum():
            return True
        before, after = self._token(at - 1), self._token(end)
        if kind == "DAY" and ("EVERY" in before.kinds or after.word in ("of", "last")):
            return True
        is_month = kind == "DAY" and tokens[at].word in _BEFORE_MONTHS  # "for January" of "for January 17th"
        if (kind == "TIME" or is_month) and any(
            day.end > end for inner in range(at + 1, end) for day in self.chart.match("DAY", inner)
        ):
            return True
        is_verb = "VERB" in tokens[end - 1].kinds and end - at < 3 and "ORDINAL" not in tokens[at].kinds
        return is_verb and has_noun_behind(tokens, end)

    def _is_beside(self, kind: str, at: int, match: Match) -> bool:
        """Return whether no noun follows, and an ambiguous word has a lead, a piece or an edge of the text beside
        it.
        """
        tokens, end, before = self.chart.tokens, match.end, self._token(at - 1)
        if at == 0 and "DAYMONTH" in tokens[at].kinds:  # 13.01. dentist
            return True
        if has_noun_behind(tokens, end):
            return False
        if match.level == Level.CLEAR or before.word in _LEADS or "SIDE" in before.kinds:
            return True
        is_edge = end == len(tokens) or (match.level == Level.WEAK and tokens[end].word in ".,;:!?)")
        return self._has_beside(at, end, *(("TIME", "RANGE") if kind == "DAY" else ("DAY",))) or (
            is_edge and (match.level == Level.WEAK or at == 0)
        )

    def _has_beside(self, at: int, end: int, *kinds: str) -> bool:
        """Return whether a piece of one of these kinds is before or after these tokens."""
        last = self.pieces[-1] if self.pieces else None
        if last and last.kind in kinds and all(self._token(each).word in _BESIDE for each in range(last.end, at)):
            return True
        after = end + (self._token(end).word in _BESIDE)
        return any(
            match.level < Level.WEAK for kind in (*kinds, "PARTOFDAY") for match in self.chart.match(kind, after)
        )

    def _is_hour(self, at: int, end: int) -> bool:
        """Return whether a number alone is an hour: 10 tonight, six in the evening; beside a day also Tue 10.30."""
        is_written = end > at + 1 or "DECIMAL" in self._token(at).kinds
        is_part = bool(self.chart.match("PARTOFDAY", end)) or self._token(end).word == "sharp"
        return is_part or (is_written and self._has_beside(at, end, "DAY"))


_NONE = Token(0, 0, "", {})
"""What stands before the first token and after the last."""


def has_noun_behind(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is a word to which the one before it may belong: the 5th floor, sun cream."""
    return at < len(tokens) and tokens[at].word not in _BEHIND and not tokens[at].kinds


def is_recurring(reading: Reading) -> bool:
    """Return whether a text says that something repeats, read or not: each 31st, twice a week, the 1st and the 15th."""
    return any(piece.value for piece in reading.list_kind("RULE", "HABIT"))


def is_limited(reading: Reading, rule: Piece) -> bool:
    """Return whether words beside a rule take something away from it, or its last number may be another one: at 10
    Downing Street.
    """
    is_number = "NUMBER" in reading.tokens[rule.end - 1].kinds
    is_except = any(token.word in _LIMITS for token in reading.unread)
    return is_except or (is_number and has_noun_behind(reading.tokens, rule.end))
