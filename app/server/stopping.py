"""Stopping runs, and removing them from their conversations, with all that a person wants forgotten."""

import asyncio

from ana.errors import StoreBusy
from ana.runs.port import StartedRun
from app.forgetting.erasing import carry_out
from app.forgetting.plan import Plan
from app.server.answers import own_thread
from app.server.workspaces import OpenWorkspace

JOIN_SECONDS = 30.0
"""How long a request waits for the end of a run that is stopped: the worker that had it may be gone, with no other."""


async def stop_runs(opened: OpenWorkspace, thread: str) -> list[StartedRun]:
    """Stop the runs at work in a conversation; return them when they have ended."""
    started = await opened.runs.list(thread)
    for run in started:
        await opened.runs.cancel(run.id)
        await opened.runs.join(run.id)
    return started


async def remove_run(opened: OpenWorkspace, run: StartedRun) -> None:
    """Stop a run if it is at work, and remove its messages from the conversation; the items that it stored stay.

    Raises:
        StoreBusy: The run was stopped, but has not ended within JOIN_SECONDS.
    """
    if run.is_active:
        await opened.runs.cancel(run.id)
    if not await join_run(opened, run):
        raise StoreBusy("The run was stopped, and no worker has ended it yet.", "Try again.")
    if run.is_persistent:
        async with own_thread(opened, run.thread):
            await opened.worker.saver.adelete_for_runs([run.id])
    await opened.runs.forget(run.id)


async def join_run(opened: OpenWorkspace, run: StartedRun) -> bool:
    """Wait until a run that was stopped has ended; return whether it has."""
    try:
        await asyncio.wait_for(opened.runs.join(run.id), JOIN_SECONDS)
    except TimeoutError:
        return False
    return True


async def forget(opened: OpenWorkspace, plan: Plan) -> None:
    """Forget everything in a plan, and the ended runs of its conversations. Raises StoreBusy if one is in use."""
    await asyncio.to_thread(carry_out, opened.turns.assistant, plan)
    for thread in plan.threads:
        for run in await opened.runs.list(thread):
            if not run.is_active:
                await opened.runs.forget(run.id)
