"""Playing tasks on the real graph, each on a store and in a conversation of its own."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ana.backends.in_memory import InMemoryBackend
from ana.embedders.base import Embedder
from ana.embedders.known import OnceEmbeddings
from ana.errors import AnaError, UserError
from ana.memory.changes import Cause, Change
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Settings
from ana.spending.total import NoSpending
from ana.tracing.schema import Step
from ana.workspace import open_workspace
from app.outcome import Done, Waiting
from app.throwaway import open_throwaway
from app.turn import Assistant
from evals.tasks.changes import read_store
from evals.tasks.judge import Result, Verdict, judge
from evals.tasks.task import EarlierTurn, Task
from evals.tasks.trees import collect_trees
from nodes.demos import Demo, demos_to_json
from nodes.requests import decide_all

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tracers import Run as TracedRun

STOPS = (KeyboardInterrupt, UserError)
"""What ends playing before its end: a person who stops it, or a model that no longer replies."""
MOST_FAILURES = 3
"""Turns in a row without a reply of the model before the rest is left out: a server that is not there stays away."""


@dataclass(frozen=True)
class Run:
    """A task as it was played once.

    Args:
        task: Its id.
        group: Its group.
        repeat: Which time it is, from 0.
        question: What was asked.
        answer: The last answer.
        trajectory: The calls, as [tool, arguments]; ids that were made meanwhile are replaced by their order.
        results: What each call gave.
        seconds: How long its turns took.
        lm_calls: How often the model was asked.
        tool_calls: How many tools it called.
        steps: Calls and violations.
        cost_usd: None where no price is known.
        faults: What is wrong, by criterion.
        wrong_writes: Changes that nobody asked for.
        contains: Whether the answer says what it must; None where the task does not tell.
        key: Whether the expected key or tool is there; None where the task does not tell.
        error: Why the turn failed; None when it did not.
        trees: The runs of langchain that its turns were, each with all below it, if they are collected.
    """

    task: str
    group: str
    repeat: int
    question: str
    answer: str
    trajectory: list[list[Any]]
    results: list[Any]
    seconds: float
    lm_calls: int
    tool_calls: int
    steps: int
    cost_usd: float | None
    faults: dict[str, list[str]]
    wrong_writes: list[str]
    contains: bool | None
    key: bool | None
    error: str | None
    trees: Sequence["TracedRun"] = ()

    @property
    def is_right(self) -> bool:
        return not self.error and not any(self.faults.values())

    def to_json(self) -> dict[str, Any]:
        fields = asdict(replace(self, trees=())) | {"right": self.is_right}
        del fields["trees"]
        return fields


class Stage:
    """Plays tasks.

    Args:
        settings: The settings.
        model: The model that is asked.
        embedder: Makes the vectors of every store.
        folder: Where the examples lie that the model is shown.
    """

    collects_trees = False
    """Whether runs have their trees."""

    def __init__(self, settings: Settings, model: "BaseChatModel", embedder: Embedder, folder: Path) -> None:
        self._settings = settings
        self.model = model
        self._embedder = OnceEmbeddings(embedder)  # many stores begin with the same items
        self._spending = open_workspace(settings).open_spending()
        self._folder = folder
        self._version = 0

    def show(self, demos: Sequence[Demo]) -> None:
        """Show the model these examples from now on, and no other."""
        self._version += 1
        path = self._folder / f"demos-{self._version}.json"
        if demos:
            path.write_text(demos_to_json(demos, {}), encoding="utf-8")
        self._settings = self._settings.model_copy(update={"compiled_demos_path": path})

    def play(self, task: Task, repeat: int = 0) -> Run:
        """Play a task once, and judge it."""
        store = InMemoryBackend(self._embedder)
        with open_throwaway(self._settings, self.model, store, task.clock, self._spending) as assistant:
            _fill(assistant.handles.memory, task)
            if not self.collects_trees:
                return self._play(assistant, task, repeat)
            with collect_trees() as trees:
                run = self._play(assistant, task, repeat)
            return replace(run, trees=trees[len(task.earlier) :])

    def _play(self, assistant: Assistant, task: Task, repeat: int) -> Run:
        memory = assistant.handles.memory
        before = read_store(memory)
        ended: list[Done] = []
        had_request, error, begun = False, None, time.monotonic()
        try:
            for turn in task.earlier:
                _play_earlier(assistant, turn, task.id)
            before, begun = read_store(memory), time.monotonic()
            for question in task.question:
                had_request |= _say(assistant, task, question, ended)
        except AnaError as exc:
            error = exc.sentence()
        finally:  # also what a person stops was paid for
            records = assistant.handles.traces.read(task.id)[len(task.earlier) :]
            for record in records:
                self._spending.keep(record)
        seconds = time.monotonic() - begun
        answer = ended[-1].answer if ended else ""
        steps = [step for done in ended for step in done.steps]
        verdict = judge(task, Result(answer, steps, had_request, before, memory))
        run = _report(task, repeat, seconds, ended, steps, verdict)
        ids = [str(change["id"]) for done in ended for change in done.changes if change["op"] == "create"]
        return replace(
            run,
            lm_calls=sum(len(record["decisions"]) for record in records),
            trajectory=_list_calls(steps, ids),
            error=error or run.error,
        )


@contextmanager
def open_stage(settings: Settings, model: "BaseChatModel", embedder: Embedder) -> Iterator[Stage]:
    """Open a stage that leaves nothing behind; a person's own tools, which could act, are left out.

    What it costs counts all the same, in the data folder of the settings.

    Args:
        settings: The settings.
        model: The model that is asked.
        embedder: Makes the vectors of every store.
    """
    with TemporaryDirectory(prefix="ana-") as folder:
        yield Stage(settings.model_copy(update={"tools_modules": ()}), model, embedder, Path(folder))


def play_tasks(stage: Stage, tasks: Sequence[Task], repeats: int) -> Iterator[Run]:
    """Play tasks, each several times; yield every run as it ends.

    Raises:
        UserError: The model did not reply several times in a row.
    """
    failed = 0
    for task in tasks:
        for repeat in range(repeats):
            run = stage.play(task, repeat)
            failed = failed + 1 if run.error and not run.lm_calls else 0
            if failed == MOST_FAILURES:
                raise UserError(f"{failed} turns in a row failed; the last one: {run.answer or run.error}")
            yield run


def _play_earlier(assistant: Assistant, turn: EarlierTurn, thread: str) -> None:
    replies = [calls(*((call.tool, call.args) for call in turn.calls))] if turn.calls else []
    handles = assistant.handles
    assistant.handles = replace(handles, model=ScriptedModel(replies=[*replies, turn.answer]), spending=NoSpending())
    assistant.autonomy = "act"
    outcome = assistant.ask(turn.message, thread)
    assistant.handles = handles
    if not isinstance(outcome, Done) or outcome.answer != turn.answer:
        raise UserError(f"The earlier turn {turn.message!r} cannot be played: {outcome.answer or outcome.error}")


def _say(assistant: Assistant, task: Task, question: str, ended: list[Done]) -> bool:
    """Play a turn to its end; return whether the person was asked."""
    assistant.autonomy = task.autonomy
    outcome, had_request = assistant.ask(question, task.id), False
    while isinstance(outcome, Waiting):
        had_request = True
        outcome = assistant.resume(task.id, decide_all(outcome.request, task.decide), outcome.request_id)
    ended.append(outcome)
    return had_request


def _fill(memory: Memory, task: Task) -> None:
    stamp = memory.stamp()
    items = (Item(item.id, item.content, dict(item.properties), stamp, stamp) for item in task.items)
    memory.put_back([Change("item", item.id, None, item) for item in items], Cause("", "", "before"))
    for line in task.lines:
        memory.append_line(line)


def _report(
    task: Task, repeat: int, seconds: float, ended: Sequence[Done], steps: Sequence[Step], verdict: Verdict
) -> Run:
    return Run(
        task=task.id,
        group=task.group,
        repeat=repeat,
        question=" / ".join(task.question),
        answer=ended[-1].answer if ended else "",
        trajectory=[],
        results=[step["observation"] for step in steps if _is_call(step)],
        seconds=round(seconds, 4),
        lm_calls=0,
        tool_calls=sum(map(_is_call, steps)),
        steps=len(steps),
        cost_usd=_add_costs(done.cost_usd for done in ended),
        faults={name: [*texts] for name, texts in verdict.faults.items()},
        wrong_writes=[*verdict.wrong_writes],
        contains=verdict.contains,
        key=verdict.key,
        error=next((done.error for done in ended if done.error), None),
    )


def _add_costs(costs: Iterable[float | None]) -> float | None:
    known = [*costs]
    return None if None in known else sum(cost for cost in known if cost is not None)


def _list_calls(steps: Sequence[Step], ids: Sequence[str]) -> list[list[Any]]:
    """Return the calls and arguments; ids of records made in these turns differ each time and mean the same."""
    named = {id: f"new {n}" for n, id in enumerate(ids)}

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rename(each) for key, each in value.items()}
        return named.get(value, value) if isinstance(value, str) else value

    return [[step["tool"], rename(step["args"])] for step in steps if _is_call(step)]


def _is_call(step: Step) -> bool:
    """Whether a step is a call that ran, and no violation."""
    return not step["tool"].startswith("⛔")
