"""Choosing worked examples that make a model do better tasks which it was not shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ana.errors import UserError
from ana.files import write_whole
from evals.tasks.scores import group_by, mean
from evals.tasks.stage import STOPS, Run, Stage, play_tasks
from evals.tasks.task import Task
from nodes.demos import Demo, demos_to_json


@dataclass(frozen=True)
class Score:
    """What tasks come to.

    Args:
        share: The share of all runs that passes.
        pass_k: The share of tasks of which every run passes.
    """

    share: float
    pass_k: float


@dataclass(frozen=True)
class Optimized:
    """What examples did.

    Args:
        before: What the other tasks come to without examples.
        after: What they come to with those chosen.
        demos: The chosen examples; none if none helped.
        candidates: How many turns passed from which they were chosen.
        scored: How many tasks the scores are of.
        stop: Why there was an end before all was tried, if there was.
    """

    before: Score
    after: Score
    demos: Sequence[Demo]
    candidates: int
    scored: int
    stop: BaseException | None = None


def optimize(
    stage: Stage,
    tasks: Sequence[Task],
    most: int,
    repeats: int = 1,
    teacher: Stage | None = None,
    on_play: Callable[[str], object] = str,
    on_score: Callable[[Score, int], object] = lambda *_: None,
) -> Optimized:
    """Choose among turns that passed those which, shown as examples, raise the score of tasks they were not made from.

    Args:
        stage: Where tasks are played.
        tasks: Every other one is learnt from; the rest decides.
        most: How many examples at most.
        repeats: How often each task that decides is played.
        teacher: Another model's stage, whose turns are learnt from; a weak model may have none that passed.
        on_play: Called after each run with its task's id.
        on_score: Called with each score and how many examples were shown.

    Returns:
        What was found; also if a person stops it, or the model no longer replies, once there is a first score.

    Raises:
        UserError: There are too few tasks to leave any out, or the model does not reply.
    """
    learnt, deciding = tasks[::2], tasks[1::2]
    if not deciding:
        raise UserError("There is no task to try the examples on.", "Take at least two tasks.")
    trial = _Trial(stage, deciding, repeats, on_play, on_score)
    before = trial.score(())
    outcome = Optimized(before, before, [], 0, len(deciding))
    try:
        candidates = [make_demo(run) for run in trial.play(teacher or stage, learnt, 1) if passes(run)]
        outcome = replace(outcome, candidates=len(candidates))
        for after, demos in _improve(before, candidates, most, trial.score):
            outcome = replace(outcome, after=after, demos=demos)
    except STOPS as exc:
        return replace(outcome, stop=exc)
    return outcome


@dataclass(frozen=True)
class _Trial:
    """Scores examples by the tasks that decide, which are played again for each choice. Arguments as of `optimize`."""

    stage: Stage
    deciding: Sequence[Task]
    repeats: int
    on_play: Callable[[str], object]
    on_score: Callable[[Score, int], object]

    def score(self, demos: Sequence[Demo]) -> Score:
        self.stage.show(demos)
        score = make_score([*self.play(self.stage, self.deciding, self.repeats)])
        self.on_score(score, len(demos))
        return score

    def play(self, stage: Stage, tasks: Sequence[Task], times: int) -> Iterator[Run]:
        for run in play_tasks(stage, tasks, times):
            self.on_play(run.task)
            yield run


def _improve(
    best: Score, candidates: Sequence[Demo], most: int, score: Callable[[Sequence[Demo]], Score]
) -> Iterator[tuple[Score, Sequence[Demo]]]:
    """Yield each choice of examples that is better than all before it, with its score."""
    chosen: list[Demo] = []
    for demo in candidates:
        if best.share == 1.0 or len(chosen) == most:
            break
        if (result := score([*chosen, demo])).share > best.share:
            chosen, best = [*chosen, demo], result
            yield best, chosen
    # a weak model may need to see several before it does likewise
    together = candidates[:most]
    if not chosen and len(together) > 1 and (result := score(together)).share > best.share:
        yield result, together


def make_score(runs: Sequence[Run]) -> Score:
    """Return what runs come to."""
    by_task = group_by(runs, lambda run: run.task).values()
    return Score(mean(map(passes, runs)) or 0.0, mean(all(map(passes, each)) for each in by_task) or 0.0)


def passes(run: Run) -> bool:
    """Return whether the answer has the expected value, from the tool that it must come from, and nothing is harmed."""
    return bool(run.contains) and run.key is not False and not run.wrong_writes and not run.error


def make_demo(run: Run) -> Demo:
    """Return a run as an example."""
    calls = [[tool, args, result] for (tool, args), result in zip(run.trajectory, run.results, strict=True)]
    return Demo(run.question, calls, run.answer)


def save_demos(result: Optimized, path: Path, model: str) -> bool:
    """Write the examples if they helped; return whether they did."""
    if not result.demos:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"model": model, "before": asdict(result.before), "after": asdict(result.after)}
    write_whole(path, demos_to_json(result.demos, facts))
    return True
