"""Orders to change what is kept, and deeds that are told."""

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from ana.models.offline.details import Unclear, carried, tidy
from ana.models.offline.matching import Item, is_past, stems
from ana.models.offline.plans import OPEN, Change, Plan, change_each, say
from ana.models.offline.plans import change as changing
from ana.models.offline.prompt import ASKING, View
from ana.models.offline.wording import day_of
from ana.when import resolve, shift_of

_END = r"[.! ]*$"
_X = r"(?:both |all )?(?:the |my )?(?P<what>\S.*?)"
_DONE = r"(?:done|completed?|finished|ticked|off|over|sorted)"
_LEVEL = r"(?P<level>high|low|top|urgent|important|unimportant)(?:est)?(?:[ -]?priority)?"
_VERB = (
    r"(?:remind me|delete|remove|erase|move|push|shift|bring|reschedule|postpone|delay|rename|mark|set|make|tick|check|cross|"
    r"get rid of|scrap|trash|drop|cancel|take|re-?open|change|update|put|give|edit)"
)
_PRONOUN = re.compile(
    rf"^(?P<what>.+?)(?:[,;.!]| and| so)+ (?:so |and |please |just |can you |could you )*(?P<verb>{_VERB}) "
    r"(?:it|that one|that (?:task|note|item|reminder|idea)|that|them)\b(?P<rest>.*)$", re.I)  # fmt: skip
_HEDGED = re.compile(
    r"\b(?:but|because|if|would|was|were|should|might|maybe|unless|until|used to|wish|almost|nearly|not|never|think|want|hope|"
    r"cannot|try|tried|forgot|need|have to|got to|must|lost|broke)\b|n't\b|\?", re.I)  # fmt: skip
_ALL = re.compile(
    r"(?:it|that|this|them|these|those|all\b.*|every\w*\b.*|my (?:tasks|notes|items|ideas|reminders|list)|)", re.I
)
_DOING = stems("send do finish make get submit handle sort go complete take")
_INSTEAD = re.compile(
    r"\s+instead(?: of .*)?$|^(?:i'd rather|i would rather|i want to|let'?s|rather)(?: do| have)? (?=.*\binstead\b|.*)",
    re.I,
)

_NAMED = (
    r"(?!(?:i|i've|we|remind|have|got|need|speak|talk|make|create|add|note|new|put|reply|go|listen|get|how|what|up|remember|forget|"
    r"don't|try|want|used|like|task|todo|idea|reminder|book|buy|send|write|give|invite|bring|take)\b)"
)
"""A name stands first: neither an order nor a pronoun."""

RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple((kind, re.compile(pattern, re.I)) for kind, pattern in (
    ("reopen", rf"^(?:mark|set|put|flag|turn) {_X} (?:as |back to |back as |to )*(?:not (?:yet )?{_DONE}|undone|unfinished|open|active|incomplete|to-?do)(?: again)?{_END}"),
    ("reopen", rf"^(?:re-?open|restore|reactivate|un-?(?:tick|check|mark|do)|open again|open up|bring back) {_X}(?: again)?{_END}"),
    ("reopen", rf"^(?:i was wrong,? )?{_X}(?:,? so)?(?:'s| is| that one is| it's| it is| are) (?:still |back )?(?:open|active|not done|not finished)(?: again| after all)?{_END}"),
    ("done", rf"^(?:mark|set|tick|check|cross|flag|call) {_X} (?:as |off as |is |off )*{_DONE}(?: (?:my|the) list)?(?: now)?{_END}"),
    ("done", rf"^(?:tick|check|cross|strike)(?: off)? {_X}(?: (?:off|from)(?: (?:my|the) list)?)?{_END}|^complete (?P<complete>.+){_END}"),
    ("done", rf"^(?:(?:i|we)(?:'m|'re| am| are|'ve| have)? )?(?:just |already |all |finally )*(?:done|finished|completed|through)(?: with)?:? {_X}{_END}"),
    ("done", rf"^{_X}(?:'s| is| are| has been| have been|:|,)? (?:now |all |already |finally )*(?:done|finished|completed?|sorted|dealt with|taken care of)(?: now)?(?:[,;] .*)?{_END}"),
    ("rename", r"^rename (?:the |my )?(?P<what>\S.*?) (?:to|as|into):? (?P<new>.+)$"),
    ("rename", rf"^(?:edit|change|update|correct|reword|rewrite|make) {_X} (?:so (?:that )?it (?:says|reads)|to (?:say|read)|say|read)[: ]+(?P<new>.+)$"),
    ("rename", rf"^(?:change|edit|update) the (?:title|name|text|wording) of {_X} to (?P<new>.+)$"),
    ("rename", rf"^{_X} should (?:say|read|be (?:called|named)):? (?P<new>.+)$"),
    ("rename", rf"^(?:call|retitle) {_X} (?P<new>[\"'].+[\"'])(?: instead)?$"),
    ("priority", rf"^(?:make|set|mark|change|give|bump|raise|lower|put|turn|update|flag|drop|move) {_X}(?:'s)?(?: priority)?(?: up| down)?(?: (?:to|as|at|an?|into|on))* {_LEVEL}{_END}"),
    ("priority", rf"^(?P<level>raise|lower|increase|decrease) the priority (?:of|on|for) {_X}(?: to (?:high|low))?{_END}"),
    ("priority", rf"^(?P<level>de-?prioriti[sz]e|prioriti[sz]e) (?!my ){_X}{_END}"),
    ("priority", rf"^(?:the |my )(?P<what>\S.*?)(?:'s| is| are|n't)(?: now| really| very| not| no longer| (?:that )|n't)*\s?{_LEVEL}(?: now| any ?more)*{_END}"),
    ("project", rf"^(?:assign|move|add|link|attach|put) {_X} (?:to|under|into|in) (?:the )?(?:project )?(?P<new>\w+)(?: project){_END}"),
    ("delete", rf"^(?:delete|erase|remove|drop|scrap|trash|bin|cancel|discard|wipe|kick out|scratch|get rid of|throw (?:away|out)|dump|clear|cross out|ditch|call off|lose) {_X}(?: (?:from|off) (?:my|the) (?:list|tasks|calendar|notes|diary))?{_END}"),
    ("delete", rf"^take {_X} (?:off|from|out of) (?:my|the) (?:list|calendar|tasks|diary|to-?do list){_END}"),
    ("move", rf"^(?:move|reschedule|postpone|push|shift|delay|bump|defer|snooze|pull|change|switch|bring|put off|put back|push back|set(?! up)|give|update|make) (?!an? |sure |me ){_X}{_END}"),
    ("moved", rf"^{_NAMED}(?P<what>.+?(?:'s| is| are| got| has been| was)? (?:now |moved |due |rescheduled |postponed |pushed )+(?:to |on |at |until |for )?.+){_END}"),
    ("moved", rf"^{_NAMED}(?P<what>.+? new (?:due )?(?:date|deadline|time).+|.+? (?:is|are) (?:at|on) .+ now){_END}"),
    ("moved", rf"^(?P<what>.+ instead(?: of .+)?|i'd rather .+){_END}"),
    ("moved", rf"^{_NAMED}(?P<what>(?:[\w']+ ){{1,3}}to .+){_END}"),
))  # fmt: skip


def change(text: str, view: View, narrowed: str = "") -> Plan | None:
    """The plan for an order to change something; None where it is none.

    Args:
        text: What was said.
        view: All that the reader knows.
        narrowed: Further words for what is to be changed.
    """
    if text.endswith("?"):
        return None
    if pronoun := _PRONOUN.match(text):
        what, verb = pronoun["what"], pronoun["verb"]
        what = (
            what
            if re.match(r"change|move|make|push", verb, re.I)
            else re.split(r"(?:'s| is| isn't| can| are| aren't)\b", what)[0]
        )
        text = f"{verb} {what}{pronoun['rest']}"
    for kind, pattern in RULES:
        match = pattern.match(text)
        what = next((match[name] for name in ("what", "complete") if match and match.groupdict().get(name)), None)
        if match and what and (plan := _changed(kind, what, match, view, narrowed)):
            return plan
    return None


def deed(text: str, view: View) -> Plan | None:
    """Something that was to be done is told as done: every word must be the item's, save those of doing."""
    active = re.match(
        r"^(?:(?:i|we)(?:'ve| have)? )?(?:just |already |finally |now |also )*(?P<what>(?P<past>\w+) .+?)[.! ]*$",
        text,
        re.I,
    )
    passive = re.match(
        r"^(?P<what>.+?)(?:'s| is| are| has been| have been|'ve been)(?: now| already| finally| all)* (?P<past>\w+)(?: up| off| out| in| now| too)*[.! ]*$", text, re.I)  # fmt: skip
    match = next((m for m in (active, passive) if m and is_past(m["past"].lower())), None)
    if (
        match is None
        or _HEDGED.search(text)
        or re.match(r"(?:i|we|you|he|she|it|they|that|this)\b", match["what"], re.I)
    ):
        return None
    said = _without_days(f"{match['what']} {match['past']}", view.today)
    idle = _DOING if len(stems(said) - _DOING) > 1 else frozenset()
    what = " ".join(dict.fromkeys(word for word in said.split() if stems(word) - idle))
    return changing(what, Change(_set(status="done"), where=OPEN, strict=True)) if len(stems(what)) > 1 else None


