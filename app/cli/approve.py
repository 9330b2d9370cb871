"""`ana approve`: decide on waiting requests, in all conversations."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ana.errors import UserError
from ana.handles import open_handles
from ana.memory.authors import find_author
from ana.output import write_json
from ana.workspace import Workspace
from app.show.answers import show_text
from app.show.confirm import ask_line, can_ask
from app.show.text import say
from app.startup import start

PROGRAM = "ana approve"

if TYPE_CHECKING:
    from app.pending import Pending


def approve(
    request: Annotated[
        str | None, typer.Argument(help="The request's id, or the start of it; default: ask about each.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Approve without asking.")] = False,
    no: Annotated[bool, typer.Option("--no", help="Reject without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the waiting requests as one JSON object.")] = False,
) -> None:
    """Decide on requests that wait for you, such as changes that another assistant wants to make."""
    from app.pending import ClosingModel, list_pending
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
            raise UserError(f"{request} does not match one waiting request.", "`ana approve` lists them.")
    if as_json:
        write_json({"waiting": [each.waiting.to_json() for each in waiting]})
        return
    for each in waiting:
        _decide(workspace, each, "approve" if yes else "reject" if no else None)
    if not waiting:
        say("No request waits for you.")


def _decide(workspace: Workspace, pending: "Pending", decision: Literal["approve", "reject"] | None) -> None:
    from app.outcome import Done
    from app.pending import ClosingModel
    from app.show.requests import show_request
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
        say("There is another request; `ana approve` shows it.")
    else:
        show_text("\n".join(filter(None, (outcome.answer, outcome.receipt))))
