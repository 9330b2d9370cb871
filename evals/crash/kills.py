"""kill -9 at random moments: an acknowledged act is stored, any other is stored completely or not at all.

`make crash` runs it long, a test runs it short. A child process creates, updates, deletes and undoes in bursts, one
record at a time and many at once, and reports each act before it begins and when it is done. It is killed at a random
moment; another child then opens the folder and reports what is in it.
"""

import multiprocessing
import os
import random
import signal
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.chroma.client import load_chromadb
from ana.embedders import WordLlamaEmbeddings
from ana.memory.changes import Cause, Change
from ana.memory.item import Item, make_item_id
from ana.memory.memory import Memory
from ana.memory.undo import undo
from ana.time.clock import Clock, find_local_zone

KILLS = 300
OPENING = 60.0
"""Seconds a child may take until it has acted once; most are killed a moment after that."""

LARGEST = 400
"""Records written at once, at most; Chroma rewrites its vector files every 1,000."""

ROOM = 2500
"""About how many items there may be before most acts delete."""

WORDS = ("report", "garden", "dentist", "milk", "invoice", "flight", "birthday", "backup", "novel", "bicycle", "budget")

State = dict[str, str]
"""The text of records by kind and id."""

Act = tuple[str, Mapping[str, str | None], Callable[[], Any]]
"""Its name, what it changes by kind and id, and the function that does it."""

_FORK = multiprocessing.get_context("fork")


@dataclass
class Tally:
    """The outcome of the kills.

    Args:
        kills: How many there were.
        acts: Acts that were acknowledged.
        during: Acts that were running at the moment of the kill.
        completed: Acts that were cut short and are stored completely.
        healed: How often the store was damaged and rebuilt.
        failures: What is wrong.
    """

    kills: int = 0
    acts: int = 0
    during: Counter[str] = field(default_factory=Counter)
    completed: int = 0
    healed: int = 0
    failures: list[str] = field(default_factory=list)


def run(kills: int, folder: Path, seed: int) -> Tally:
    """Kill a child many times and check the folder each time; stop at the first failure.

    Args:
        kills: How many times.
        folder: A data folder of its own.
        seed: Decides what is done, and when the kills come.
    """
    load_chromadb()  # once: the children are forks
    rng, tally, model = random.Random(seed), Tally(), State()
    embedder = WordLlamaEmbeddings()
    for n in range(kills):
        begun = _kill_child(folder, rng, embedder, model, tally)
        report = _inspect(folder, embedder, whole=n % 20 == 19)
        tally.kills += 1
        tally.healed += report["healed"]
        model = _judge(report, model, begun, tally)
        if n % 10 == 9:
            print(f"{n + 1} kills, {tally.acts} acts, {len(model)} records, {tally.healed} healed", flush=True)
        if tally.failures:
            break
    return tally


def _kill_child(
    folder: Path, rng: random.Random, embedder: WordLlamaEmbeddings, model: State, tally: Tally
) -> State | None:
    """Let a child work for a moment and kill it. Return the state that the interrupted act would have led to."""
    ours, its = _FORK.Pipe()
    child = _FORK.Process(target=_work, args=(folder, rng.random(), embedder, its))
    child.start()
    its.close()
    patience = rng.choice((0.05, 0.3, 1.5)) * rng.random()
    # Every tenth kill may come while the child opens the folder or acts for the first time, the others later.
    end = time.monotonic() + (patience if rng.random() < 0.1 else OPENING)
    begun: State | None = None
    what = "opening"
    while True:
        remaining = end - time.monotonic()
        if remaining <= 0 and child.is_alive() and child.pid:
            os.kill(child.pid, signal.SIGKILL)
            remaining = 5.0
        try:
            if not ours.poll(max(remaining, 0.0)):
                continue
            kind, what, diff = ours.recv()
        except (EOFError, ConnectionResetError):
            break
        if kind == "ready":
            end = time.monotonic() + patience
        elif kind == "begin":
            begun = _apply(model, diff)
        elif kind == "done":
            changed = _apply(model, diff)
            model.clear()
            model |= changed
            begun, what = None, "between two acts"
            tally.acts += 1
        else:
            tally.failures.append(f"the child failed: {what}")
    child.join()
    tally.during[what] += 1
    return begun