def _changed(kind: str, what: str, match: re.Match[str], view: View, narrowed: str) -> Plan | None:
    if kind in ("move", "moved"):
        return _moved(what, view, narrowed, sure=kind == "move")
    what = re.sub(
        r"^(?:the |my )?(?:due )?(?:date|time|deadline|priority) (?:of|for|on) ",
        "",
        what.strip(" ?.!,:\"'"),
        flags=re.I,
    )
    if kind == "delete" and re.match(r"(?:what you know|the bit|the thing)\b", what):
        return None
    if (
        kind in ("done", "reopen")
        and _HEDGED.search(match[0])
        and not re.match(r"(?:mark|set|tick|re-?open|i was wrong)", match[0], re.I)
    ):
        return None
    level = (match.groupdict().get("level") or "").lower()
    lowered = re.search(r"^(?:low|de|unimp)|\b(?:not|no longer)\b|n't", f"{level} {match[0].replace(what, '')}", re.I)
    how = {
        "reopen": lambda: Change(_set(status="active"), where={"status": "done"}),
        "done": lambda: Change(_set(status="done"), where=OPEN),
        "rename": lambda: Change(lambda _: {"content": tidy(match["new"])}),
        "priority": lambda: Change(_set(priority="low" if lowered else "high")),
        "project": lambda: Change(_set(project=match["new"])),
        "delete": lambda: Change(lambda _: {}, "delete_item"),
    }[kind]()
    return _each(what, how, view, narrowed)


def _each(what: str, how: Change, view: View, narrowed: str) -> Plan | None:
    """Change what is named; things that are joined by "and" one after the other."""
    if _ALL.fullmatch(what):
        return say(f"{ASKING} Name it by its words; I change one at a time.")
    name = _without_days(what, view.today)
    return (
        change_each(name, [part for part in re.split(r",? and |, ", name) if stems(part)], how, narrowed)
        if stems(name)
        else None
    )


def _moved(what: str, view: View, narrowed: str, *, sure: bool) -> Plan | None:
    """Reschedule: what stands before the first joint behind which there is nothing but a day, a time or a span."""
    text = re.sub(r"(?:,? (?:now|please))+$", "", _INSTEAD.sub("", what))
    for joint in re.finditer(
        r"\s*:?\s+(?:(?:from .{3,20} )?to|until|till|for|on|by|at|is|are|a (?=due)|date|time|back|forward|later|earlier)\b\s*|(?:\s*:)?\s+(?=\d|(?:an?|one|two|three|four|five|six|seven) (?:minute|hour|day|week|month)s?\b)|:\s+",
        text,
    ):
        name, rest = text[: joint.start()], text[joint.start() :].strip(" :")
        name = re.sub(
            r" (?:'s|is|are|got|has been|was|back|forward|now|moved|due|rescheduled|postponed|pushed|new|a)+$", "", name
        )
        if sure and (by := shift_of(rest)):
            early = re.search(r"\b(?:earlier|forward)\b", rest, re.I)
            return _each(name, Change(_redated(by=-by if early else by)), view, narrowed)
        try:
            content, properties = carried(rest, view.now)
        except Unclear:
            continue
        due = properties.get("due_date")
        if due and not re.sub(
            r"\b(?:new|due|date|deadline|time|is|to|now|at|on|the|moved|back|forward|a|of)\b|\W", "", content.lower()
        ):
            given = due if resolve(rest, view.today) else due[10:]
            return _each(name, Change(_redated(to=given)), view, narrowed)
    return None


def _dated(item: Item, to: str = "", by: Any = None) -> dict[str, Any] | None:
    """A new date for an item: a day leaves the time that was set, a time ("T14:00") or a span the day."""
    old, day = str(item["properties"].get("due_date", ""))[:16], day_of(item)
    if by is not None or to.startswith("T"):
        if day is None:
            return None
        to = (
            old[:10] + to
            if by is None
            else (datetime.fromisoformat(old.partition(" ")[0]) + by).isoformat()[: len(old.partition(" ")[0])]
        )
    elif len(to) == 10 and day and old[10:11] == "T":
        to += old[10:16]
    return {"properties": {"due_date": to}}


def _redated(to: str = "", by: Any = None) -> Callable[[Item], dict[str, Any] | None]:
    return lambda item: _dated(item, to, by)


def _set(**properties: str) -> Callable[[Item], dict[str, Any]]:
    return lambda _: {"properties": properties}


def _without_days(text: str, today: date) -> str:
    """A name without the days in it, unless nothing else is left."""
    short = text
    for mention in reversed(resolve(text, today)):
        short = f"{short[: mention.start]} {short[mention.end :]}"
    return short if stems(short) else text
