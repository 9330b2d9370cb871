"""Rules in plain words, where these have one reading, and rules told in words."""

import re
from collections.abc import Iterable
from datetime import UTC, date

from ana.time.clock import WEEKDAYS
from ana.time.repeats.rules import DAYS, NO_RULE, UNITS, Rule, parse_rule

LONGEST = 200
"""Characters of a rule in words, and of a text at whose beginning one is looked for."""

_MONTHS = [date(2026, month, 1).strftime("%B") for month in range(1, 13)]
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
_NUMBERS = {"other": 2, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NUMBERS |= {
    name: n for n, name in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}
_ADVERBS = {
    "daily": "every day",
    "weekly": "every week",
    "monthly": "every month",
    "yearly": "every year",
    "annually": "every year",
    "fortnightly": "every 2 weeks",
    "quarterly": "every 3 months",
    "each": "every",
}
_NAMED = {name.lower(): code for name, code in zip(WEEKDAYS, DAYS, strict=True)}
_NAMED |= {name[:3]: code for name, code in _NAMED.items()} | {"tues": "TU", "thur": "TH", "thurs": "TH"}
_GROUPS = {"weekday": "MO,TU,WE,TH,FR", "weekend": "SA,SU"}
_BY_MONTH = {name: str(at) for at, month in enumerate(_MONTHS, 1) for name in (month.lower(), month[:3].lower())}

_NTH = r"(?P<nth>\d{1,2}(?:st|nd|rd|th)?|last|first)(?: day)?"
_DAY_NAME = "|".join(sorted((*_NAMED, *_GROUPS), key=len, reverse=True))
_WEEKDAYS = rf"(?P<days>(?:{_DAY_NAME})s?(?:(?: and | )(?:{_DAY_NAME})s?)*)"
_EVERY = rf"every(?: (?P<n>\d{{1,3}}|{'|'.join(_NUMBERS)}))?"
_MONTH_NAME = rf"(?P<month>{'|'.join(_BY_MONTH)})"
_OF_MONTH = r"(?: of (?:the|every|a) month| (?:of )?every month)"
_DATE = (
    rf"(?:{_MONTH_NAME} (?P<day>\d\d?)|(?P<nr>\d\d?)(?:st|nd|rd|th)?\.?(?: of)? {_MONTH_NAME.replace('month', 'of')})"
)
_ISO_WEEKS = re.compile(r"\b(every|in|on) (odd|even)(?: iso| calendar)? weeks?\b")
_PARITIES = {name: ",".join(map(str, range(first, 54, 2))) for name, first in (("odd", 1), ("even", 2))}
"""Not every second week: after a year of 53 weeks an odd one follows an odd one."""

_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_EVERY} (?P<unit>day|week|month|year)s?",
        rf"{_EVERY} weeks? on {_WEEKDAYS}",
        rf"{_EVERY} months? on (?:the )?{_NTH}",
        rf"(?:{_EVERY} years? on|every) (?:the )?{_DATE}",
        rf"(?:every |on )?(?:the )?(?P<which>{'|'.join(_ORDINALS)}) (?P<weekday>{'|'.join(_NAMED)}){_OF_MONTH}",
        rf"every month on the (?P<which>{'|'.join(_ORDINALS)}) (?P<weekday>{'|'.join(_NAMED)})",
        rf"(?:every |on )?(?:the )?{_NTH}{_OF_MONTH}",
        rf"{_EVERY} {_WEEKDAYS}",
        rf"(?:on )?(?P<days>(?:{_DAY_NAME})s(?:(?: and | )(?:{_DAY_NAME})s)*)",
    )
)
_SAID = re.compile(
    r"\b(?:(?:\d{1,2}(?:st|nd|rd|th)?|first|second|third|fourth|last)(?: day| \w+day)? of (?:the|every|each|a) month"
    rf"|(?:every|each) (?:(?:{'|'.join(_NUMBERS)}|\d+) )?\w+(?: and \w+day)*)\b"
)
_CLEAR = ("FREQ=DAILY", "BYDAY", "BYMONTHDAY")
"""What a rule has that does not take its day from today; "every month" alone may mean another day of it."""
_UNCLEAR = re.compile(
    r"\b(?:except|until|till|unless)\b|\bbut (?:not\b|on\b|\w+day)|\d(?:st|nd|rd|th|[ap]m)? (?:and|&) (?:the |at )?\d"
)
_AT_NUMBER = re.compile(r"\bat \d")
"""What a rule that is found in a text would leave out: its end, another day, or a time that has not been read."""
_REPEATING = re.compile(
    r"\b(?:(?:every|each) (?:other|second|two|three|day|week|month|year|morning|evening|night|first|last|\w+day)"
    r"|(?:every|each) (?:\d+(?:st|nd|rd|th)?|\w+ (?:day|week|month|year)s)|annually|fortnightly"
    r"|(?:dai|week|month|quarter|year)ly(?! (?:report|review|meeting|stand-?up|sync|call))"
    r"|week(?:day|end)s|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|(?:twice|\w+ times) a (?:day|week|month|year)|\d(?:st|nd|rd|th) and (?:the )?\d+(?:st|nd|rd|th)"
    rf"|(?:every|each) {_MONTH_NAME})\b"
)
_AT = re.compile(r" at (?P<times>.+)$")
_TIME = re.compile(r"(\d{1,2})(?::(\d\d))? ?([ap]m)?")
_OFTEN = re.compile(r"\b\w+ times (?:a|per) day(?= at )")
_FILLER = re.compile(r"\b(?:in the |on )?(?:morning|afternoon|evening|night)s?\b|[,.;]")


