"""`ana replay`: show a recorded turn, run it again as recorded, or let another model answer it."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from ana.errors import UserError
from ana.models.providers import choose_model, model_name
from ana.output import tell, write_json
from ana.settings import Settings
from ana.tracing.files import iter_records
from ana.tracing.schema import CORE, DISPLAY_FIELDS, Record, find_fault
from ana.workspace import Workspace
from app.show.replayed import show_side_by_side, tell_turn, word_difference
from app.show.text import say
from app.startup import start

DIFFERENT = 1
IMPOSSIBLE = 2


def replay(
    trace: Annotated[str | None, typer.Argument(help="Id of a turn, or of a conversation: its last turn.")] = None,
    path: Annotated[Path | None, typer.Option(help="A trace file instead of an id.")] = None,
    index: Annotated[int, typer.Option(help="The index of the turn in the file, from 0; negative: from the end.")] = -1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run it again with its decisions and results, and compare.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(help="With --rerun: use this model, PROVIDER:MODEL or offline, on a copy of the store."),
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(help="With --rerun: use this system prompt, a Markdown file with the same slots.")
    ] = None,
) -> None:
    """Show a recorded turn with its steps, timings and cost; or run it again.

    With --rerun, exit code 0 if the rerun was the same, 1 if not, 2 if the turn cannot be rerun.
    """
    if (trace is None) == (path is None):
        raise typer.BadParameter("Give the id of a turn, or --path with a trace file.")
    if (model or prompt) and not rerun:
        raise typer.BadParameter("--model and --prompt need --rerun.")
    workspace = start()
    record, thread = read_path(path, index) if path else find_turn(workspace, str(trace))
    if fault := find_fault(record, CORE, DISPLAY_FIELDS):
        raise typer.BadParameter(f"The record is damaged: {fault}.")
    if not rerun:
        write_json(record) if as_json else tell_turn(record)
        return
    try:
        settings = choose_model(workspace.settings, model)
        template, name = read_prompt(settings, prompt) if model or prompt else (None, None)
        again = run_again(replace(workspace, settings=settings), record, thread, template, name)
    except UserError as exc:
        tell(f"It cannot be run again. {exc.sentence()}")
        raise typer.Exit(IMPOSSIBLE) from exc
    show_again(record, again, name, as_json=as_json)


def read_path(path: Path, index: int) -> tuple[Record, list[Record]]:
    """Return a turn of a trace file, and all records of its conversation."""
    if not path.is_file():
        raise typer.BadParameter(f"There is no file {path}.")
    records = list(iter_records(path))
    if not -len(records) <= index < len(records):
        raise typer.BadParameter(f"{path} holds {len(records)} turns; none has the index {index}.")
    thread = records[index].get("thread_id")
    return records[index], [record for record in records if record.get("thread_id") == thread]


def find_turn(workspace: Workspace, id: str) -> tuple[Record, list[Record]]:
    """Return a turn by its id, or the last turn of a conversation by name or id, and all its records."""
    traces = workspace.open_traces()
    try:
        record = traces.find(id) or traces.find(workspace.open_threads().resolve(id))
    except UserError as exc:
        raise typer.BadParameter(exc.sentence()) from exc
    if record is None:
        raise typer.BadParameter(f"There is no trace {id}; `ana threads show` lists the turns of a conversation.")
    return record, list(traces.iter_attempts(record.get("thread_id", id)))


def run_again(
    workspace: Workspace, record: Record, thread: list[Record], template: str | None = None, name: str | None = None
) -> Record:
    """Return the record of a turn that is run again with what was recorded, or that another model or prompt answers.

    Args:
        workspace: With the settings of that model.
        template: The other prompt.
        name: The name of the other model and prompt; None to run the turn again.

    Raises:
        UserError: Required data is not recorded, the store cannot be read, or there is no such model.
    """
    from ana.handles import complete_handles, open_data
    from app.replay.rerun import ask_other, copy_store, list_line_texts, repeat
    from prompts import decision_prompt

    with open_data(workspace, "ana replay") as data:
        store = data.memory.backend
        if name is None:
            return repeat(workspace.settings, record, thread, list_line_texts(store))
        handles = complete_handles(data, decision_prompt)
        tell(f"Asking {name} ...")
        return ask_other(handles, record, thread, copy_store(store, data.care.embedder), template)


def read_prompt(settings: Settings, file: Path | None) -> tuple[str | None, str]:
    """Return the system prompt in a file, and a name for the model and the file. Raises BadParameter if it is none."""
    from nodes.reason import system_prompt

    if file is None:
        return None, model_name(settings)
    if settings.provider == "offline":
        raise typer.BadParameter("The offline reader has no prompt to choose.")
    try:
        template = file.read_text(encoding="utf-8")
        system_prompt({}, template)
    except (OSError, ValueError, KeyError) as exc:
        raise typer.BadParameter(f"{file} is no system prompt: {exc}.") from exc
    return template, f"{model_name(settings)}, {file.name}"


def show_again(record: Record, again: Record, name: str | None, *, as_json: bool) -> None:
    """Print how a rerun compares with the recorded turn; exit with 1 if it differs."""
    from app.replay.compare import compare

    result = compare(record, again)
    if as_json:
        difference = asdict(result) if result else None
        write_json({"same": result is None, "difference": difference, "recorded": record, "again": again})
    elif name:
        show_side_by_side(record, again, name)
    else:
        for line in word_difference(record, result):
            say(line)
    if result:
        raise typer.Exit(DIFFERENT)
