"""`ana approve`: decide what waits, in whichever conversation."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ana.errors import UserError
from ana.output import write_json
from app.startup import start

Decision = Literal["approve", "reject"]

if TYPE_CHECKING:
    from app.pending import Pending
    from app.turn import Assistant


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
    from app.pending import ClosingModel, list_pending, open_decider
    from app.show.text import say

    if yes and no:
        raise typer.BadParameter("Give either --yes or --no.")
    if (yes or no) and request is None:
        raise typer.BadParameter("--yes and --no need the id of a request.")
    workspace = start()
    with open_decider(open_handles(workspace, "ana approve", model=ClosingModel())) as assistant:
        waiting = [*list_pending(assistant, workspace.open_threads())]
        if request is not None:
            waiting = [each for each in waiting if each.waiting.request_id.startswith(request)]
            if len(waiting) != 1:
                raise UserError(f"{request} is not one request that waits.", "`ana approve` lists what waits.")
        if as_json:
            write_json({"waiting": [each.waiting.to_json() for each in waiting]})
            return
        for each in waiting:
            _decide(assistant, each, "approve" if yes else "reject" if no else None)
        if not waiting:
            say("Nothing waits for you.")


def _decide(assistant: "Assistant", pending: "Pending", decision: Decision | None) -> None:
    from app.outcome import Done
    from app.show.answers import show_text
    from app.show.confirm import can_ask, confirm
    from app.show.requests import show_request
    from app.show.text import say
    from nodes.requests import decide_all

    waiting = pending.waiting
    say(f"{pending.name}, {pending.since} ago, request {waiting.request_id[:8]}", style="dim")
    show_request(waiting.request)
    if decision is None:
        if not can_ask():
            return
        decision = "approve" if confirm("Do it?") else "reject"
    outcome = assistant.resume(waiting.thread_id, decide_all(waiting.request, decision), waiting.request_id)
    if isinstance(outcome, Done):
        show_text(outcome.receipt or outcome.answer)
