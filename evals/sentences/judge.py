"""Judging what became of a sentence: useful, useless but harmless, or a wrong write.

It goes by what was done (the calls that succeeded, with their arguments) and by what was shown: the items whose words
stand in the answer.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ana.tracing.schema import Step
from evals.sentences.data import Sentence

WRITES = frozenset({"create_item", "update_item", "delete_item", "append_context", "replace_context", "delete_context"})
MOST_SHOWN = 5
_NOTHING = re.compile(r"\b(?:nothing|none|no|not|already)\b|n't\b", re.IGNORECASE)

Verdict = Literal["useful", "useless", "wrong"]
_ORDER: tuple[Verdict, ...] = ("useful", "useless", "wrong")


@dataclass(frozen=True)
class Outcome:
    """What became of a sentence.

    Args:
        sentence: The sentence.
        answer: What was answered.
        verdict: Whether it helped, did nothing, or did harm.
        why: What is missing or wrong; empty where it was useful.
    """

    sentence: Sentence
    answer: str
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class Effect:
    """What a sentence caused.

    Args:
        sentence: The sentence.
        writes: The calls that changed something, in order.
        tools: The names of all tools that were called.
        answer: What was answered.
        shown: The ids of the items whose words stand in the answer.
    """

    sentence: Sentence
    writes: Sequence[Step]
    tools: frozenset[str]
    answer: str
    shown: frozenset[str]

    @property
    def written(self) -> list[str]:
        """Return the tools that changed something."""
        return [step["tool"] for step in self.writes]

    @property
    def says_no(self) -> bool:
        """Whether the answer says that something was not found or not done."""
        return _NOTHING.search(self.answer) is not None

    @property
    def asks(self) -> bool:
        return "?" in self.answer


Finding = tuple[Verdict, str]
_USEFUL: Finding = ("useful", "")


def judge(sentence: Sentence, steps: Sequence[Step], answer: str, contents: Mapping[str, str]) -> Outcome:
    """Return what became of a sentence; where it has several right meanings, by the one that serves it best.

    Args:
        sentence: The sentence, and what it means.
        steps: What was called.
        answer: What was answered.
        contents: The content of each item of the world, by id.
    """
    writes = [step for step in steps if step["tool"] in WRITES and _succeeded(step)]
    tools = frozenset(step["tool"] for step in steps)
    effect = Effect(sentence, writes, tools, answer, find_shown(answer, contents))
    findings = [_JUDGES[meaning](effect) for meaning in (sentence.means, *sentence.also)]
    verdict, why = min(findings, key=lambda finding: _ORDER.index(finding[0]))
    return Outcome(sentence, answer, verdict, why)


def find_shown(answer: str, contents: Mapping[str, str]) -> frozenset[str]:
    """Return the items whose content is in the answer; one that is only there within another's does not count."""
    shown = set()
    for id, content in sorted(contents.items(), key=lambda pair: -len(pair[1])):
        if content in answer:
            shown.add(id)
            answer = answer.replace(content, "\n")
    return frozenset(shown)


def _succeeded(step: Step) -> bool:
    seen = step["observation"]
    return not (isinstance(seen, dict) and {"error", "existing"} & seen.keys())


def _judge_keeping(seen: Effect) -> Finding:
    if not seen.writes:
        return "useless", "nothing was kept"
    if seen.written != ["create_item"]:
        return "wrong", f"wrote {seen.written}"
    args = seen.writes[0]["args"]
    properties = args.get("properties") or {}
    if lost := _find_lost(seen.sentence, str(args["content"])):
        return "wrong", f"lost {lost}"
    due, right = properties.get("due_date"), seen.sentence.due
    if right is not None and due not in right:
        return ("wrong", f"is due {due}, not {right}") if due else ("useless", f"has no date, not {right}")
    if seen.sentence.type and properties.get("type") != seen.sentence.type:
        return "useless", f"is kept as {properties.get('type')}, not as {seen.sentence.type}"
    return _USEFUL


def _judge_line(seen: Effect) -> Finding:
    """A line about the person; kept whole as an item it can at least be found."""
    if not seen.writes:
        return "useless", "nothing was kept"
    if seen.written not in (["append_context"], ["create_item"]):
        return "wrong", f"wrote {seen.written}"
    if lost := _find_lost(seen.sentence, str(seen.writes[0]["args"]["content"])):
        return "wrong", f"lost {lost}"
    return _USEFUL if seen.written == ["append_context"] else ("useless", "is an item, no line")


