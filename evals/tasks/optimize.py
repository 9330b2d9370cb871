"""Choosing worked examples that make a model do better tasks which it was not shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ana.errors import UserError
from ana.files import write_whole
from evals.tasks.scores import mean
from evals.tasks.stage import Run, Stage
from evals.tasks.task import Task
from nodes.demos import Demo, demos_to_json


@dataclass(frozen=True)
class Optimized:
    """What examples did.

    Args:
        before: The share of the other tasks that passes without examples.
        after: The share of them that passes with those chosen.
        demos: The chosen examples; none if none helped.
        candidates: How many turns passed from which they were chosen.
        held: How many tasks the shares are of.
    """

    before: float
    after: float
    demos: Sequence[Demo]
    candidates: int
    held: int


def optimize(stage: Stage, tasks: Sequence[Task], most: int, on_play: Callable[[str], object] = str) -> Optimized:
    """Choose among turns that passed those which, shown as examples, raise the score of tasks they were not made from.

    Args:
        stage: Where tasks are played.
        tasks: Every other one is learnt from; the rest decides.
        most: How many examples at most.
        on_play: Called after each task with its id.

    Raises:
        UserError: There are too few tasks to leave any out.
    """
    learnt, held = tasks[::2], tasks[1::2]
    if not held:
        raise UserError("There is no task to try the examples on.", "Take at least two tasks.")

    def play(task: Task) -> Run:
        run = stage.play(task)
        on_play(task.id)
        return run

    def share(demos: Sequence[Demo]) -> float:
        stage.show(demos)
        return mean(passes(play(task)) for task in held) or 0.0

    before = best = share(())
    candidates = [make_demo(run) for task in learnt if passes(run := play(task))]
    chosen: list[Demo] = []
    for demo in candidates:
        if best == 1.0 or len(chosen) == most:
            break
        if (score := share([*chosen, demo])) > best:
            chosen, best = [*chosen, demo], score
    return Optimized(before, best, chosen, len(candidates), len(held))


def passes(run: Run) -> bool:
    """Return whether the answer has the expected value, from the tool that it must come from, and nothing is harmed."""
    return bool(run.contains) and run.key is not False and not run.wrong_writes and not run.error


def make_demo(run: Run) -> Demo:
    """Return a run as an example."""
    calls = [[tool, args, result] for (tool, args), result in zip(run.trajectory, run.results, strict=True)]
    return Demo(run.question, calls, run.answer)


def save_demos(found: Optimized, path: Path, model: str) -> bool:
    """Write the examples if they helped; return whether they did."""
    if not found.demos:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, demos_to_json(found.demos, {"model": model, "before": found.before, "after": found.after}))
    return True
