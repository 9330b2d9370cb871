"""Beginning a run: the checks of a client's request, the choice of its conversation, and the run that it replaces."""

import uuid
from typing import Any

from pydantic_core import from_json

from ana.errors import NotFound, UserError
from ana.runs.local import make_run
from ana.runs.port import Event, StartedRun
from ana.threads.ids import name_run
from app.server.bodies import NewRun
from app.server.run_requests import check_run, read_place
from app.server.shapes import dump
from app.server.stopping import join_run, remove_run
from app.server.workspaces import OpenWorkspace
from graph.owning import ASKS
from graph.replies import names_requests

STATES = ("values", "updates")
"""Events that hold what a run asks a person."""


async def begin_run(opened: OpenWorkspace, body: NewRun, thread: str | None) -> StartedRun:
    """Return a run that has been started.

    Args:
        thread: The conversation; None for a new one.

    Raises:
        NotFound: There is no such conversation, and the request does not ask for a new one.
        UserError: The run would fail, or is a reply that does not name its request.
        RunRejected: Another run of the conversation has not ended, and this one must not wait for it; or too many of
            the person's runs have not ended.
    """
    order = body.model_dump(by_alias=True)
    check_run(order)
    is_persistent = thread is not None or body.on_completion == "keep"
    if thread is None:
        thread = await _create_thread(opened, body, is_persistent=is_persistent)
    else:
        await _require_thread(opened, body, thread)
        order = await _name_reply(opened, thread, order)
    id = await _choose_id(opened, thread, order)
    run = make_run(id, thread, order, is_persistent=is_persistent, size=len(dump(order)))
    strategy = body.multitask_strategy or "enqueue"
    if strategy == "rollback":
        await _roll_back_others(opened, thread)
        strategy = "enqueue"
    await opened.runs.start(run, strategy)
    return run


async def _create_thread(opened: OpenWorkspace, body: NewRun, *, is_persistent: bool) -> str:
    """Return the id of a new conversation, which is stored only if it should stay after its run."""
    if (body.command or {}).get("resume") is not None:
        raise UserError("A reply is to a thread.", "Name the thread: /threads/{thread_id}/runs.")
    thread = str(uuid.uuid4())
    if is_persistent:
        await opened.rows.create(thread, {})
    return thread


async def _require_thread(opened: OpenWorkspace, body: NewRun, thread: str) -> None:
    """Create a conversation that does not exist if the client allows that. Raises NotFound otherwise."""
    if await opened.rows.has(thread):
        return
    if body.if_not_exists != "create":
        raise NotFound("There is no such thread.")
    await opened.rows.create(thread, {})


async def _name_reply(opened: OpenWorkspace, thread: str, order: dict[str, Any]) -> dict[str, Any]:
    """Return the request for a run; a reply that names its request neither by an id nor by a checkpoint is bound to the
    request that a run of the server showed last.

    It is bound on arrival. A second click arrives while the run of the first one works, or later, and so decides
    nothing.

    Raises:
        UserError: No such request waits; another door may have asked something else since it was shown.
    """
    command = order["command"] or {}
    reply = command.get("resume")
    if reply is None or names_requests(reply) or read_place(order).get("checkpoint_id"):
        return order
    if (request_id := await _find_request(opened, thread)) is None:
        raise UserError(
            "Nothing was done: the reply does not name the request that it is to, and no run of this server has asked.",
            'Look at the thread again, and resume with {"ID OF THE INTERRUPT": REPLY}.',
        )
    return {**order, "command": {**command, "resume": {request_id: reply}}}


async def _roll_back_others(opened: OpenWorkspace, thread: str) -> None:
    for other in await opened.runs.list(thread):
        if other.is_active:
            await remove_run(opened, other)


async def _find_request(opened: OpenWorkspace, thread: str) -> str | None:
    """Return the id of the request that waits in a thread, if a run of the server asked it.

    If that run is about to end, its end is waited for: clients that follow it may reply at once.
    """
    run = (await opened.runs.find_newest([thread])).get(thread)
    if run and run.is_active and not (await _has_asked(opened, run) and await join_run(opened, run)):
        return None
    state = await opened.worker.graph.aget_state({"configurable": {"thread_id": thread}})
    return state.interrupts[0].id if state.interrupts and (state.metadata or {}).get("run_id") else None


async def _has_asked(opened: OpenWorkspace, run: StartedRun) -> bool:
    """Return whether a run has sent its request to a person; after that it only ends."""
    told = await opened.runs.position(run.id)
    if not told:
        return False
    async for event in opened.runs.follow(run.id):
        if read_requests(event):
            return True
        if event.position >= told:
            break
    return False


def read_requests(event: Event) -> list[Any]:
    """Return the requests to a person in an event."""
    is_asking = event.name in STATES and ASKS.encode() in event.data
    return (from_json(event.data).get(ASKS) or []) if is_asking else []


async def _choose_id(opened: OpenWorkspace, thread: str, order: dict[str, Any]) -> str:
    """Return the id of a run: the id of the message that begins it; a message without an id gets one.

    So another process can tell from the thread whether the run has begun. If the message's id is not a canonical UUID,
    the run's id is derived from thread and message. A message that is sent again begins a run with another id.
    """
    inputs = order.get("input")
    messages = inputs.get("messages") if isinstance(inputs, dict) else None
    last = messages[-1] if isinstance(messages, list) and messages else messages
    if not isinstance(last, dict):
        return str(uuid.uuid4())
    if last.get("id") is None:
        last["id"] = str(uuid.uuid4())
    id = name_run(thread, str(last["id"]))
    return str(uuid.uuid4()) if await opened.runs.find(id) else id
