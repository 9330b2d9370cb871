"""The one reader of dates in words: what of a text names days, times, moments and what repeats, and what is left."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import NamedTuple

from ana.recent import keep_recent
from ana.time.when.days import Days
from ana.time.when.grammar import Base, Chart, Grammar, Level, Match, NoSuchDay
from ana.time.when.recurring import RULE_ROWS, Recurrence
from ana.time.when.table import DAY_ROWS
from ana.time.when.times import TIME_ROWS, Times
from ana.time.when.tokens import Token, read_tokens, words

GRAMMAR = Grammar({**DAY_ROWS, **TIME_ROWS, **RULE_ROWS})
_KINDS = ("DAY", "MOMENT", "RANGE", "TIME", "PARTOFDAY", "RULE")
"""What is looked for; of the same words the first counts."""
_MORE = {Level.ASKED: ("ASKED", "STRETCH"), Level.ALONE: ("STRETCH",)}
"""What names days in questions and in phrases alone: a wish to move something from Monday to Friday names two."""

_LEADS = words("on by due from til this since until till through before after")
_BEHIND = words(
    "and at for to in on with by please i we you he she it they is are was were will if because from until till before"
    " after through when where that then but about instead the this next now every each sharp urgent asap remind"
    " today tomorrow tonight morning afternoon evening night noon midday midnight - . , ; : ! ? ) ] \" '"
)
"""What follows a date, and is no noun that it may belong to: the 5th floor, sun cream, at 10 Downing Street."""

_PERIODIC = words("UNIT WEEKDAY WEEKDAYS ORDINAL NTH NUMBER WORDNUMBER PART MONTH")
_MEETINGS = words("report review meeting stand standup sync call")
"""What a weekly one of is one thing."""
_LIMITS = words("except unless but until till")
"""Words that take something away from what repeats."""

_CLEAR = ("FREQ=DAILY", "BYDAY", "BYMONTHDAY")
"""What a rule has that does not take its day from today; "every month" alone may mean another day of it."""

LONGEST_RULE = 200
"""Characters of a text at whose beginning a rule is looked for."""

SOME_DAY = date(2000, 1, 1)
"""For what is the same whenever it is read."""


class Reading(NamedTuple):
    """A text, its tokens, and the pieces that name something, in order."""

    text: str
    tokens: Sequence[Token]
    pieces: Sequence[Match]

    def find_place(self, piece: Match) -> tuple[int, int]:
        """Return the first character of a piece, and the one after its last."""
        return self.tokens[piece.start].start, self.tokens[piece.end - 1].end

    def list_kind(self, *kinds: str) -> list[Match]:
        """Return the pieces of some kinds."""
        return [piece for piece in self.pieces if piece.symbol in kinds]

    @property
    def days(self) -> list[Days]:
        """Return the days that it names, with where it does."""
        found = [(self.find_place(piece), piece.value) for piece in self.pieces if isinstance(piece.value, Days)]
        return [days._replace(start=start, end=end, text=self.text[start:end]) for (start, end), days in found]

    @property
    def times(self) -> list[Times]:
        """Return the times of day that it names, both of a span, with where it does."""
        found = [(piece, getattr(piece.value, name, None)) for piece in self.pieces for name in ("at", "until")]
        places = [(at, *self.find_place(piece)) for piece, at in found if isinstance(at, time) and not at.tzinfo]
        return [Times(at, start=start, end=end) for at, start, end in places]

    @property
    def impossible(self) -> list[str]:
        """Return what the text writes as a day that no calendar has: 30 February, 31.6.2027."""
        places = [self.find_place(piece) for piece in self.pieces if isinstance(piece.value, NoSuchDay)]
        return [self.text[start:end] for start, end in places]

    @property
    def unread(self) -> list[Token]:
        """Return the tokens that are in no piece."""
        taken = {at for piece in self.pieces for at in range(piece.start, piece.end)}
        return [token for at, token in enumerate(self.tokens) if at not in taken]


@keep_recent(32)  # one query is read for its words, its days and its kind
def read(text: str, today: date, now: datetime | None = None, most: Level = Level.BESIDE) -> Reading:
    """Return what a text names.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted; without it none are read.
        most: What counts: all of a phrase (ALONE), of a question (ASKED), of any other text (BESIDE).
    """
    scan, pieces, at = _Scan(text, _make_chart(text, today, now), most), list[Match](), 0
    while at < len(scan.chart.tokens):
        piece = scan.find_piece(at)
        pieces += [piece] if piece else []
        at = piece.end if piece else at + 1
    return Reading(text, scan.chart.tokens, pieces)


@keep_recent(32)  # a query is read as a question and as a text
def _make_chart(text: str, today: date, now: datetime | None) -> Chart:
    tokens = read_tokens(text)
    # the part of the day that a text names, wherever: tomorrow evening at 8
    parts = [str(token.kinds["PART"]) for token in tokens if "PART" in token.kinds]
    part = "morning" if "morning" in parts else next((part for part in parts if part != "noon"), "")
    return Chart(GRAMMAR, tokens, Base(today, now, part))


class _Scan(NamedTuple):
    """A text whose readings are looked through for those that count."""

    text: str
    chart: Chart
    most: Level

    def find_piece(self, at: int) -> Match | None:
        """Return the longest reading that counts from a token on."""
        kinds = (*_KINDS, *_MORE.get(self.most, ()))
        found = [match for kind in kinds for match in self.chart.match(kind, at)]
        longest_first = sorted(found, key=lambda piece: -piece.end)
        return next((piece for piece in longest_first if self.most == Level.ALONE or self._counts(piece)), None)

    def _counts(self, piece: Match) -> bool:
        """Return whether a reading is no part of something else, and has beside it what it needs."""
        level, end = piece.level, piece.end
        if level > self.most or self._is_cut(piece.start, end):
            return False
        if level in (Level.SURE, Level.ASKED):
            return True
        if has_noun_behind(self.chart.tokens, end):
            return False
        is_whole = piece.start == 0 and end == len(self.chart.tokens)
        is_led = is_whole or self._word(piece.start - 1) in _LEADS
        return level == Level.CLEAR or is_led or any(self.chart.match(kind, end) for kind in ("TIME", "PARTOFDAY"))

    def _word(self, at: int) -> str:
        return self.chart.tokens[at].word if 0 <= at < len(self.chart.tokens) else ""

    def _is_cut(self, at: int, end: int) -> bool:
        """Return whether it is a part of something else: Friday13, every Friday, by 4 December, 3 may leave."""
        tokens, (start, stop) = self.chart.tokens, (self.chart.tokens[at].start, self.chart.tokens[end - 1].end)
        if self.text[max(0, start - 1) : start].isalnum() or self.text[stop : stop + 1].isalnum():
            return True
        if self._word(end) == "of" or (at and "EVERY" in tokens[at - 1].kinds):
            return True
        if any(day.end > end for inner in range(at + 1, end) for day in self.chart.match("DAY", inner)):
            return True
        is_verb = "VERB" in tokens[end - 1].kinds and end - at < 3 and "ORDINAL" not in tokens[at].kinds
        return is_verb and has_noun_behind(tokens, end)


def has_noun_behind(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is a word that what stands before it may belong to: the 5th floor, sun cream."""
    return at < len(tokens) and tokens[at].word not in _BEHIND and not tokens[at].kinds


