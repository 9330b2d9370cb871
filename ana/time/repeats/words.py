"""Rules in plain words, read by `ana/time/when`, and rules told in words."""

from collections.abc import Iterable
from datetime import UTC, date
from typing import TYPE_CHECKING

from ana.time.clock import WEEKDAYS
from ana.time.repeats.rules import DAYS, NO_RULE, UNITS, Rule, parse_rule

if TYPE_CHECKING:
    from ana.time.when.recurring import Recurrence

LONGEST = 200
"""Characters of a rule in words, and of a text at whose beginning one is looked for."""

_MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_PARITIES = {name: ",".join(map(str, range(first, 54, 2))) for name, first in (("odd", 1), ("even", 2))}
_CLEAR = ("FREQ=DAILY", "BYDAY", "BYMONTHDAY")
"""What a rule has that does not take its day from today; "every month" alone may mean another day of it."""


def read_words(text: str, first: date) -> "Recurrence | None":
    """Return the rule of plain English words; None if they have none, more than one reading, or say anything else.

    Args:
        first: From when days are counted.
    """
    if len(text) > LONGEST or "=" in text:
        return None
    from ana.time.when.reader import read_recurrence  # the REPL needs no reader of texts until one is typed

    return read_recurrence(text, first)


def find_rule(text: str) -> str:
    """Return the words of a rule that a text has: every friday at 13:00; empty if it has none, or says more of when."""
    from ana.time.when.reader import find_recurrence

    words, rule = find_recurrence(text[:LONGEST])
    return words if any(part in rule for part in _CLEAR) else ""


def tell_unread(texts: Iterable[str]) -> str:
    """Return a sentence if one of these says that it repeats in a way that `find_rule` does not read, else nothing."""
    from ana.time.when.reader import SOME_DAY, is_recurring, read

    is_unread = any(is_recurring(read(text[:LONGEST], SOME_DAY)) and not find_rule(text) for text in texts)
    return " I did not understand when it repeats: that is kept in its words alone." if is_unread else ""


def word_rule(text: str) -> str:
    """Return an RRULE, as it is written, in words with its end; as it is, what has no words."""
    try:
        rule = parse_rule(text, UTC)
    except ValueError:
        return text
    end = f" until {rule.until.date()}" if rule.until else f", {rule.count} times" if rule.count else ""
    words = tell_rule(rule)
    return text if "=" in words else words + end


def tell_rule(rule: Rule) -> str:
    """Return a settled rule in words: every 2 weeks on Tuesday."""
    if rule is NO_RULE:
        return "on single dates"
    parity = next((name for name, weeks in _PARITIES.items() if weeks == rule["BYWEEKNO"]), None)
    if rule.has("BYSETPOS", "BYYEARDAY") or (rule.has("BYWEEKNO") and not parity):
        return rule.text
    unit, count = UNITS[rule["FREQ"]], rule.interval
    words = [f"every {parity} ISO week" if parity else f"every {count} {unit}s" if count > 1 else f"every {unit}"]
    # a calendar's 31st is none in a month without one, which a rule says by naming every weekday beside it
    is_strict = rule.has("BYMONTHDAY") and {*rule["BYDAY"].split(",")} == {*DAYS}
    if rule.has("BYDAY") and not is_strict:
        words.append(f"on {_list(_tell_weekday(each) for each in rule['BYDAY'].split(','))}")
    months = _list(_MONTHS[number - 1] for number in rule.list_numbers("BYMONTH"))
    if days := rule.list_numbers("BYMONTHDAY"):
        tell = "day {}".format if is_strict else _tell_day
        words.append(f"on {_list(map(tell, days))}{' of' if months else ''}")
    words += [("" if days else "in ") + months] if months else []
    if rule.times:
        words.append(f"at {_list(f'{each:%H:%M}' for each in rule.times)}")
    elif hours := rule.list_numbers("BYHOUR"):
        words.append(f"at {_list(map(str, hours))} o'clock")
    if is_strict:
        words.append("where there is one")
    elif days and 28 < max(days) < 31:
        words.append("(or the last day)")
    return " ".join(words)


def _tell_weekday(code: str) -> str:
    name, which = WEEKDAYS[DAYS.index(code[-2:])], code[:-2]
    if not which:
        return name
    words = {str(number): word for word, number in _ORDINALS.items()}
    return f"the {words.get(which, f'{which}.')} {name}"


def _tell_day(number: int) -> str:
    if number in (-1, 31):
        return "the last day"
    return f"day {number}" if number > 0 else f"day {-number} from the end"


def _list(words: Iterable[str]) -> str:
    return ", ".join(words)
