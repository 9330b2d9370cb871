"""The graph as the LangGraph server runs it; langgraph.json names `make` and `server_saver`.

Every run owns its thread, and what a client is shown of each step is draft, correction, what is asked and receipt: no
clocks, no digests. langgraph tells of a step (`updates`) and of the state (`values`) the same channels. So it is asked
for those in which the steps are, and the state is shown without them, as often as its messages are written.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
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
from ana.threads.saver import ThreadSaver
from ana.workspace import load_workspace
from ana.workspace.private import keep_private
from graph.builder import graph
from graph.context import SAVER, TOLD, Context
from graph.replies import bind_message, bind_reply
from graph.state import Output
from graph.updates import check_config, check_input
from nodes.autonomy.request import show_request
from prompts import decision_prompt

PATIENCE = 600.0
"""Seconds that a run waits for its thread: several turns at the REPL may come before it."""

STEPS = ("messages", "turn", "draft")
"""The channels in which the steps are."""

ASKS = "__interrupt__"
"""Under which langgraph adds to the state what a person is asked."""

SHOWN = {*Output.__annotations__, ASKS}

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
async def server_saver() -> AsyncIterator[ThreadSaver]:
    """Open the saver of the server, on the file of every other door."""
    workspace = load_workspace()
    keep_private(workspace)  # the server may have been started without `ana serve`
    async with workspace.open_thread_store().open_server_saver() as saver:
        yield saver


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


async def show_steps(parts: AsyncIterator[Any], *, drafts: bool) -> AsyncGenerator[Any]:
    """Yield what is streamed of a run of which STEPS are told, as a client is shown it.

    Args:
        parts: (mode, data), with the names of subgraphs before it or without, or {type, data, ...}.
        drafts: Whether what is not checked may be shown.
    """
    last: Any = None
    async for part in parts:
        *where, mode, data = (part["type"], part["data"]) if isinstance(part, dict) else part
        if mode == "values":
            messages, asks = data.get("messages"), ASKS in data or (isinstance(part, dict) and part["interrupts"])
            if messages is last and not asks:  # the very same list: this step wrote none
                continue
            last, data = messages, {name: value for name, value in data.items() if name in SHOWN}
        elif mode == "updates":
            data = {node: _describe(node, update, drafts) for node, update in data.items()}
        yield part | {"data": data} if isinstance(part, dict) else (*where, mode, data)


def _describe(node: str, update: Any, drafts: bool) -> Any:
    if not isinstance(update, Mapping):
        return update
    turn = update.get("turn") or {}
    shown = {"messages": update["messages"]} if "messages" in update else {}
    if drafts and update.get("draft"):
        shown["draft"] = update["draft"]
    if node == "load_context":
        shown["turn_id"] = turn.get("id")
    if asked := turn.get("asked"):
        shown["asked"] = show_request(asked)
    if node == "reflect" and turn.get("answer") is not None:
        shown["receipt"] = turn.get("receipt", "")
    elif node == "reflect" and turn.get("corrections"):
        kept = ("policy", "reason", "draft") if drafts else ("policy", "reason")
        shown["correction"] = {name: turn["corrections"][-1][name] for name in kept}
    return shown | ({"error": turn["error"]} if turn.get("error") else {})
