"""`ana replay`: show a recorded turn, run it again as recorded, or let another model answer it."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ana.errors import UserError
from ana.models.providers import choose_model
from ana.output import tell, write_json
from ana.settings import Settings
from ana.tracing.files import iter_records
from ana.tracing.schema import CORE, DISPLAY_FIELDS, FOLLOWED, Record, find_fault
from ana.workspace import Workspace
from app.show.replayed import show_side_by_side, tell_turn, word_difference
from app.show.text import say
from app.startup import start

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

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
    if fault := find_fault(record, CORE, DISPLAY_FIELDS | FOLLOWED):
        raise typer.BadParameter(f"The record is damaged: {fault}.")
    if not rerun:
        write_json(record) if as_json else tell_turn(record)
        return
    try:
        settings = choose_model(workspace.settings, model)
        other, name = build_other(settings, prompt) if model or prompt else (None, None)
        again = run_again(replace(workspace, settings=settings), record, thread, other, name)
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
    workspace: Workspace, record: Record, thread: list[Record], other: "BaseChatModel | None", name: str | None
) -> Record:
    """Return the record of a rerun, with the recorded decisions or another model.

    Raises:
        UserError: Required data is not recorded, or the store cannot be read.
    """
    from ana.handles import open_data
    from app.replay.rerun import ask_other, copy_store, list_line_texts, repeat

    with open_data(workspace, "ana replay") as handles:
        store = handles.memory.backend
        if other is None:
            return repeat(workspace.settings, record, thread, list_line_texts(store))
        tell(f"Asking {name} ...")
        return ask_other(workspace.settings, record, thread, other, copy_store(store, handles.care.embedder))


def build_other(settings: Settings, prompt: Path | None) -> "tuple[BaseChatModel, str]":
    """Return the model that replaces the recorded one, and its name."""
    from ana.models.providers import build_model, model_name
    from app.replay.model import OtherPrompt
    from nodes.reason import fill_slots
    from prompts import decision_prompt, fill

    if settings.provider == "offline" and prompt:
        raise typer.BadParameter("The offline reader has no prompt to choose.")
    built, name = build_model(settings, decision_prompt), model_name(settings)
    if prompt is None:
        return built, name
    try:
        template = prompt.read_text(encoding="utf-8")
        fill(prompt.name, template, **fill_slots({}))
    except (OSError, ValueError) as exc:
        raise typer.BadParameter(f"The prompt {prompt} cannot be read: {exc}.") from exc
    except KeyError as exc:
        raise typer.BadParameter(f"{exc.args[0]}.") from exc

    def refill(loaded: Any) -> str:
        return fill(prompt.name, template, **fill_slots(loaded["lines"]))

    return OtherPrompt(inner=built, fill=refill), f"{name}, {prompt.name}"


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
