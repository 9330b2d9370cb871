"""`ana worker`: carry out the runs that wait in a database, for everybody."""

import asyncio
import gc
import os
import signal
from typing import Annotated

import typer

from ana.errors import ConfigError
from ana.output import tell
from ana.runs.slots import ALL
from app.startup import start

LOOK_SECONDS = 1.0

Runs = Annotated[int, typer.Option("--runs", min=1, max=500, help="How many runs to carry out at once.")]


def worker(
    runs: Runs = ALL,
    parent: Annotated[int, typer.Option(hidden=True, help="The process with which it ends.")] = 0,
) -> None:
    """Carry out runs that wait in the database until stopped; other workers continue interrupted runs."""
    workspace = start()
    if not workspace.has_database:
        raise ConfigError("A worker carries out runs that wait in a database.", "Set ANA_DATABASE_URL.")
    from tools.catalog import catalog

    catalog(workspace.settings.tools_modules)  # a module that cannot be used stops the start, not every turn
    gc.freeze()  # what is loaded stays: to look for garbage in it holds up all runs, for a third of a second
    tell(f"A worker for {runs} runs at once (Ctrl-C ends it)")
    asyncio.run(_work(runs, parent))


async def _work(runs: int, parent: int) -> None:
    from app.server.worker import GRACE_SECONDS, SERVER_GRACE_SECONDS, run_worker

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.create_task(_watch(parent, stop))
    await run_worker(stop, runs, grace=SERVER_GRACE_SECONDS if parent else GRACE_SECONDS)
    watching.cancel()


async def _watch(parent: int, stop: asyncio.Event) -> None:
    """Stop when the process that started this one has ended."""
    while parent and os.getppid() == parent:
        await asyncio.sleep(LOOK_SECONDS)
    if parent:
        stop.set()
