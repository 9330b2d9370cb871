"""Rules in plain words, read by `ana/time/when`, and rules told in words."""

from collections.abc import Iterable
from datetime import UTC, date
from typing import TYPE_CHECKING

from ana.time.clock import WEEKDAYS
from ana.time.repeats.rules import DAYS, NO_RULE, PARITIES, Rule, parse_rule
from ana.translation import _, mark_plural, mark_text, ngettext, pgettext

if TYPE_CHECKING:
    from ana.time.when.recurring import Recurrence

LONGEST = 200
"""Characters of a rule in words, and of a text at whose beginning one is looked for."""

_MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
_ORDINALS = mark_text({"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"})
_UNITS = {
    "DAILY": mark_plural("every day", "every {n} days"),
    "WEEKLY": mark_plural("every week", "every {n} weeks"),
    "MONTHLY": mark_plural("every month", "every {n} months"),
    "YEARLY": mark_plural("every year", "every {n} years"),
}
_WEEKS = mark_text({"odd": "every odd ISO week", "even": "every even ISO week"})
_CLEAR = ("FREQ=DAILY", "BYDAY", "BYMONTHDAY")
"""What a rule has that does not take its day from today; "every month" alone may mean another day of it."""


def read_words(text: str, first: date) -> "Recurrence | None":
    """Return the rule of plain English words; None if they have none, more than one reading, or say anything else.

    Args:
        first: The day from which days are counted.
    """
    if len(text) > LONGEST or "=" in text:
        return None
    from ana.time.when.reader import read_rule  # the REPL needs no reader of texts until one is typed

    return read_rule(text, first)


def find_rule(text: str) -> str:
    """Return the words of a rule that a text has: every friday at 13:00; empty if it has none, or says more about the
    time.

    A time elsewhere in the text belongs to the rule: every friday school closes at 1.
    """
    from ana.time.when.reader import SOME_DAY, is_limited, read

    reading = read(text[:LONGEST], SOME_DAY)
    rules, times = reading.list_kind("RULE"), reading.list_kind("TIME")
    if len(rules) != 1 or len(times) > 1 or len(reading.pieces) > len(rules) + len(times):
        return ""
    rule = rules[0].value.rule
    is_more = is_limited(reading, rules[0]) or (times and "BYHOUR" in rule)
    if is_more or not any(part in rule for part in _CLEAR):
        return ""
    return text[reading.span(rules[0])] + "".join(f" at {time.value.at:%H:%M}" for time in times)


def tell_unread(texts: Iterable[str]) -> str:
    """Return a sentence if one of these texts describes a repetition that `find_rule` cannot read, else nothing."""
    from ana.time.when.reader import SOME_DAY, is_recurring, read

    is_unread = any(is_recurring(read(text[:LONGEST], SOME_DAY)) and not find_rule(text) for text in texts)
    return " I did not understand when it repeats: that is kept in its words alone." if is_unread else ""


def word_rule(text: str) -> str:
    """Return an RRULE in words, with its end; unchanged if there are no words for it."""
    try:
        rule = parse_rule(text, UTC)
    except ValueError:
        return text
    words = tell_rule(rule)
    if "=" in words:
        return text
    if rule.until:
        return _("{rule} until {day}").format(rule=words, day=rule.until.date())
    return _("{rule}, {n} times").format(rule=words, n=rule.count) if rule.count else words


def tell_rule(rule: Rule) -> str:
    """Return a settled rule in words: every 2 weeks on Tuesday."""
    if rule is NO_RULE:
        return _("on single dates")
    parity = next((name for name, weeks in PARITIES.items() if weeks == rule["BYWEEKNO"]), None)
    if rule.has("BYSETPOS", "BYYEARDAY") or (rule.has("BYWEEKNO") and not parity):
        return rule.text
    words = [_(_WEEKS[parity]) if parity else ngettext(*_UNITS[rule["FREQ"]], rule.interval)]
    # a calendar's 31st is none in a month without one, which a rule says by naming every weekday beside it
    is_strict = rule.has("BYMONTHDAY") and {*rule["BYDAY"].split(",")} == {*DAYS}
    if rule.has("BYDAY") and not is_strict:
        words.append(_("on {days}").format(days=_list(_tell_weekday(each) for each in rule["BYDAY"].split(","))))
    months = _list(pgettext("month in a date", _MONTHS[number - 1]) for number in rule.list_numbers("BYMONTH"))
    if days := rule.list_numbers("BYMONTHDAY"):
        form = _("on {days} of {months}") if months else _("on {days}")
        words.append(form.format(days=_list(_tell_day(day, is_strict) for day in days), months=months))
    elif months:
        words.append(_("in {months}").format(months=months))
    if rule.times:
        words.append(_("at {times}").format(times=_list(f"{each:%H:%M}" for each in rule.times)))
    elif hours := rule.list_numbers("BYHOUR"):
        words.append(_("at {hours} o'clock").format(hours=_list(map(str, hours))))
    if is_strict:
        words.append(_("where there is one"))
    elif days and 28 < max(days) < 31:
        words.append(_("(or the last day)"))
    return " ".join(words)


def _tell_weekday(code: str) -> str:
    name, which = pgettext("weekday", WEEKDAYS[DAYS.index(code[-2:])]), code[:-2]
    if not which:
        return name
    ordinal = _(_ORDINALS[which]) if which in _ORDINALS else f"{which}."
    return _("the {which} {weekday}").format(which=ordinal, weekday=name)


def _tell_day(number: int, is_strict: bool) -> str:
    if number in (-1, 31) and not is_strict:
        return _("the last day")
    return (_("day {n}") if number > 0 else _("day {n} from the end")).format(n=abs(number))


def _list(words: Iterable[str]) -> str:
    return ", ".join(words)
