"""Whether a turn did what a sentence must cause."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ana.tracing.traces import Step
from app.outcome import Done

if TYPE_CHECKING:
    from evals.sentences.measure import Sentence

WRITES = frozenset({"create_item", "update_item", "delete_item", "append_context", "replace_context", "delete_context"})
_NOTHING = re.compile(r"\b(?:nothing|none|no|not)\b|n't\b", re.IGNORECASE)


def wrongs(sentence: "Sentence", answer: Done, contents: Mapping[str, str]) -> list[str]:
    """What is not as it must be, in words; empty when all is right.

    Args:
        sentence: What was said, and what it must cause.
        answer: What it did cause.
        contents: The content of each item of the world, by id.
    """
    done = _done(answer)
    shown = _shown(answer.answer, contents)
    right = len(done) == len(sentence.calls) and all(map(_is, done, sentence.calls))
    tests = [
        (right, f"called {[(s['tool'], s['args']) for s in done]}, not {sentence.calls}"),
        (sentence.shows is None or shown == set(sentence.shows), f"showed {_named(shown, sentence.shows, contents)}"),
        (set(sentence.top) <= shown, f"did not show {[contents[id] for id in sentence.top if id not in shown]}"),
        (set(sentence.asks) <= shown, f"did not name {[contents[id] for id in sentence.asks if id not in shown]}"),
        (not sentence.asks or "?" in answer.answer, "did not ask"),
        (not sentence.none or _NOTHING.search(answer.answer), "did not say that there is nothing"),
        (all(word in answer.answer.lower() for word in sentence.says), f"did not say {sentence.says}"),
    ]
    wrong = [what for holds, what in tests if not holds]
    return [*wrong, f"answered {answer.answer!r}"] if wrong else []


def wrong_writes(sentence: "Sentence", answer: Done) -> list[str]:
    """The writes that are none of those it must cause."""
    writes = [step for step in _done(answer) if step["tool"] in WRITES]
    return [f"{w['tool']} {w['args']}" for w in writes if not any(_is(w, call) for call in sentence.calls)]


def _done(answer: Done) -> list[Step]:
    """What was done, besides looking: a call that failed did nothing."""
    return [
        step
        for step in answer.steps
        if step["tool"] in WRITES | {"calculator", "now"}
        and not (isinstance(step["observation"], dict) and {"error", "existing"} & step["observation"].keys())
    ]


def _is(step: Step, call: Mapping[str, Any]) -> bool:
    args, result = step["args"], step["observation"]
    if step["tool"] != call["tool"] or any(args.get(key) != call[key] for key in ("id", "line") if key in call):
        return False
    match step["tool"]:
        case "calculator":
            return abs(float(result["result"]) - float(call["result"])) < 0.005
        case "now":
            return str(args.get("timezone", "local")).casefold() in [zone.casefold() for zone in call["timezone"]]
        case "append_context" | "replace_context":
            return all(word in args["content"].lower() for word in call["words"])
        case "create_item" | "update_item":
            return _content_is(args.get("content"), call.get("content")) and _properties_are(
                args.get("properties") or {}, call.get("properties") or {}
            )
    return True


def _content_is(content: str | None, accepted: Sequence[str] | None) -> bool:
    return content is accepted is None or _folded(content) in [_folded(each) for each in accepted or ()]


def _properties_are(properties: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    def fits(key: str) -> bool:
        accepted = expected.get(key)
        every = accepted if isinstance(accepted, list) else [accepted]
        return _folded(properties.get(key)) in [_folded(each) for each in every]

    return all(fits(key) for key in properties.keys() | expected.keys())


def _folded(value: object) -> object:
    return re.sub(r"\s+", " ", value).strip(" .!?,;").casefold() if isinstance(value, str) else value


def _shown(answer: str, contents: Mapping[str, str]) -> set[str]:
    """The items whose content stands in the answer; one that stands only within another's is not meant."""
    shown = set()
    for id, content in sorted(contents.items(), key=lambda pair: -len(pair[1])):
        if content in answer:
            shown.add(id)
            answer = answer.replace(content, "\n")
    return shown


def _named(shown: set[str], expected: Sequence[str] | None, contents: Mapping[str, str]) -> str:
    return f"{[contents[id] for id in shown]}, not {[contents[id] for id in expected or ()]}"
