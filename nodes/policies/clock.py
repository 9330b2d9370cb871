"""The present time and date are the prompt's, a result of `now`, or the clock's."""

import re
from collections.abc import Iterable

from nodes.policies.dates import spell, todays
from nodes.policies.days import find_days, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.messages import POLITE
from nodes.policies.moments import Moment, find_moments, find_written, is_near, spell_out
from nodes.policies.texts import asks, blank_quotes, is_composed, read_words, says_no, split_lines

MOST_BEFORE = 80
"""Characters of a clause that are looked at before a time."""
TOLERANCE = 2
"""Minutes that may pass between the reading of the clock and the answer."""

_MOMENTS, _BEFORE_MOMENTS = read_words("moments"), read_words("before moments")
_AROUND = _BEFORE_MOMENTS | read_words("asking")
_PLACE = re.compile(r"(?<=\w)[ ,]+(?:in|over in|en|à|au) (?!(?:the|my|your|our)\b)\w[\w /]*(?=\W*$)", re.IGNORECASE)
_ASKS_CJK = re.compile(
    r"\W*(?:(?:今|いま|現在|今日|今年|[ァ-ヶー一-龠]+(?:は今|の今|は現在))(?:は|の|って)?){0,3}"
    r"(?:何時|何日|何曜日|日付|時刻|時間|何年)(?:です|だ)?(?:っけ|か|は|を?教えて|(?:わ|分)か(?:る|りますか))?\W*"
)
_SUBJECT = r"it|time|es|wir|las?|il"
_COPULA = r"is|['’]s|ist|haben|es|son|n['’]est|est"
_NOW = r"now|currently|already|jetzt|schon|gerade|bereits|aktuell|ahora|ya|maintenant|actuellement|déjà"
_DEGREE = (
    r"right|just|about|almost|nearly|around|only|exactly|still|there|erst|etwa|kurz (?:vor|nach)|genau|noch|dort|da"
    r"|mismo|casi|presque|environ|encore|que"
)
_RUN = re.compile(
    rf"(?:(?<![^\W\d_])(?:{_SUBJECT}|{_COPULA}|{_NOW}|{_DEGREE})(?![^\W\d_])[\s*_,]*|['’]s(?![^\W\d_])[\s*_]*)+$",
    re.IGNORECASE,
)
"""The words right before a time that is the present one, in any order: a preposition ("at", "until") ends them."""
_AT_A_PLACE = re.compile(r"\b(?:in|en|à|au) (?-i:[A-Z])\w+", re.IGNORECASE)
_HAS_SUBJECT, _HAS_COPULA, _HAS_NOW = (
    re.compile(rf"(?:(?<![^\W\d_])|(?=['’]))(?:{words})(?![^\W\d_])", re.IGNORECASE)
    for words in (_SUBJECT, _COPULA, _NOW)
)
_PRESENT_CJK = re.compile(
    r"(?:(?:今|いま|現在)(?![日週月年朝夜晩度回から])[^。から]{0,16}|ただいま、?|(?:もう|まだ)、?)[\s*_]*$"
)
_STATED_CJK = re.compile(r"(?:半|少し前|ごろ|頃|くらい|過ぎ|すぎ|前)*(?:です|だ|な|で[、す]|を|、|[。！!]|\W*$)")
"""What follows a time that is told, and not one at which something begins or ends."""
_PRESENT_BEHIND = re.compile(
    r"[\s*_]*(?:right now|now|at the moment|jetzt|gerade|ahora|maintenant)\b|を?回りました|になりました|を?過ぎ",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"\b(?:nous sommes|on est|estamos a|wir haben)(?: (?:le|el|den|heute|aujourd['’]hui|hoy|\w+di"
    r"|dimanche))*[\s*_]*$",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\b(?:when|if|wenn|falls|si|cuando|quand|lorsque)\b|なら|とき", re.IGNORECASE)


def clock_is_read(e: Evidence) -> Violation | None:
    """Require that the present time or date comes from the clock."""
    asked = any(map(_asks_moment, split_lines(e.question))) and not _SUPPOSES.search(e.question)
    text = blank_quotes(e.draft)
    if asked and "now" not in e.tools and _tells_moment(text, e):
        return _violation("It tells the present time or date, but now did not run this turn.")
    if e.now is None or is_composed(e.draft):
        return None
    wrong = _find_wrong_time(text, e, asked) or _find_wrong_day(text, e, asked)
    present = e.prompt.splitlines()[0] if e.prompt else spell(e.now.date())
    return _violation(f'It gives "{wrong}" as the present, but it is {present}.') if wrong else None


def _asks_moment(sentence: str) -> bool:
    """Whether a sentence asks for the present time or date, and for nothing else."""
    if _ASKS_CJK.fullmatch(sentence):
        return True
    words = _split_words(_PLACE.sub("", POLITE.sub("", sentence)))
    named = [n for n, word in enumerate(words) if word in _MOMENTS]
    if not named or re.search(r"\d", sentence) or not set(words) <= _MOMENTS | _AROUND:
        return False
    return named[0] == 0 or words[named[0] - 1] in _BEFORE_MOMENTS


def _split_words(sentence: str) -> list[str]:
    return re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", sentence.lower())


def _violation(what: str) -> Violation:
    reason = f"{what} Call now, then answer from it; or leave the present time out."
    return Violation("clock", reason, "I did not manage to read the clock. Please ask again.")


def _tells_moment(text: str, e: Evidence) -> bool:
    stated = " ".join(line for line in split_lines(text) if not asks(line) and not says_no(line))
    days = find_days(stated, e.today) or find_weekdays(stated) or _YEAR.search(stated)
    return bool(days or any(map(find_moments, spell_out(stated))))


_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年|\b\d{1,2}\b|\d{1,2}日")


def _find_wrong_time(text: str, e: Evidence, asked: bool) -> str | None:
    clock, given = _readings(e, asked), list[tuple[str, Moment]]()
    for spelled in spell_out(text):
        for moment in find_moments(spelled):
            if _is_present(spelled, moment.start, moment.end, asked) or _is_shifted(moment, e):
                given.append((spelled[moment.start : moment.end].strip(), moment))
    # a stored time ("it's at 9:30") is no reading of the clock; one that answers the question for it is
    if not given or any(is_near(moment.minutes, at, TOLERANCE) for _, moment in given for at in clock):
        return None
    words, moment = given[0]
    return words if asked or not _is_stored(moment, e) else None


def _is_shifted(moment: Moment, e: Evidence) -> bool:
    """Whether a time is a reading of the clock moved by whole hours: that of another place, worked out."""
    if re.search(r"\d", e.question):  # in 2 hours, at 9
        return False
    minutes = {at % 60 for at in _readings(e, asked=True)}
    return any(m % 60 in minutes and m % QUARTER for m in moment.minutes) and not _is_stored(moment, e)


QUARTER = 15
"""Minutes. Whatever is planned begins at a quarter of an hour, so that such a time may be anything."""


def _find_wrong_day(text: str, e: Evidence, asked: bool) -> str | None:
    now = todays(e)
    named = find_weekdays(text) if any(map(_asks_weekday, split_lines(e.question))) else []
    if named and not {name.number for name in named} & {day.weekday() for day in now}:
        return text[named[0].start : named[0].end]
    days = [day for day in find_days(text, max(now)) if asked or _TODAY.search(_line_before(text, day.start))]
    if days and not any(now & set(day.dates) for day in days):
        return text[days[0].start : days[0].end]
    return None


def _asks_weekday(sentence: str) -> bool:
    """Whether a sentence asks if it is a certain day, and not if something is on that day."""
    # "on Monday" is no such question
    days = [day for day in find_weekdays(sentence) if _RUN.search(sentence[: day.start])]
    rest = set(_split_words(sentence)) - {sentence[day.start : day.end].lower() for day in days}
    return bool(days) and asks(sentence) and rest <= _AROUND


def _is_stored(moment: Moment, e: Evidence) -> bool:
    """Whether a time stands in what the turn has seen."""
    return any(moment.minutes & seen.minutes for text in e.texts() for seen in find_written(text))


def _is_present(text: str, start: int, end: int, asked: bool) -> bool:
    before = _line_before(text, start)
    if _SUPPOSES.search(before):
        return False
    if asked or _PRESENT_BEHIND.match(text, end) or (_PRESENT_CJK.search(before) and _STATED_CJK.match(text, end)):
        return True
    run = _RUN.search(before)
    if run is None or not _HAS_COPULA.search(run[0]):
        return False
    # "dort ist jetzt 13:40", but not "kickoff is now 15:30"
    leads = re.sub(r"\W", "", _AT_A_PLACE.sub("", before[: run.start()].rpartition(",")[2]))
    return bool(_HAS_SUBJECT.search(run[0]) or (_HAS_NOW.search(run[0]) and not leads))


def _line_before(text: str, at: int) -> str:
    return re.split(r"[.!?。！？\n]\s*", text[max(0, at - MOST_BEFORE) : at])[-1]


def _readings(e: Evidence, asked: bool) -> set[int]:
    """Return the minutes since midnight that the clock showed in this turn."""
    seen = [call.text for call in e.calls if call.tool == "now" and call.ok]
    if asked and seen:  # of the zone that was asked for
        return _minutes(seen)
    found = _minutes([*seen, *e.prompt.splitlines()[:1]])
    return found | ({e.now.hour * 60 + e.now.minute} if e.now else set())


def _minutes(seen: Iterable[str]) -> set[int]:
    times = (re.search(r"\d{4}-\d\d-\d\d[T ](\d\d):(\d\d)", text) for text in seen)
    return {int(m[1]) * 60 + int(m[2]) for m in times if m}
