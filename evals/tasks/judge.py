"""Judging what came of a task, criterion by criterion."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ana.memory.memory import Memory
from ana.memory.trash import list_deleted
from ana.tracing.schema import Step
from evals.tasks.changes import Store, holds_any, list_differences, match_changes, properties_fit, read_store
from evals.tasks.task import Call, ExpectedItems, Task


@dataclass(frozen=True)
class Result:
    """What came of a task.

    Args:
        answer: The last answer.
        steps: The calls and violations of all its turns, in order.
        had_request: Whether the person was asked to decide.
        before: The store when the first message was sent.
        memory: The store afterwards.
    """

    answer: str
    steps: Sequence[Step]
    had_request: bool
    before: Store
    memory: Memory


@dataclass(frozen=True)
class Verdict:
    """A judged result.

    Args:
        faults: What is wrong, in words, for each criterion that the task has expectations for; empty if all is right.
        wrong_writes: Changes that nobody asked for.
        contains: Whether the answer says what it must; None where the task does not tell.
        key: Whether the key or tool is there; None where the task does not tell.
    """

    faults: Mapping[str, Sequence[str]]
    wrong_writes: Sequence[str]
    contains: bool | None
    key: bool | None

    @property
    def is_right(self) -> bool:
        return not any(self.faults.values())


def judge(task: Task, result: Result) -> Verdict:
    """Compare what came of a task with what it expects."""
    missing, wrong = match_changes(list_differences(result.before, read_store(result.memory)), task.expect_changes)
    words = [*_check_words(task, result.answer)]
    lacks = [f"says {text!r}" for text in task.expect_lacks if contains(result.answer, text)]
    key = None if task.expect_key is None else has_key(result.steps, task.expect_key)
    faults = {
        "answer": [*words, *lacks],
        "key": [] if key is not False else [f"no step has {task.expect_key!r}"],
        "trajectory": [*_check_trajectory(task, result)],
        "store": [
            *(f"missing: {each}" for each in missing),
            *(f"wrong write: {each}" for each in wrong),
            *_check_store(task, result.memory),
        ],
    }
    applied = {name: texts for name, texts in faults.items() if texts or _applies(task, name)}
    has_words = bool(task.expect_contains or task.expect_any)
    return Verdict(applied, wrong, not words if has_words else None, key)


def contains(answer: str, text: str) -> bool:
    """Return whether an answer holds a text, whatever its case; a number is not found inside another."""
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        return text.casefold() in answer.casefold()
    zeros = "0*" if "." in text else r"(?:[.,]0+)?"
    return bool(re.search(rf"(?<!\d)(?<!\d[.,]){re.escape(text)}{zeros}(?![.,]?\d)", answer))


def has_key(steps: Sequence[Step], key: str) -> bool:
    """Return whether a tool of that name was called without an error, or an observation has that key."""
    good = [step for step in steps if not (isinstance(step["observation"], dict) and "error" in step["observation"])]
    return any(
        key == step["tool"] or (isinstance(step["observation"], dict) and key in step["observation"]) for step in good
    )


def match_calls(steps: Sequence[Step], expected: Sequence[Call], order: str) -> bool:
    """Return whether the expected calls were made: among others, in this order among others, or exactly these.

    agentevals compares whole messages and knows neither a call among others in a given order nor a word inside an
    argument, and it would bring langchain to everybody who installs this.
    """
    if order == "exact" and len(steps) != len(expected):
        return False
    rest = list(steps)
    for call in expected:
        place = next((n for n, step in enumerate(rest) if _is_call(step, call)), None)
        if place is None or (order == "exact" and place):
            return False
        skipped = rest[:place] if order == "any" else []
        rest = skipped + rest[place + 1 :]
    return True


def _is_call(step: Step, call: Call) -> bool:
    return step["tool"] == call.tool and _is_part(call.args, step["args"])


def _is_part(wanted: Any, value: Any) -> bool:
    """Whether a value has all that is wanted: of a mapping its keys, of a text its words."""
    if isinstance(wanted, Mapping):
        return isinstance(value, Mapping) and all(k in value and _is_part(v, value[k]) for k, v in wanted.items())
    if isinstance(wanted, str):
        return isinstance(value, str) and wanted.casefold() in value.casefold()
    return bool(wanted == value)


def _check_words(task: Task, answer: str) -> Iterator[str]:
    yield from (f"does not say {text!r}" for text in task.expect_contains if not contains(answer, text))
    if task.expect_any and not any(contains(answer, text) for text in task.expect_any):
        yield f"says none of {list(task.expect_any)}"


def _check_trajectory(task: Task, result: Result) -> Iterator[str]:
    called = [step["tool"] for step in result.steps]
    if not match_calls(result.steps, task.expect_calls, task.order):
        yield f"called {called}, not {[call.tool for call in task.expect_calls]} ({task.order})"
    yield from (f"called {tool}" for tool in task.forbid if tool in called)
    if task.expect_request not in (None, result.had_request):
        yield f"asked the person: {result.had_request}"


def _check_store(task: Task, memory: Memory) -> Iterator[str]:
    for expected in task.expect_items:
        if (count := _count_items(memory, expected)) != expected.count:
            yield f"{count} items as {expected.model_dump()}"
    if task.expect_count not in (None, memory.count()):
        yield f"{memory.count()} items, not {task.expect_count}"
    lines = [*memory.lines().values()]
    yield from (f"no line says {text!r}" for text in task.expect_lines if not any(holds_any(x, [text]) for x in lines))
    trash = {name for deleted in list_deleted(memory) for name in (deleted.name, deleted.item.content)}
    yield from (f"{name!r} is not in the trash" for name in task.expect_trash if name not in trash)


def _count_items(memory: Memory, expected: ExpectedItems) -> int:
    return sum(
        holds_any(item.content, [expected.content]) and properties_fit(item.properties, expected.properties)
        for item in memory.items()
    )


def _applies(task: Task, criterion: str) -> bool:
    """Whether a task has expectations of a kind; that nothing else is changed is expected of every task."""
    return {
        "answer": bool(task.expect_contains or task.expect_any or task.expect_lacks),
        "key": task.expect_key is not None,
        "trajectory": bool(task.expect_calls or task.forbid) or task.expect_request is not None,
        "store": True,
    }[criterion]
