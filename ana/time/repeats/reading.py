"""Checking a written rule, and telling how it was understood."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from ana.errors import ToolError
from ana.time.dates import read_moment
from ana.time.repeats.rules import PINS, YEARS_AHEAD, Rule, iter_matching, parse_rule, settle
from ana.time.repeats.words import read_words, tell_rule
from ana.values import Json

RULE_FORM = (
    'repeats takes an RRULE, such as "FREQ=WEEKLY;BYDAY=FR", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", '
    '"FREQ=MONTHLY;BYMONTHDAY=-1" (last day), "FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0", or words with one reading: '
    '"every second Tuesday", "every weekday at 9:15 until June", "Tuesdays in even weeks". '
    "Dates that are left out go in except, a list. What the rule cannot say, keep as several items."
)

_NO_BEGIN = ("until", "done_for", "remind")
"""Properties with a time that has nothing to do with where a rule begins."""

_FAR = timedelta(days=366 * YEARS_AHEAD)


@dataclass(frozen=True)
class Understood:
    """A rule as it was understood.

    Args:
        rule: An RRULE, completed from its first date, without its end.
        words: The rule in words.
        first: The first date, in local time.
        until: Its last moment, in local time; None without an end.
    """

    rule: str
    words: str
    first: datetime
    until: datetime | None


def understand_rule(
    text: str, first: datetime, zone: tzinfo, *, from_done: bool = False, is_day: bool = False
) -> Understood:
    """Read a written rule.

    Args:
        text: An RRULE, or plain words with one reading.
        first: The beginning, in local time; the first date is this one, or the next that the rule names.
        from_done: Whether it counts from the day on which it was done, which a rule that names days cannot.
        is_day: Whether no time of day was given: hours without minutes are whole hours then, not those of `first`.

    Raises:
        ToolError: The text has no reading, or the rule has no dates; the hint shows the right form.
    """
    words = read_words(text, first.date())
    written = words.rule if words else text
    if words and words.start and words.start > first.date():
        first = datetime.combine(words.start, first.time())
    if "=" not in written:
        raise ToolError(f"{text[:80]!r} has more than one reading as a rule, or none.", RULE_FORM)
    try:
        parsed = parse_rule(written, zone)
        if is_day and parsed.has("BYHOUR") and not parsed.has("BYMINUTE"):
            parsed = parsed.pin(BYMINUTE="0")
        if from_done:
            return _understand_distance(parsed, first)
        once = settle(replace(parsed, count=0, until=None), first).drop("INTERVAL")
        begin = next(iter_matching(once, first, first, first + _FAR), None)
        rule = settle(parsed, begin or first)
    except ValueError as exc:
        raise ToolError(f"{text[:80]!r} is not a rule: {exc}.", RULE_FORM) from exc
    except OverflowError as exc:
        raise ToolError(f"{text[:80]!r} goes beyond the calendar.", RULE_FORM) from exc
    if begin is None or (rule.until and rule.until < begin):
        raise ToolError(f"{text[:80]!r} never comes.", RULE_FORM)
    return Understood(rule.text, tell_rule(rule), begin, rule.until)


def refuse_other_begin(properties: Mapping[str, Json]) -> None:
    """Raise ToolError if a property given with a rule that does not count from it, such as `start`, has a time, which
    would be lost.
    """
    for name, value in properties.items():
        if name not in _NO_BEGIN and read_moment(value):
            raise ToolError(
                f"A rule counts from due_date or start_date, not from {name[:60]!r}.",
                f'Give start_date "{value}" if it takes place then, due_date if it must be done by then.',
            )


def _understand_distance(rule: Rule, first: datetime) -> Understood:
    if rule.has(*PINS, "BYHOUR", "BYSETPOS") or rule.count:
        raise ValueError("what counts from when it was done has FREQ and INTERVAL alone")
    return Understood(rule.text, f"{tell_rule(rule)} after it was done", first, rule.until)
