"""The graph as the LangGraph server runs it: every run owns its thread; langgraph.json names `make`."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import cache
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.errors import EmptyInputError
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from langgraph_api.errors import UserInterrupt, UserRollback
from langgraph_sdk.runtime import ServerRuntime

from ana.errors import UserError
from ana.handles import default_handles
from ana.memory.undo import undo
from ana.recent import current as recent
from ana.stopping import present
from ana.threads.ports import ThreadLock
from ana.threads.runs import Run, find_run
from ana.workspace import load_workspace
from graph.builder import graph
from graph.context import SAVER, TOLD, Context
from graph.replies import bind_message, bind_reply
from graph.steps import STEPS, show_steps
from graph.updates import check_config, check_input
from prompts import decision_prompt

PATIENCE = 600.0
"""Seconds that a run waits for its thread: several turns at the REPL may come before it."""

_workspace = cache(load_workspace)
_log = logging.getLogger(__name__)


class _OwningGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """The graph of a run: it waits for its thread before it reads the checkpoint.

    It waits here and not in `make`, because the server cancels a run only while it reads the stream.
    """

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        run, (given, *more) = find_run(), args
        assert run is not None
        config: RunnableConfig = more[0] if more else kwargs["config"]
        # also here: over a web socket, and from an assistant that was kept long ago, they come unchecked
        check_input(given)
        check_config(config, run.thread)
        await run.acquire(PATIENCE)
        if not run.is_kept:
            kwargs.pop("durability", None)  # langgraph waits for a checkpoint that nobody saves
        _leave_out_told(config)
        bound = await self._bind(given, config, run)
        stream = cast("AsyncGenerator[Any]", super().astream(bound, *more, **kwargs | {"output_keys": STEPS}))
        try:
            drafts = _shows_drafts(kwargs.get("context"), config)
            async with aclosing(stream), aclosing(show_steps(stream, drafts=drafts)) as parts:
                async for part in parts:
                    yield part
        except EmptyInputError as exc:
            raise UserError("There is nothing to answer: the thread is empty.", "Send a user message.") from exc
        finally:
            run.stop()  # a node whose task was cancelled works on in its thread

    async def _bind(self, given: Any, config: RunnableConfig, run: Run) -> Any:
        if isinstance(given, Command) and given.resume is not None:
            waiting = {each.id for each in (await self.aget_state(config)).interrupts}
            return bind_reply(given, waiting, placed=bool(config["configurable"].get("checkpoint_id")))
        if isinstance(given, dict) and given.get("messages") and run.is_kept:
            where = {k: v for k, v in config["configurable"].items() if k != "checkpoint_id"}
            return bind_message(given, await self.aget_state({**config, "configurable": where}), config)
        return given


_owning_graph = _OwningGraph(**vars(graph))


@asynccontextmanager
async def make(
    config: RunnableConfig, runtime: ServerRuntime[Context]
) -> AsyncIterator[CompiledStateGraph[Any, Any, Any, Any]]:
    """Yield the graph. A run owns its thread until the last of its nodes has ended, even if it is cancelled before.

    A run that is rolled back leaves nothing: neither messages nor what it stored. One that is stopped stays as it is.
    """
    if runtime.access_context != "threads.create_run":
        yield graph
        return
    _leave_out_told(config)  # this one is the run's surroundings
    thread = str(config["configurable"]["thread_id"])
    lock = await asyncio.to_thread(_lock, thread) if SAVER in config["configurable"] else None
    run = Run(lock, thread, str(config["configurable"].get("run_id")))
    present.set(run)
    recent.set(_workspace().recent)
    try:
        yield _owning_graph
    except UserRollback:
        await _roll_back(run, config["configurable"])
        raise
    except UserInterrupt:
        if saver := config["configurable"].get(SAVER):
            await saver.amark_stopped(str(config["configurable"]["run_id"]))
        raise
    finally:
        await asyncio.to_thread(run.close)


def _leave_out_told(config: RunnableConfig | None) -> None:
    """Take out of a run's metadata what the server's row tells of its thread: it would be in all that is traced, also
    where LangSmith is to be told no inputs."""
    if config and config.get("metadata"):
        config["metadata"] = {name: value for name, value in config["metadata"].items() if name not in TOLD}


def _shows_drafts(context: Any, config: RunnableConfig) -> bool:
    options = context if isinstance(context, dict) else config["configurable"]
    return bool(options.get("stream_drafts", True))


def _lock(thread: str) -> ThreadLock:
    return _workspace().open_locks().lock(thread, "ana server", patience=0)


async def _roll_back(run: Run, configurable: dict[str, Any]) -> None:
    """Remove a run's messages and take back what it stored, before another run reads the thread."""
    if SAVER in configurable:
        await configurable[SAVER].adelete_for_runs([str(configurable["run_id"])])
    await run.wait_for_nodes()
    if run.turn:
        await asyncio.to_thread(_take_back, run.turn)


def _take_back(turn: str) -> None:
    memory = default_handles(decision_prompt).memory
    if memory.history(turn=turn) and undo(memory, turn).conflicts:
        _log.warning("turn %s was rolled back; what it stored stays, because it was changed since", turn)