def read_words(text: str) -> str | None:
    """Return the RRULE of plain English words; None if they have none, or more than one reading."""
    if len(text) > LONGEST:
        return None
    said = _FILLER.sub(" ", _OFTEN.sub("every day", text.lower()))
    said = " ".join(_ADVERBS.get(word, word) for word in said.split())
    if weeks := _ISO_WEEKS.search(said):
        whole = f"{said[: weeks.start()]}{'every week' if weeks.start() == 0 else ''}{said[weeks.end() :]}"
        rule = read_words(whole) or ""
        # without a weekday it would be each day of such a week
        by_number = f"FREQ=YEARLY;BYWEEKNO={_PARITIES[weeks[2]]};BYDAY"
        return rule.replace("FREQ=WEEKLY;BYDAY", by_number) if rule.startswith("FREQ=WEEKLY;BYDAY") else None
    times = _AT.search(said)
    day = said[: times.start()] if times else said
    match = next((found for form in _FORMS if (found := form.fullmatch(day))), None)
    if match is None:
        return None
    at = _read_times(times["times"]) if times else ""
    return None if at is None else _write(match.groupdict()) + at


def find_rule(text: str) -> str:
    """Return the words of a rule that a text has, with its time: every friday at 13:00; empty without one."""
    from ana.time.when import find_times  # the REPL needs no reader of texts until one is typed

    said, times = _SAID.search(text.lower()[:LONGEST]), find_times(text[:LONGEST])
    words = f"{said[0]} at {times[0].at:%H:%M}" if said and len(times) == 1 else said[0] if said else ""
    rule = read_words(words) or ""
    rest = text.lower()[: times[0].start] + text.lower()[times[0].end :] if len(times) == 1 else text.lower()
    is_clear = (
        any(part in rule for part in _CLEAR)
        and len(times) < 2
        and not (_UNCLEAR.search(text.lower()) or _AT_NUMBER.search(rest))
    )
    return words if is_clear else ""


def tell_unread(texts: Iterable[str]) -> str:
    """Return a sentence if one of these says that it repeats in a way that `find_rule` does not read, else nothing."""
    is_unread = any(_REPEATING.search(text.lower()[:LONGEST]) and not find_rule(text) for text in texts)
    return " I did not understand when it repeats: that is kept in its words alone." if is_unread else ""


def _write(said: dict[str, str | None]) -> str:
    n, nth, which = said.get("n"), said.get("nth"), said.get("which")
    count = _NUMBERS.get(n or "", 0) or int(n or 1)
    every = f";INTERVAL={count}" if count > 1 else ""
    if which:
        return f"FREQ=MONTHLY;BYDAY={_ORDINALS[which]}{_NAMED[str(said['weekday'])]}"
    if days := said.get("days"):
        names = [word if word in _NAMED else word.removesuffix("s") for word in days.split() if word != "and"]
        return f"FREQ=WEEKLY{every};BYDAY={','.join(_GROUPS.get(name) or _NAMED[name] for name in names)}"
    if month := said.get("month") or said.get("of"):
        return f"FREQ=YEARLY{every};BYMONTH={_BY_MONTH[month]};BYMONTHDAY={int(said['day'] or said['nr'] or 1)}"
    if nth:
        day = _ORDINALS.get(nth) or int(re.sub(r"\D", "", nth))
        return f"FREQ=MONTHLY{every};BYMONTHDAY={day}"
    unit = next(freq for freq, name in UNITS.items() if name == said["unit"])
    return f"FREQ={unit}{every}"


def _read_times(text: str) -> str | None:
    """Return the part of a rule for times of a day; None if they are none, or one rule cannot have them."""
    found = [_TIME.fullmatch(word) for word in re.split(r",? and | ?& ?|, ?| (?![ap]m)", text)]
    times = set()
    for match in found:
        hour = int(match[1]) if match else 24
        if match and match[3] and 1 <= hour <= 12:
            hour = hour % 12 + (12 if match[3] == "pm" else 0)
        if match is None or hour > 23 or int(match[2] or 0) > 59:
            return None
        times.add((hour, int(match[2] or 0)))
    minutes = {minute for _, minute in times}
    if len(minutes) != 1:
        return None
    return f";BYHOUR={','.join(str(hour) for hour, _ in sorted(times))};BYMINUTE={minutes.pop()}"


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
