"""`ana approve`: decide what waits, in whichever conversation."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ana.errors import UserError
from ana.output import write_json
from app.startup import start

PROGRAM = "ana approve"
Decision = Literal["approve", "reject"]

if TYPE_CHECKING:
    from ana.workspace import Workspace
    from app.pending import Pending


def approve(
    request: Annotated[
        str | None, typer.Argument(help="The request's id, or its beginning; default: each in turn.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it, without a question.")] = False,
    no: Annotated[bool, typer.Option("--no", help="Do not do it.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what waits as one JSON object.")] = False,
) -> None:
    """Decide what waits for you, such as what another assistant wants to change."""
    from ana.handles import open_handles
    from app.pending import ClosingModel, list_pending
    from app.show.text import say
    from app.turn import open_assistant

    if yes and no:
        raise typer.BadParameter("Give either --yes or --no.")
    if (yes or no) and request is None:
        raise typer.BadParameter("--yes and --no need the id of a request.")
    workspace = start()
    with open_assistant(open_handles(workspace, PROGRAM, model=ClosingModel()), PROGRAM) as assistant:
        waiting = [*list_pending(assistant, workspace.open_threads())]
    if request is not None:
        waiting = [each for each in waiting if each.waiting.request_id.startswith(request)]
        if len(waiting) != 1:
            raise UserError(f"{request} is not one request that waits.", "`ana approve` lists what waits.")
    if as_json:
        write_json({"waiting": [each.waiting.to_json() for each in waiting]})
        return
    for each in waiting:
        _decide(workspace, each, "approve" if yes else "reject" if no else None)
    if not waiting:
        say("Nothing waits for you.")


def _decide(workspace: "Workspace", pending: "Pending", decision: Decision | None) -> None:
    from ana.handles import open_handles
    from ana.memory.authors import find_author
    from app.outcome import Done
    from app.pending import ClosingModel
    from app.show.answers import show_text
    from app.show.confirm import ask_line, can_ask
    from app.show.requests import show_request
    from app.show.text import say
    from app.turn import open_assistant
    from nodes.requests import decide_all
    from nodes.short_replies import read_short_reply
    from prompts import decision_prompt

    waiting = pending.waiting
    say(f"{pending.name}, {pending.since} ago, request {waiting.request_id[:8]}", style="dim")
    show_request(waiting.request)
    if decision is None and can_ask():
        decision = read_short_reply(ask_line("Do it? y or n; Enter leaves it waiting"))
    if decision is None:
        return
    # a conversation with the person's model goes on with it; what another assistant asked needs none
    model = ClosingModel() if find_author(waiting.turn_id) else None
    with open_assistant(open_handles(workspace, PROGRAM, model, decision_prompt), PROGRAM) as assistant:
        outcome = assistant.resume(waiting.thread_id, decide_all(waiting.request, decision), waiting.request_id)
    if not isinstance(outcome, Done):
        say("Something waits again; `ana approve` shows it.")
    else:
        show_text("\n".join(filter(None, (outcome.answer, outcome.receipt))))
