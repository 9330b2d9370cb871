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
    findings = [_judge_meaning(meaning, effect) for meaning in (sentence.means, *sentence.also)]
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


def _judge_meaning(meaning: str, effect: Effect) -> Finding:
    if meaning in _KEEPING:
        return _judge_keeping(effect, *_KEEPING[meaning])
    if meaning in _CHANGES:
        return _judge_change(effect, _CHANGES[meaning])
    if effect.writes:
        return "wrong", f"wrote {effect.written}"
    missing = _LOOKING[meaning](effect)
    return ("useless", missing) if missing else _USEFUL


# ---- something is to be kept


def _judge_keeping(effect: Effect, is_allowed: Callable[[Effect], bool], judge: Callable[[Effect], Finding]) -> Finding:
    """Judge what is to be kept: with these tools and all its words; whether it is right otherwise, the judge says."""
    if not effect.writes:
        return "useless", "nothing was kept"
    if not is_allowed(effect):
        return "wrong", f"wrote {effect.written}"
    kept = "\n".join(str(step["args"]["content"]) for step in effect.writes).casefold()
    if lost := [word for word in effect.sentence.words if word.casefold() not in kept]:
        return "wrong", f"lost {lost}"
    return judge(effect)


def _judge_item(effect: Effect) -> Finding:
    properties = effect.writes[0]["args"].get("properties") or {}
    due, right = properties.get("due_date"), effect.sentence.due
    if right is not None and due not in right:
        return ("wrong", f"is due {due}, not {right}") if due else ("useless", f"has no date, not {right}")
    if effect.sentence.type and properties.get("type") != effect.sentence.type:
        return "useless", f"is kept as {properties.get('type')}, not as {effect.sentence.type}"
    return _USEFUL


def _judge_line(effect: Effect) -> Finding:
    """A line about the person; kept whole as an item it can at least be found."""
    return _USEFUL if effect.written == ["append_context"] else ("useless", "is an item, no line")


def _judge_paste(effect: Effect) -> Finding:
    kept, count = len(effect.writes), effect.sentence.count
    return _USEFUL if kept == count else ("useless", f"kept as {kept}, not {count}")


def _are_few_items(effect: Effect) -> bool:
    return {*effect.written} == {"create_item"} and len(effect.writes) <= effect.sentence.count


_KEEPING: Mapping[str, tuple[Callable[[Effect], bool], Callable[[Effect], Finding]]] = {
    "keep": (lambda effect: effect.written == ["create_item"], _judge_item),
    "about me": (lambda effect: effect.written in (["append_context"], ["create_item"]), _judge_line),
    "paste": (_are_few_items, _judge_paste),
}

# ---- an item is to be changed


def _judge_change(effect: Effect, is_right: Callable[[Effect, str, Mapping[str, Any]], bool]) -> Finding:
    """Judge an order to change one item: it asks where several are meant, and says so where none is."""
    targets = effect.sentence.items
    if effect.writes:
        step = effect.writes[0]
        is_target = len(effect.writes) == 1 and (step["args"].get("id"),) == targets
        if is_target and is_right(effect, step["tool"], step["args"]):
            return _USEFUL
        return "wrong", f"wrote {[(s['tool'], s['args']) for s in effect.writes]}"
    if len(targets) == 1:
        return "useless", "nothing was changed"
    if not targets:
        return _USEFUL if effect.says_no else ("useless", "did not say that there is none")
    return _USEFUL if effect.asks and set(targets) <= effect.items else ("useless", "did not ask which")


def _is_update(tool: str, args: Mapping[str, Any], properties: Mapping[str, str]) -> bool:
    return tool == "update_item" and args.get("content") is None and args.get("properties") == properties


def _is_gone(_: Effect, tool: str, args: Mapping[str, Any]) -> bool:
    """Whether an item is deleted, or cancelled, which "cancel the gym" says of it."""
    return tool == "delete_item" or (tool == "update_item" and args.get("properties") == {"status": "cancelled"})


_CHANGES: Mapping[str, Callable[[Effect, str, Mapping[str, Any]], bool]] = {
    "done": lambda _, tool, args: _is_update(tool, args, {"status": "done"}),
    "delete": _is_gone,
    "move": lambda effect, tool, args: _is_update(tool, args, {"due_date": effect.sentence.to}),
}

# ---- nothing is to be written: what is missing, empty if nothing is


def _lack_items(effect: Effect) -> str:
    wanted, says = set(effect.sentence.items), effect.sentence.says
    if (missing := wanted - effect.items) and len(wanted & effect.items) < MOST_ITEMS:
        return f"did not show {sorted(missing)}"
    if len(effect.items) > MOST_ITEMS or (effect.items and not wanted and not says):
        return f"showed {sorted(effect.items)}"
    if not wanted and not says and not effect.says_no:
        return "did not say that there is nothing"
    return _lack_text(effect)


def _lack_text(effect: Effect) -> str:
    says = effect.sentence.says
    return "" if says.casefold() in effect.answer.casefold() else f"did not say {says!r}"


_LOOKING: Mapping[str, Callable[[Effect], str]] = {
    "find": _lack_items,
    "undo": lambda effect: "" if "undo" in effect.tools else "nothing was undone",
    "sum": _lack_text,
    "time": _lack_text,
    "date": _lack_text,
    "talk": lambda effect: "took it for more than talk" if effect.tools or not effect.answer else "",
    "refuse": lambda effect: "" if effect.says_no else "did not say that nothing was changed",
}