def _work(folder: Path, seed: float, embedder: WordLlamaEmbeddings, pipe: Connection) -> None:
    """Act until killed: this runs in the child."""
    rng = random.Random(seed)
    memory = Memory(ChromaBackend(folder, embedder), Clock(find_local_zone("UTC")))
    try:
        for n in range(1_000_000):
            what, diff, do = _choose_act(memory, rng, f"{seed}-{n}")
            pipe.send(("begin", what, diff))
            done = do()
            if what == "create":
                diff = {f"item {done.id}": done.after.content}
            pipe.send(("done", what, diff))
            if n == 0:  # what an act needs is loaded with the first one
                pipe.send(("ready", "between two acts", {}))
    except Exception as exc:
        pipe.send(("failed", f"{type(exc).__name__}: {exc}", {}))
        raise


def _choose_act(memory: Memory, rng: random.Random, turn: str) -> Act:
    """Choose an act at random."""
    items = {item.id: item for item in memory.find(limit=30).items} if rng.random() < 0.9 else {}
    some = rng.choice(sorted(items)) if items else ""
    full = memory.count() > ROOM
    acts, weights = ("create", "update", "delete", "line", "batch", "undo"), (3, 2, 1, 1, 6 if full else 2, 1)
    (what,) = rng.choices(acts, weights)
    if what == "batch":
        return _choose_batch(memory, rng, turn, full)
    if what == "undo" and (diff := _predict_undo(memory)):
        last = next(iter(memory.turns()))
        return "undo", diff, lambda: undo(memory, last, override=True)
    if what in ("update", "delete") and some:
        after = f"{_make_text(rng)} again" if what == "update" else None
        cause = Cause(turn, "thread", turn)
        if after is None:
            return what, {f"item {some}": None}, lambda: memory.delete(some, cause)
        return what, {f"item {some}": after}, lambda: memory.update(some, after, {"n": rng.random()}, cause)
    text = f"{_make_text(rng)} {turn}"
    cause = Cause(turn, "thread", turn)
    if what == "line":
        number = memory.backend.next_line_number()
        return what, {f"line {number}": text}, lambda: memory.append_line(text, cause)
    return "create", {f"new {text}": text}, lambda: memory.create(text, {"n": rng.random()}, cause)


def _choose_batch(memory: Memory, rng: random.Random, turn: str, full: bool) -> Act:
    """Choose many records to change at once: some new, some updated, some deleted."""
    stamp = memory.stamp()
    changes: list[Change] = []
    for item in memory.find(limit=rng.randrange(LARGEST if full else 20) + 1).items:
        again = Item(item.id, _make_text(rng), {"b": 1}, item.created_at, stamp)
        after = None if full or rng.random() < 0.5 else again
        changes.append(Change("item", item.id, item, after))
    for _ in range(0 if full else rng.randrange(LARGEST)):
        new = Item(make_item_id(), _make_text(rng), {"n": rng.random()}, stamp, stamp)
        changes.append(Change("item", new.id, None, new))
    diff = {f"item {c.id}": c.after.content if c.after else None for c in changes}
    return "batch", diff, lambda: memory.put_back(changes, Cause("", "", f"batch-{turn}")) if changes else None


def _predict_undo(memory: Memory) -> Mapping[str, str | None] | None:
    """Return what undoing the newest turn changes; None if there is no turn."""
    turns = list(memory.turns())
    if not turns:
        return None
    diff: dict[str, str | None] = {}
    for entry in memory.history(turn=turns[0]):  # the newest first, so that the oldest `before` stays
        before = entry.change.before
        diff[f"{entry.change.kind} {entry.change.id}"] = before.content if before else None
    return diff