def resolve(text: str, today: date) -> list[Days]:
    """Return the days that a text names, in order; of overlapping readings the earliest, then the longest."""
    return read(text, today).days


def find_times(text: str) -> list[Times]:
    """Return every time of day in a text, in its order; both of a span."""
    return read(text, SOME_DAY).times


def drop_mentions(text: str, mentions: Sequence[Days | Times]) -> str:
    """Return the text with a space in place of each mention."""
    kept, end = list[str](), 0
    for mention in sorted(mentions, key=lambda mention: mention.start):
        kept.append(text[end : mention.start])
        end = max(end, mention.end)
    return " ".join([*kept, text[end:]])


# ---- what repeats


def read_recurrence(text: str, today: date) -> Recurrence | None:
    """Return what repeats, if a text says that and nothing else; days count from a day on."""
    chart = _make_chart(text.rstrip(" .,;!"), today, None)
    found = chart.match("RULE", 0)
    return found[0].value if found and found[0].end == len(chart.tokens) else None


def is_recurring(reading: Reading) -> bool:
    """Return whether a text says that something repeats, read or not: each 31st, twice a week, the 1st and the 15th."""
    days = [at for at, token in enumerate(reading.tokens) if "ORDINAL" in token.kinds]
    is_pair = any(two - one < 4 and reading.tokens[one + 1].word == "and" for one, two in pairwise(days))
    is_said = any(_may_repeat(one, two) for one, two in pairwise(reading.tokens))
    return is_pair or is_said or bool(reading.list_kind("RULE"))


def _may_repeat(one: Token, two: Token) -> bool:
    is_every = "EVERY" in one.kinds and two.word != "one" and not _PERIODIC.isdisjoint(two.kinds)
    is_often = one.word in ("once", "twice", "times") and two.word in ("a", "per")
    return is_every or is_often or ("ADVERB" in one.kinds and two.word not in _MEETINGS)


def find_rule(text: str) -> str:
    """Return the words of a text that say how something repeats; empty if it says more of when, or no day.

    A time that stands elsewhere in it is that of the rule: every friday school closes at 1.
    """
    reading = read(text[:LONGEST_RULE], SOME_DAY)
    rules, times = reading.list_kind("RULE"), reading.list_kind("TIME")
    is_limited = any(token.word in _LIMITS for token in reading.unread)
    if len(rules) != 1 or len(times) > 1 or len(reading.pieces) > len(rules) + len(times) or is_limited:
        return ""
    (start, end), rule = reading.find_place(rules[0]), rules[0].value.rule
    is_number = "NUMBER" in reading.tokens[rules[0].end - 1].kinds  # at 10 Downing Street
    if (is_number and has_noun_behind(reading.tokens, rules[0].end)) or (times and "BYHOUR" in rule):
        return ""
    words = text[start:end] + "".join(f" at {time.value.at:%H:%M}" for time in times)
    return words if any(part in rule for part in _CLEAR) else ""


def tell_unread(texts: Iterable[str]) -> str:
    """Return a sentence if one of these says that it repeats in a way that `find_rule` does not read, else nothing."""
    is_unread = any(is_recurring(read(text[:LONGEST_RULE], SOME_DAY)) and not find_rule(text) for text in texts)
    return " I did not understand when it repeats: that is kept in its words alone." if is_unread else ""
