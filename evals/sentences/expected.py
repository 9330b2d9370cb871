"""Judging whether a turn did what a sentence must cause."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ana.tracing.schema import Step
from app.outcome import Done
from evals.sentences.data import Sentence
from tools.catalog import WRITERS

_NOTHING = re.compile(r"\b(?:nothing|none|no|not)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True)
class Outcome:
    """The judged outcome of a sentence.

    Args:
        sentence: The sentence.
        answer: The answer, and what was done.
        wrong: What is wrong, in words; empty if all is right.
        wrong_writes: Writes that it must not cause.
    """

    sentence: Sentence
    answer: Done
    wrong: list[str]
    wrong_writes: list[str]


def judge(sentence: Sentence, answer: Done, contents: Mapping[str, str]) -> Outcome:
    """Compare an answer with what its sentence must cause. Arguments as in `find_faults`."""
    return Outcome(sentence, answer, find_faults(sentence, answer, contents), find_wrong_writes(sentence, answer))


def find_faults(sentence: Sentence, answer: Done, contents: Mapping[str, str]) -> list[str]:
    """Return what is wrong, in words; empty if all is right.

    Args:
        sentence: The sentence, and what it must cause.
        answer: The answer, and what it did cause.
        contents: The content of each item of the world, by id.
    """
    done = _find_deeds(answer)
    shown = _find_shown(answer.answer, contents)
    right = len(done) == len(sentence.calls) and all(map(_fits, done, sentence.calls))
    tests = [
        (right, f"called {[(s['tool'], s['args']) for s in done]}, not {sentence.calls}"),
        (
            sentence.shows is None or shown == set(sentence.shows),
            f"showed {_compare_shown(shown, sentence.shows, contents)}",
        ),
        (set(sentence.top) <= shown, f"did not show {[contents[id] for id in sentence.top if id not in shown]}"),
        (set(sentence.asks) <= shown, f"did not name {[contents[id] for id in sentence.asks if id not in shown]}"),
        (not sentence.asks or "?" in answer.answer, "did not ask"),
        (not sentence.none or _NOTHING.search(answer.answer), "did not say that there is nothing"),
        (all(word in answer.answer.lower() for word in sentence.says), f"did not say {sentence.says}"),
    ]
    wrong = [what for holds, what in tests if not holds]
    return [*wrong, f"answered {answer.answer!r}"] if wrong else []


def find_wrong_writes(sentence: Sentence, answer: Done) -> list[str]:
    """Return the writes that the sentence must not cause."""
    writes = [step for step in _find_deeds(answer) if step["tool"] in WRITERS]
    return [f"{w['tool']} {w['args']}" for w in writes if not any(_fits(w, call) for call in sentence.calls)]


def _find_deeds(answer: Done) -> list[Step]:
    """Return the calls that did more than look something up; a call that failed did nothing."""
    return [
        step
        for step in answer.steps
        if step["tool"] in WRITERS | {"calculator", "now"}
        and not (isinstance(step["observation"], dict) and {"error", "existing"} & step["observation"].keys())
    ]


def _fits(step: Step, call: Mapping[str, Any]) -> bool:
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
            return _content_fits(args.get("content"), call.get("content")) and _properties_fit(
                args.get("properties") or {}, call.get("properties") or {}
            )
    return True


def _content_fits(content: str | None, accepted: Sequence[str] | None) -> bool:
    return content is accepted is None or _fold(content) in [_fold(each) for each in accepted or ()]


def _properties_fit(properties: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    def fits(key: str) -> bool:
        accepted = expected.get(key)
        every = accepted if isinstance(accepted, list) else [accepted]
        return _fold(properties.get(key)) in [_fold(each) for each in every]

    return all(fits(key) for key in properties.keys() | expected.keys())


def _fold(value: object) -> object:
    return re.sub(r"\s+", " ", value).strip(" .!?,;").casefold() if isinstance(value, str) else value


def _find_shown(answer: str, contents: Mapping[str, str]) -> set[str]:
    """Return the items whose content is in the answer; one that is only there within another's does not count."""
    shown = set()
    for id, content in sorted(contents.items(), key=lambda pair: -len(pair[1])):
        if content in answer:
            shown.add(id)
            answer = answer.replace(content, "\n")
    return shown


def _compare_shown(shown: set[str], expected: Sequence[str] | None, contents: Mapping[str, str]) -> str:
    return f"{[contents[id] for id in shown]}, not {[contents[id] for id in expected or ()]}"