def _judge_paste(seen: Effect) -> Finding:
    if not seen.writes:
        return "useless", "nothing was kept"
    created, count = seen.written.count("create_item"), seen.sentence.count
    if created < len(seen.writes) or created > count:
        return "wrong", f"wrote {seen.written}"
    if lost := _find_lost(seen.sentence, "\n".join(str(step["args"]["content"]) for step in seen.writes)):
        return "wrong", f"lost {lost}"
    return _USEFUL if created == count else ("useless", f"kept as {created}, not {count}")


def _find_lost(sentence: Sentence, kept: str) -> list[str]:
    return [word for word in sentence.words if word.casefold() not in kept.casefold()]


def _judge_finding(seen: Effect) -> Finding:
    if seen.writes:
        return "wrong", f"wrote {seen.written}"
    wanted = set(seen.sentence.items)
    if missing := wanted - seen.shown:
        found = len(wanted) - len(missing)
        if found < MOST_SHOWN:
            return "useless", f"did not show {sorted(missing)}"
    if len(seen.shown) > MOST_SHOWN or (seen.shown and not wanted and not seen.sentence.says):
        return "useless", f"showed {sorted(seen.shown)}"
    if not wanted and not seen.sentence.says and not seen.says_no:
        return "useless", "did not say that there is nothing"
    return _check_saying(seen)


def _judge_change(*tools: str, is_right: Callable[[Effect, Mapping[str, Any]], bool]) -> Callable[[Effect], Finding]:
    """Return a judge of orders to change one item; they ask where several are meant, and say so where none is."""

    def judge_change(seen: Effect) -> Finding:
        meant = seen.sentence.items
        if seen.writes:
            args = seen.writes[0]["args"]
            is_meant = len(seen.written) == 1 and seen.written[0] in tools and (args.get("id"),) == meant
            right = is_meant and is_right(seen, args)
            return _USEFUL if right else ("wrong", f"wrote {[(s['tool'], s['args']) for s in seen.writes]}")
        if len(meant) == 1:
            return "useless", "nothing was changed"
        if not meant:
            return _USEFUL if seen.says_no else ("useless", "did not say that there is none")
        return _USEFUL if seen.asks and set(meant) <= seen.shown else ("useless", "did not ask which")

    return judge_change


def _is_done(_: Effect, args: Mapping[str, Any]) -> bool:
    return args.get("content") is None and args.get("properties") == {"status": "done"}


def _is_moved(seen: Effect, args: Mapping[str, Any]) -> bool:
    return args.get("content") is None and args.get("properties") == {"due_date": seen.sentence.to}


def _is_gone(seen: Effect, args: Mapping[str, Any]) -> bool:
    """Whether an item is deleted, or cancelled, which "cancel the gym" says of it."""
    return seen.written == ["delete_item"] or args.get("properties") == {"status": "cancelled"}


def _judge_undo(seen: Effect) -> Finding:
    if seen.writes:
        return "wrong", f"wrote {seen.written}"
    return _USEFUL if "undo" in seen.tools else ("useless", "nothing was undone")


def _judge_saying(seen: Effect) -> Finding:
    return ("wrong", f"wrote {seen.written}") if seen.writes else _check_saying(seen)


def _check_saying(seen: Effect) -> Finding:
    says = seen.sentence.says
    return _USEFUL if says.casefold() in seen.answer.casefold() else ("useless", f"did not say {says!r}")


def _judge_talk(seen: Effect) -> Finding:
    if seen.writes:
        return "wrong", f"wrote {seen.written}"
    return _USEFUL if not seen.tools and seen.answer else ("useless", "took it for more than talk")


def _judge_refusal(seen: Effect) -> Finding:
    if seen.writes:
        return "wrong", f"wrote {seen.written}"
    return _USEFUL if seen.says_no else ("useless", "did not say that nothing was changed")


_JUDGES: dict[str, Callable[[Effect], Finding]] = {
    "keep": _judge_keeping,
    "about me": _judge_line,
    "paste": _judge_paste,
    "find": _judge_finding,
    "done": _judge_change("update_item", is_right=_is_done),
    "delete": _judge_change("delete_item", "update_item", is_right=_is_gone),
    "move": _judge_change("update_item", is_right=_is_moved),
    "undo": _judge_undo,
    "sum": _judge_saying,
    "time": _judge_saying,
    "date": _judge_saying,
    "talk": _judge_talk,
    "refuse": _judge_refusal,
}