def _make_text(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)} {rng.choice(WORDS)} {rng.randrange(10_000)}"


def _apply(state: State, diff: Mapping[str, str | None]) -> State:
    return {at: text for at, text in (state | dict(diff)).items() if text is not None}


def _inspect(folder: Path, embedder: WordLlamaEmbeddings, *, whole: bool) -> dict[str, Any]:
    """Return what another child finds in the folder."""
    ours, its = _FORK.Pipe()
    child: ForkProcess = _FORK.Process(target=_report, args=(folder, embedder, its, whole))
    child.start()
    its.close()
    try:
        report: dict[str, Any] = ours.recv()
    except EOFError:
        child.join()
        report = {"state": {}, "healed": 0, "wrong": [f"the store could not be opened: exit code {child.exitcode}"]}
    child.join()
    return report


def _report(folder: Path, embedder: WordLlamaEmbeddings, pipe: Connection, whole: bool) -> None:
    notices: list[str] = []
    backend = ChromaBackend(folder, embedder, tell=notices.append)
    memory = Memory(backend, Clock(find_local_zone("UTC")))
    items = list(memory.items())
    state = {f"item {item.id}": item.content for item in items}
    state |= {f"line {number}": text for number, text in memory.lines().items()}
    wrong = [] if len({item.id for item in items}) == len(items) else ["an item is stored twice"]
    upkeep = Upkeep(backend)
    diagnosis = upkeep.examine(lambda _: None)
    if diagnosis.store:  # a graph that is damaged where opening does not search: doctor finds it, and mends it
        notices.append("damaged")
        upkeep.repair(diagnosis)
        diagnosis = upkeep.examine(lambda _: None)
    wrong += diagnosis.store + diagnosis.index + [f"journal: {change}" for change in diagnosis.journal]
    wrong += [f"unreadable: {id}" for _, id in diagnosis.unreadable]
    for item in items if whole else items[-20:]:
        if item.id not in [hit.id for hit in memory.find(f'"{item.content}"', limit=10).items]:
            wrong.append(f"{item.id} is not found by its words")
    memory.close()
    pipe.send({"state": state, "healed": any("damaged" in text for text in notices), "wrong": wrong})


def _judge(report: Mapping[str, Any], model: State, begun: State | None, tally: Tally) -> State:
    """Return the state to go on with, and add what is wrong with it to the tally."""
    state: State = report["state"]
    tally.failures += report["wrong"]
    if _agree(state, model):
        return state
    if begun is not None and _agree(state, begun):
        tally.completed += 1
        return state
    for name, expected in (("acknowledged", model), ("begun", begun or {})):
        lost = sorted(set(expected.items()) - set(state.items()))[:3]
        more = sorted(set(state.items()) - set(expected.items()))[:3]
        tally.failures.append(f"against what was {name}: lacks {lost}, has {more}")
    return state


def _agree(state: State, expected: State) -> bool:
    """Return whether two states agree; a new item's id is not known before it is stored."""
    new = sorted(text for at, text in expected.items() if at.startswith("new "))
    rest = {at: text for at, text in expected.items() if not at.startswith("new ")}
    others = {at: text for at, text in state.items() if at not in rest}
    return sorted(others.values()) == new and all(state.get(at) == text for at, text in rest.items())


def play(folder: Path, options: Namespace) -> list[str]:
    """Return what is wrong after the kills, in an empty folder."""
    tally = run(options.kills, folder / "data", options.seed)
    during = ", ".join(f"{what} {count}" for what, count in sorted(tally.during.items()))
    print(f"{tally.kills} kills ({during}); {tally.acts} acts acknowledged")
    print(f"{tally.completed} cut short and stored completely, {tally.healed} damaged stores rebuilt")
    return tally.failures
