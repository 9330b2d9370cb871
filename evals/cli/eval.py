"""`ana eval`: how well the assistant does a set of tasks, each on a store that is thrown away."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ana.errors import UserError
from ana.evaluations import Evaluation, keep_evaluation
from ana.output import tell, write_json, write_line
from ana.settings import Settings
from app.show.tables import show_table
from app.show.text import pluralize
from app.startup import start
from evals.cli.steps import show_steps

WIDE = 170
"""Columns that one table of all figures takes."""
MODEL_HELP = "Another model of the provider you have set up, or PROVIDER:MODEL."

if TYPE_CHECKING:
    from evals.tasks.opinions import Judge, Judged
    from evals.tasks.scores import Figure, Report
    from evals.tasks.task import Task


def eval_(
    tasks: Annotated[str | None, typer.Option(help="A file of tasks, or groups: time,undo. Default: all.")] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="At most so many tasks, spread evenly.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=100, help="How often each is played.")] = 1,
    model: Annotated[str | None, typer.Option(help=MODEL_HELP)] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object, with every run.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Draw the groups into this SVG file.")] = None,
    compare: Annotated[Path | None, typer.Option(help="Draw an earlier --json beside them.")] = None,
    langsmith: Annotated[bool, typer.Option("--langsmith", help="Upload it as a dataset and an experiment.")] = False,
    judge: Annotated[str | None, typer.Option(help="Let a model score the answers too.")] = None,
) -> None:
    """Measure the assistant: play tasks, each on a store of its own, and judge what came of them."""
    if compare and not picture:
        raise typer.BadParameter("--compare needs --picture.")
    if picture and not picture.absolute().parent.is_dir():
        raise typer.BadParameter(f"There is no folder {picture.parent}.")
    from ana.models.providers import choose_model
    from evals.tasks.scores import load_groups
    from evals.tasks.upload import open_client

    workspace = start()
    settings = choose_model(workspace.settings, model)
    client = open_client(settings) if langsmith else None  # before anything is played: there may be no key
    judge_model = build_judge(settings, judge) if judge else None
    before = load_groups(compare) if compare else None
    chosen = read_tasks(tasks, n)
    report = play(settings, chosen, repeat, trees=langsmith)
    try:
        judged = judge_answers(judge_model, chosen, report) if judge_model and not report.stop else None
    except KeyboardInterrupt as exc:
        report, judged = replace(report, stop=exc), None
    if json_:
        write_json(report.to_json() | ({"judge": judged.to_json()} if judged else {}))
    else:
        show_report(report)
        if judged:
            show_judged(judged)
    report.whole()
    right = {group: figures["success_rate"] or 0.0 for group, figures in report.groups.items()}
    keep_evaluation(workspace, Evaluation(workspace.make_clock().stamp(), report.model, right))
    if picture:
        save_picture(picture, report, before)
    if client:
        from evals.tasks.upload import upload_report

        tell("Uploaded: the dataset {!r}, the experiment {!r}.".format(*upload_report(client, chosen, report)))


def read_tasks(source: str | None, count: int | None) -> list["Task"]:
    """Return tasks of a file, or of some groups of our own.

    Args:
        source: The file, or the groups with commas between them; None for all.
        count: At most so many.

    Raises:
        UserError: There is no such file and no such group.
    """
    from evals.tasks.task import choose_tasks, load_tasks

    if source and Path(source).is_file():
        return choose_tasks(load_tasks(Path(source)), count=count)
    every = load_tasks()
    groups = [name.strip().replace(" ", "_") for name in source.split(",")] if source else []
    known = dict.fromkeys(task.group for task in every)
    if unknown := [name for name in groups if name not in known]:
        raise UserError(f"{unknown[0]!r} is neither a file nor a group.", f"The groups are {', '.join(known)}.")
    return choose_tasks(every, groups, count)


def play(settings: Settings, tasks: Sequence["Task"], repeat: int, *, trees: bool = False) -> "Report":
    """Play tasks with the model and the embedder of the settings, and show how far it is.

    Args:
        settings: The settings.
        tasks: The tasks.
        repeat: How often each is played.
        trees: Whether the runs keep what was called in them.

    Raises:
        UserError: The model does not reply at all.
    """
    from ana.models.providers import build_model, model_name
    from ana.tracing.langsmith import connect
    from ana.workspace import open_workspace
    from evals.tasks.scores import make_report
    from evals.tasks.stage import STOPS, Run, open_stage, play_tasks
    from prompts import decision_prompt

    connect(settings)
    model, embedder = build_model(settings, decision_prompt), open_workspace(settings).build_embedder()
    stop, runs = None, list[Run]()
    with open_stage(settings, model, embedder) as stage, show_steps(len(tasks) * repeat) as advance:
        stage.collects_trees = trees
        try:
            for run in play_tasks(stage, tasks, repeat):
                runs.append(run)
                advance(run.task)
        except STOPS as exc:
            if not runs:
                raise
            stop = exc
    return make_report(model_name(settings), embedder.name, repeat, runs, stop)


def build_judge(settings: Settings, name: str) -> "Judge":
    """Return a model as a judge.

    Raises:
        UserError: It is the offline reader, or the provider has no models to choose from.
    """
    from ana.models.providers import build_model, choose_model
    from ana.workspace import open_workspace
    from evals.tasks.opinions import Judge

    settings = choose_model(settings, name).model_copy(update={"temperature": 0.0})
    if settings.provider == "offline":
        raise UserError("The offline reader cannot judge.", "Name a model, for example openai:gpt-4o-mini.")
    return Judge(settings, build_model(settings), open_workspace(settings).open_spending())


def judge_answers(judge: "Judge", tasks: Sequence["Task"], report: "Report") -> "Judged":
    """Return what a judge says of the answers of a report, and show how far it is."""
    with show_steps(len(report.runs)) as advance:
        return judge.judge(tasks, report.runs, advance)


def save_picture(file: Path, report: "Report", before: tuple[str, dict[str, dict[str, "Figure"]]] | None) -> None:
    """Draw a report, beside an earlier one if there is one, into an SVG file."""
    from ana.files import write_whole
    from evals.tasks.picture import draw_groups

    name, earlier = before or ("", {})
    named = {report.model: report.groups}
    write_whole(file, draw_groups(({f"before: {name}": earlier} if before else {}) | named))


def show_report(report: "Report") -> None:
    """Print the figures of every group: as one table, or as several where the terminal is too narrow for one."""
    from evals.tasks.scores import FIGURES

    title = f"{report.model}, {report.embedder}, each task {pluralize(report.repeat, 'time')}"
    if report.stop is not None:
        title += f", cut short after {pluralize(len(report.runs), 'run')}"
    is_narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < WIDE
    for names in (FIGURES[:5], (*FIGURES[5:8], FIGURES[-1]), FIGURES[8:-1]) if is_narrow else (FIGURES,):
        rows = [(group, *(_format(figures[name]) for name in names)) for group, figures in report.groups.items()]
        headers = [name.replace("pass_k", f"pass^{report.repeat}") for name in names]
        show_table(("group", *headers), rows, title=title, fixed=("group", *headers))
        title = ""


def show_judged(judged: "Judged") -> None:
    """Print what a judge said, how often the exact checks say the same, what it did not score, and what it cost."""
    from evals.tasks.opinions import COMPARED

    scored = sum(not opinion.fault for opinion in judged.opinions)
    title = f"\nthe judge {judged.model}: {scored} of {pluralize(len(judged.opinions), 'answer')} scored"
    show_table(("rubric", "score"), [(name, _format(share)) for name, share in judged.means.items()], title=title)
    agreement = f"{_format(judged.agreement)} of {len(judged.pairs)}, kappa {_format(judged.kappa)}"
    write_line(f"{COMPARED}, and right by the exact checks of the answer: the same for {agreement}")
    for fault, count in judged.faults.items():
        write_line(f"not scored: {count}, {fault}")
    write_line(f"cost: {'not known' if judged.cost_usd is None else f'${judged.cost_usd:.4f}'}")


def _format(figure: "Figure") -> str:
    if figure is None:
        return "-"
    return str(figure) if isinstance(figure, int) else f"{figure:.3f}".rstrip("0").rstrip(".")
