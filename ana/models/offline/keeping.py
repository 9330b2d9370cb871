"""Statements, which are kept in their own words: all that is no order, no question and no talk; and that talk."""

from ana.models.offline.plans import HELP, UNDO, Call, Plan, do, keep, refuse, say
from ana.models.offline.view import View, pattern, words_of
from ana.phrases import find_words, fold
from ana.time.repeats import find_rule
from ana.time.when import find_single, is_only_when

MANY = "Shall I keep each of them as an item? Say yes."
NOTHING = "All right. I changed nothing."
_BULLET = r"\s*(?:[-*•·–☐]|\d{1,2}[.)])\s+(?:\[ ?\]\s*)?(\S.*)"
_MAIL = r"(?:(?:from|to|cc|subject|date|von|an|betreff|de|a|objet|para|asunto|oggetto) ?:[^\n]*\n){2}|>"
_I = "(?:i|i'?m|i'?ve|ich|je|yo|soy|io|sono)"
_UNDO = r"(?:mach (?:das|es) )?(?:bitte )?<undo>(?:\W+(?:<polite>|that|it|this|the|last|one|change|thing))*\W*$"
_SHELL = r"[$>] |\./|(?:git|sudo|npm|npx|pip|docker|kubectl)\s|(?:rm|cd|ls|ssh|curl|cat|cp|mv|apt)\s+(?:-|\S*[/.])"


def read_talk(view: View) -> Plan | None:
    """Answer what is only talk, take back what the last turn changed, and refuse a shell's commands."""
    said, words = fold(view.text), {*find_words(fold(view.text))}
    if pattern(_UNDO).match(view.low):
        return do("undo", {}, lambda done: f"Taken back. `ana undo --turn {done['undo']}` brings it back.")
    if pattern(_SHELL).match(said):
        return refuse("that looks like a command for a shell.")
    if pattern(r"<help>\W*$").match(view.low):
        return say(HELP)
    if pattern(r"<never mind>(?:\W+\w+){0,3}\W*$|(?:<yes>|<no>)(?:\W+(?:<yes>|<no>|<polite>))*\W*$").match(said):
        return say(NOTHING)
    if words and not (words & words_of("talk", "thanks") and words <= words_of("talk", "thanks", "soft", "yes", "no")):
        return None
    return say("You are welcome." if words & words_of("thanks") else "Tell me what to keep, or ask for what is kept.")


def read_paste(view: View, most: int = 20) -> Plan | None:
    """Keep a long text: each line as an item under bullets, else all as one note. More than `most` are asked about."""
    if "\n" not in view.text and len(view.text) < 2000:
        return None
    lines = [line for line in view.text.splitlines() if line.strip()]
    first, *others = map(pattern(_BULLET).fullmatch, lines)
    bullets = [bullet[1].strip() for bullet in (first, *others) if bullet]
    kind, content = _take_lead_in(view)
    if not (bullets and all(others)) or kind in ("note", "idea") or pattern(_MAIL).match(fold(view.text)):
        return keep([_make_item(content, kind or "note")])
    if len(bullets) > most:
        return say(f"That is a list of {len(bullets)} lines. {MANY}")
    heading = "" if kind or first else lines[0].strip(" :")
    return keep([_make_item(bullet, kind, find_single(bullet, view.now), list=heading) for bullet in bullets])


def read_lead_in(view: View) -> Plan | None:
    """Keep what begins with words that say what it is."""
    kind, content = _take_lead_in(view)
    return keep_as(kind, content, view) if kind and content else None


def read_about_person(view: View) -> Plan | None:
    """Keep what people say of themselves as a line about them, unless it is of one day."""
    said = pattern(rf"<remember>\W+(?P<told>{_I}\b)|<about me>(?! \w+ed\b| met\b| said\b)").match(view.low)
    if not said or find_single(view.text, view.now, is_timed=False):
        return None
    line = {"content": view.wish[max(said.start("told"), 0) :]}
    return do("append_context", line, lambda done: f"I will remember about you: “{done['content']}”. {UNDO}")


def keep_as(kind: str, content: str, view: View) -> Plan:
    """Keep something as an item of a type, empty for none, with the day that the whole message names."""
    return keep([_make_item(content, kind, find_single(view.text, view.now, is_timed=kind not in ("note", "idea")))])


def _make_item(content: str, kind: str, due: str | None = None, **more: str) -> Call:
    is_to_do = due or kind in ("reminder", "task", "appointment")
    repeats = "" if due or kind in ("note", "idea") else find_rule(content)
    properties = {"type": kind, "status": "active" if is_to_do else "", "due_date": due, "repeats": repeats} | more
    return "create_item", {"content": content, "properties": {key: value for key, value in properties.items() if value}}


def _take_lead_in(view: View) -> tuple[str, str]:
    """The type that the first words of a message give it, and the message without them; without a type all of it."""
    for kind in ("reminder", "task", "note", "idea", "appointment"):
        match = pattern(rf"(?P<when>.*?)(?P<lead>(?:<making>\s+)*(?<!have |need )(?<!had )<{kind}>)").match(view.low)
        if not match or not is_only_when(match["when"], view.now):
            continue
        rest, asks = match.end("lead"), "|<asking>|wh\\w+'?s\\b" if kind == "reminder" else ""
        if pattern(rf"\W*(?:${asks})").match(view.low, rest):
            return "", view.text
        name = {"note": r"\s+<about>", "idea": r"\s+(?![–—:-])", "appointment": r"\s+(?![–—:-])"}.get(kind)
        if name and pattern(name).match(view.low, rest):
            return kind, view.text
        # the last joint that only a day or a time stands before
        joints = pattern(r"\s*(?::|,|[–—-](?=\s))\s*|\s+<joint>\s*").finditer(view.low, rest)
        ends = [joint.end() for joint in joints if is_only_when(view.wish[rest : joint.start()], view.now)]
        return kind, view.wish[ends[-1] if ends else rest :].strip(" \t\n,;:-–—")
    return "", view.text
