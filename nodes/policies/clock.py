"""The present time and date are the prompt's, a result of `now`, or the clock's."""

import re
from collections.abc import Iterable
from datetime import datetime

from nodes.policies.dates import spell, todays
from nodes.policies.days import find_days, find_weekdays
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.moments import Moment, find_moments, find_written, is_near
from nodes.policies.questions import asks_clock
from nodes.policies.texts import asks, blank_quotes, is_composed, says_no, split_lines

MOST_BEFORE = 80
"""Characters of a clause that are looked at before a time."""
TOLERANCE = 2
"""Minutes that may pass between the reading of the clock and the answer."""

_PLACE = r"(?:\s*(?:in|en|à|au|over there in)\s*[\w ]+?)?"
_ASKS = re.compile(
    # the whole message asks for it, and for nothing else: "what time is my appointment" does not
    r"\W*(?:(?:quick|hey|hi|ok|bitte|sag mir|por favor|dime|dis-moi|s'il (?:te|vous) pla[iî]t)[\s,]+)*(?:"
    r"the (?:time|date)|hast du die uhrzeit|wie spät(?: (?:ist|haben) (?:es|wir))?|wie ?viel uhr(?: (?:ist"
    r"|haben) (?:es|wir))?"
    r"|(?:welche[rsn]?|was für ein) (?:wochentag|tag|datum|jahr)(?: (?:ist|haben))?(?: (?:es|wir))?"
    r"|(?:den |der )?wievielten?(?: (?:ist|haben))?(?: wir)?|(?:die )?(?:aktuelle )?(?:uhrzeit|das heutige datum)"
    r"|qué (?:hora|día|fecha|año)(?: de la semana)? (?:es|tienes|tenemos|estamos)|(?:la )?(?:hora|fecha)(?: actual)?"
    r"|a (?:cuánto|qué día|cuántos) estamos|en qué (?:día|año|fecha) estamos"
    r"|quelle heure(?: est-il| il est)?|(?:tu as |vous avez )?l['’]?heure(?: actuelle)?|heure"
    r"|(?:quelle est )?la date|(?:on est |nous sommes )?(?:le )?(?:combien|quel jour|quelle date)(?: sommes-nous"
    r"| est-on| est-ce)?"
    r"|quel jour (?:sommes-nous|est-on|on est|est-ce)|en quelle année sommes-nous"
    r"|(?:(?:今|いま|現在|今日|今年|[ァ-ヶー一-龠]+(?:は今|の今|は現在))(?:は|の|って)?){0,3}(?:何時|何日|何曜日|日付|時刻|時間|何年)(?:です|だ)?(?:っけ|か|は"
    r"|を?教えて|(?:わ|分)か(?:る|りますか))?"
    rf")(?: (?:est-il|il est))?{_PLACE}"
    r"(?:\s*(?:please|right now|now|today|denn|eigentlich|nochmal|jetzt|gerade|heute|ahora|hoy|maintenant"
    r"|aujourd['’]hui"
    r"|d['’]aujourd['’]hui|bitte|por favor"
    r"|s['’]il (?:te|vous) pla[iî]t|,))*\W*",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    # the clause that gives a time as the present one, up to the time
    r"(?:\b(?:it['’]?s|it is|the time is)(?: (?:already|now|currently|just|about|almost|nearly|around|only"
    r"|exactly|still))*"
    r"|\bes ist(?: (?:jetzt|schon|gerade|bereits|aktuell|erst|etwa|kurz (?:vor|nach)|genau))*"
    r"|\bwir haben(?: jetzt| gerade)?"
    r"|\b(?:jetzt|gerade|aktuell) ist es(?: schon| erst)?"
    r"|\b(?:son|es)(?: ya| ahora| casi)* las?|\bya son las|\bahora(?: mismo)?,? (?:son|es) las?"
    r"|\bil (?:n['’])?est(?: déjà| maintenant| actuellement| presque| environ| encore| que)*"
    r"|(?:今は?|現在は?|いまは?|ただいま|もう|まだ)、?(?:もう|まだ)?)[\s*_]*$",
    re.IGNORECASE,
)
_PRESENT_BEHIND = re.compile(
    r"[\s*_]*(?:right now|now|at the moment|jetzt|gerade|ahora|maintenant)\b|を?回りました|になりました|を?過ぎ",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"\b(?:nous sommes|on est|estamos a|wir haben)(?: (?:le|el|den|heute|aujourd['’]hui|hoy|\w+di"
    r"|dimanche))*[\s*_]*$",
    re.IGNORECASE,
)
_IS_IT = re.compile(
    r"\bis (?:it|today)\b|\bist (?:es|heute)\b|\b(?:ya|hoy) es\b|\bes hoy\b|\b(?:on est|nous sommes)\b"
    r"|今日",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(r"\b(?:when|if|wenn|falls|si|cuando|quand|lorsque)\b|なら|とき", re.IGNORECASE)


def clock_is_read(e: Evidence) -> Violation | None:
    """Require that the present time or date comes from the clock."""
    asked = bool(asks_clock(e.question) or _ASKS.fullmatch(e.question.strip())) and not _SUPPOSES.search(e.question)
    text = blank_quotes(e.draft)
    if asked and "now" not in e.tools and _tells_moment(text, e):
        return _violation("It tells the present time or date, but now did not run this turn.")
    if e.now is None or is_composed(e.draft) or (wrong := _find_wrong(text, e, asked)) is None:
        return None
    return _violation(
        f'It gives "{wrong}" as the present, but it is {e.prompt.splitlines()[0] if e.prompt else spell(e.now.date())}.'
    )


def _violation(what: str) -> Violation:
    reason = f"{what} Call now, then answer from it; or leave the present time out."
    return Violation("clock", reason, "I did not manage to read the clock. Please ask again.")


def _tells_moment(text: str, e: Evidence) -> bool:
    stated = " ".join(line for line in split_lines(text) if not asks(line) and not says_no(line))
    today = (e.now or datetime.now().astimezone()).date()
    return bool(find_moments(stated) or find_days(stated, today) or find_weekdays(stated) or _YEAR.search(stated))


_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年|\b\d{1,2}\b|\d{1,2}日")


def _find_wrong(text: str, e: Evidence, asked: bool) -> str | None:
    """Return what a draft gives as the present and is not."""
    clock = _readings(e, asked)
    given = [m for m in find_moments(text) if _is_present(text, m.start, m.end, asked)]
    # a stored time ("it's at 9:30") is no reading of the clock; one that answers the question for it is
    wrong = [m for m in given if not any(is_near(m.minutes, at, TOLERANCE) for at in clock)]
    if wrong and len(wrong) == len(given) and (asked or not _is_stored(wrong[0], e)):
        return text[wrong[0].start : wrong[0].end].strip()
    now = todays(e)
    days = [day for day in find_days(text, max(now)) if asked or _TODAY.search(_line_before(text, day.start))]
    named = find_weekdays(text) if _asks_weekday(e.question) else []
    if named and not {name.number for name in named} & {day.weekday() for day in now}:
        return text[named[0].start : named[0].end]
    if days and not any(now & set(day.dates) for day in days):
        return text[days[0].start : days[0].end]
    return None


def _asks_weekday(question: str) -> bool:
    """Whether a message asks if today is a certain day."""
    return asks(question) and bool(_IS_IT.search(question)) and len(find_weekdays(question)) == 1


def _is_stored(moment: Moment, e: Evidence) -> bool:
    """Whether a time stands in what the turn has seen."""
    return any(moment.minutes & seen.minutes for text in e.texts() for seen in find_written(text))


def _is_present(text: str, start: int, end: int, asked: bool) -> bool:
    before = _line_before(text, start)
    if _SUPPOSES.search(before):
        return False
    return asked or bool(_PRESENT.search(before) or _PRESENT_BEHIND.match(text, end))


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
