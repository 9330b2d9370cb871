"""`ana optimize`: worked examples that make the model do better, if there are any."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ana.errors import UserError
from ana.output import tell, write_line
from app.show.text import pluralize
from app.startup import start
from evals.cli.eval import MODEL_HELP
from evals.cli.steps import show_steps

if TYPE_CHECKING:
    from evals.tasks.optimize import Score


def optimize(
    n: Annotated[int, typer.Option("--n", min=2, help="How many tasks, spread evenly.")] = 12,
    save: Annotated[Path | None, typer.Option(help="The file for the examples; default: COMPILED_DEMOS_PATH.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="How often each task that decides is played.")] = 1,
    max_demos: Annotated[int, typer.Option(min=1, max=100, help="How many examples at most.")] = 8,
    tasks: Annotated[str, typer.Option(help="A file of tasks, or groups.")] = "arithmetic,time",
    model: Annotated[str | None, typer.Option(help=MODEL_HELP)] = None,
    teacher: Annotated[
        str | None, typer.Option(help="Learn from the turns of another model, such as offline or PROVIDER:MODEL.")
    ] = None,
) -> None:
    """Play tasks, keep turns that passed, and save those that help as examples with tasks they were not made from."""
    from ana.models.providers import build_model, choose_model, model_name
    from ana.workspace import open_workspace
    from evals.cli.eval import read_tasks
    from evals.tasks.optimize import optimize as choose
    from evals.tasks.optimize import save_demos
    from evals.tasks.stage import open_stage
    from evals.tasks.task import choose_tasks
    from prompts import decision_prompt

    settings = choose_model(start().settings, model)
    if settings.provider == "offline":
        raise UserError("The offline reader learns from no examples.", "Choose a model with `ana setup`.")
    every = [task for task in read_tasks(tasks, None) if task.expect_contains or task.expect_any]
    chosen = choose_tasks(every, count=n)
    student, embedder = build_model(settings, decision_prompt), open_workspace(settings).build_embedder()
    with ExitStack() as stack:
        stage, taught_by = stack.enter_context(open_stage(settings, student, embedder)), None
        if teacher:
            other = choose_model(settings, teacher)
            taught_by = stack.enter_context(open_stage(other, build_model(other, decision_prompt), embedder))
            taught_by.show(())
        advance = stack.enter_context(show_steps())
        result = choose(stage, chosen, max_demos, repeat, taught_by, advance, tell_score)
    if result.stop:
        write_line("cut short: not every example was tried")
    write_line(
        f"before: {describe(result.before, repeat)} of {pluralize(result.scored, 'task')} that it did not learn from"
    )
    examples = f"{pluralize(len(result.demos), 'example')} of {result.candidates}"
    write_line(f"after: {describe(result.after, repeat)} with {examples}")
    path = save.expanduser().absolute() if save else settings.compiled_demos_path
    if save_demos(result, path, model_name(settings)):
        tell(f"Saved in {path}.")
    else:
        why = "No example helped" if result.candidates else "No turn passed that could be learnt from"
        tell(f"{why}{' so far' if result.stop else ''}, so nothing was saved.")
    if result.stop:
        raise result.stop


def tell_score(score: "Score", count: int) -> None:
    """Tell the person what was just tried: with a slow model the end is far."""
    tell(f"with {pluralize(count, 'example')}: {score.share:.2f}")


def describe(score: "Score", repeat: int) -> str:
    """Return a score in words, with pass^k where tasks were played more than once."""
    return f"{score.share:.2f}" + (f" (pass^{repeat}: {score.pass_k:.2f})" if repeat > 1 else "")
