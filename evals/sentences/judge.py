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
MOST_ITEMS = 5
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
        items: The ids of the items whose words stand in the answer.
    """

    sentence: Sentence
    writes: Sequence[Step]
    tools: frozenset[str]
    answer: str
    items: frozenset[str]

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
    effect = Effect(sentence, writes, tools, answer, find_items(answer, contents))
    findings = [_JUDGES[meaning](effect) for meaning in (sentence.means, *sentence.also)]
    verdict, why = min(findings, key=lambda finding: _ORDER.index(finding[0]))
    return Outcome(sentence, answer, verdict, why)


def find_items(answer: str, contents: Mapping[str, str]) -> frozenset[str]:
    """Return the items whose content is in the answer; one that is only there within another's does not count."""
    ids = set()
    for id, content in sorted(contents.items(), key=lambda pair: -len(pair[1])):
        if content in answer:
            ids.add(id)
            answer = answer.replace(content, "\n")
    return frozenset(ids)


def _succeeded(step: Step) -> bool:
    observation = step["observation"]
    return not (isinstance(observation, dict) and {"error", "existing"} & observation.keys())


def _judge_keeping(effect: Effect) -> Finding:
    if not effect.writes:
        return "useless", "nothing was kept"
    if effect.written != ["create_item"]:
        return "wrong", f"wrote {effect.written}"
    args = effect.writes[0]["args"]
    properties = args.get("properties") or {}
    if lost := _find_lost(effect.sentence, str(args["content"])):
        return "wrong", f"lost {lost}"
    due, right = properties.get("due_date"), effect.sentence.due
    if right is not None and due not in right:
        return ("wrong", f"is due {due}, not {right}") if due else ("useless", f"has no date, not {right}")
    if effect.sentence.type and properties.get("type") != effect.sentence.type:
        return "useless", f"is kept as {properties.get('type')}, not as {effect.sentence.type}"
    return _USEFUL


def _judge_line(effect: Effect) -> Finding:
    """A line about the person; kept whole as an item it can at least be found."""
    if not effect.writes:
        return "useless", "nothing was kept"
    if effect.written not in (["append_context"], ["create_item"]):
        return "wrong", f"wrote {effect.written}"
    if lost := _find_lost(effect.sentence, str(effect.writes[0]["args"]["content"])):
        return "wrong", f"lost {lost}"
    return _USEFUL if effect.written == ["append_context"] else ("useless", "is an item, no line")


def _judge_paste(effect: Effect) -> Finding:
    if not effect.writes:
        return "useless", "nothing was kept"
    created, count = effect.written.count("create_item"), effect.sentence.count
    if created < len(effect.writes) or created > count:
        return "wrong", f"wrote {effect.written}"
    if lost := _find_lost(effect.sentence, "\n".join(str(step["args"]["content"]) for step in effect.writes)):
        return "wrong", f"lost {lost}"
    return _USEFUL if created == count else ("useless", f"kept as {created}, not {count}")


def _find_lost(sentence: Sentence, content: str) -> list[str]:
    return [word for word in sentence.words if word.casefold() not in content.casefold()]


def _judge_finding(effect: Effect) -> Finding:
    if effect.writes:
        return "wrong", f"wrote {effect.written}"
    wanted = set(effect.sentence.items)
    if missing := wanted - effect.items:
        count = len(wanted) - len(missing)
        if count < MOST_ITEMS:
            return "useless", f"did not show {sorted(missing)}"
    if len(effect.items) > MOST_ITEMS or (effect.items and not wanted and not effect.sentence.says):
        return "useless", f"showed {sorted(effect.items)}"
    if not wanted and not effect.sentence.says and not effect.says_no:
        return "useless", "did not say that there is nothing"
    return _check_saying(effect)


def _judge_change(*tools: str, is_right: Callable[[Effect, Mapping[str, Any]], bool]) -> Callable[[Effect], Finding]:
    """Return a judge of orders to change one item; they ask where several are meant, and say so where none is."""

    def judge_change(effect: Effect) -> Finding:
        targets = effect.sentence.items
        if effect.writes:
            args = effect.writes[0]["args"]
            is_target = len(effect.written) == 1 and effect.written[0] in tools and (args.get("id"),) == targets
            right = is_target and is_right(effect, args)
            return _USEFUL if right else ("wrong", f"wrote {[(s['tool'], s['args']) for s in effect.writes]}")
        if len(targets) == 1:
            return "useless", "nothing was changed"
        if not targets:
            return _USEFUL if effect.says_no else ("useless", "did not say that there is none")
        return _USEFUL if effect.asks and set(targets) <= effect.items else ("useless", "did not ask which")

    return judge_change


def _is_done(_: Effect, args: Mapping[str, Any]) -> bool:
    return args.get("content") is None and args.get("properties") == {"status": "done"}


def _is_moved(effect: Effect, args: Mapping[str, Any]) -> bool:
    return args.get("content") is None and args.get("properties") == {"due_date": effect.sentence.to}


def _is_gone(effect: Effect, args: Mapping[str, Any]) -> bool:
    """Whether an item is deleted, or cancelled, which "cancel the gym" says of it."""
    return effect.written == ["delete_item"] or args.get("properties") == {"status": "cancelled"}


def _judge_undo(effect: Effect) -> Finding:
    if effect.writes:
        return "wrong", f"wrote {effect.written}"
    return _USEFUL if "undo" in effect.tools else ("useless", "nothing was undone")


def _judge_saying(effect: Effect) -> Finding:
    return ("wrong", f"wrote {effect.written}") if effect.writes else _check_saying(effect)


def _check_saying(effect: Effect) -> Finding:
    says = effect.sentence.says
    return _USEFUL if says.casefold() in effect.answer.casefold() else ("useless", f"did not say {says!r}")


def _judge_talk(effect: Effect) -> Finding:
    if effect.writes:
        return "wrong", f"wrote {effect.written}"
    return _USEFUL if not effect.tools and effect.answer else ("useless", "took it for more than talk")


def _judge_refusal(effect: Effect) -> Finding:
    if effect.writes:
        return "wrong", f"wrote {effect.written}"
    return _USEFUL if effect.says_no else ("useless", "did not say that nothing was changed")


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
