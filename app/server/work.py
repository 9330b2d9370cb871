"""Carrying out a run: the graph runs in the run's thread, and its stream becomes events of the LangGraph API."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Literal, cast
from uuid import UUID

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from ana.errors import UserError
from ana.handles import Handles
from ana.json_lines import name_work
from ana.recent import current as recent
from ana.runs.port import StartedRun
from ana.stopping import present
from ana.threads.runs import Run
from ana.threads.saver import ThreadSaver
from app.server.run_requests import read_options, read_place
from app.server.shapes import dump
from graph.builder import compile_graph, graph
from graph.context import LocalContext
from graph.owning import ASKS, OwningGraph

PROGRAM = "ana server"

Mode = Literal["values", "updates", "messages", "messages-tuple", "custom", "debug", "tasks", "checkpoints", "events"]
"""What can be streamed."""


class GraphWorker:
    """Runs the graph for one person."""

    def __init__(self, handles: Handles, saver: ThreadSaver) -> None:
        self._handles = handles
        self._store = handles.workspace.open_thread_store()
        self.saver = saver
        self.graph: CompiledStateGraph[Any, Any, Any, Any] = OwningGraph(**vars(compile_graph(saver)))
        self._unkept: CompiledStateGraph[Any, Any, Any, Any] = OwningGraph(**vars(graph))

    async def work(self, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        workspace = self._handles.workspace
        lock = workspace.open_locks().lock(run.thread, PROGRAM, patience=0)
        hold = Run(lock, run.thread, is_persistent=run.is_persistent, goes_on=run.attempt > 1)
        present.set(hold)
        recent.set(workspace.recent)
        name_work(person=workspace.person, thread=run.thread, run=run.id)
        try:
            yield "metadata", dump({"run_id": run.id, "attempt": run.attempt})
            with self._store.map_errors():
                async for name, data in self._stream(run):
                    yield name, data
        except GraphRecursionError as exc:
            raise UserError(
                "The run took all the steps that its recursion_limit allows.", "Give a larger one, or none."
            ) from exc
        except asyncio.CancelledError:
            if run.is_persistent and not run.is_active:  # a person has stopped it; else another worker goes on
                await self.saver.amark_stopped(run.id)
            raise
        finally:
            await asyncio.to_thread(hold.close)

    async def _stream(self, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        order, wanted = run.order, run.order["stream_mode"]
        modes: set[Any] = {"messages" if mode == "messages-tuple" else mode for mode in wanted} | {"updates"}
        runnable = self.graph if run.is_persistent else self._unkept
        options: dict[str, Any] = {name: order.get(name) for name in ("interrupt_before", "interrupt_after")}
        stream = partial(_stream_events, runnable) if "events" in wanted else runnable.astream
        parts = stream(
            _read_input(order),
            _make_config(run),
            context=LocalContext(**read_options(order), opened=self._handles),
            stream_mode=[*modes - {"events"}],
            durability=order.get("durability") or "async",
            **options,
        )
        teller = _Teller(wanted)
        async with aclosing(cast("AsyncGenerator[Any]", parts)) as steps:
            async for mode, data in steps:
                for name, value in teller.tell(mode, data):
                    yield name, dump(value)


async def _stream_events(
    runnable: CompiledStateGraph[Any, Any, Any, Any], inputs: Any, config: RunnableConfig, **options: Any
) -> AsyncGenerator[Any]:
    """Yield the graph's stream and langgraph's log of the run, joined in their order."""
    events = cast("AsyncGenerator[Any]", runnable.astream_events(inputs, config, version="v2", **options))
    async with aclosing(events):
        async for event in events:
            if "langsmith:hidden" in event["tags"]:
                continue
            is_part = event["event"] == "on_chain_stream" and event["run_id"] == str(config["run_id"])
            yield event["data"]["chunk"] if is_part else ("events", event)


class _Teller:
    """Turns langgraph's stream into the events of the API."""

    def __init__(self, wanted: list[str]) -> None:
        self._wanted = wanted
        self._messages: dict[str, BaseMessage] = {}

    def tell(self, mode: str, data: Any) -> list[tuple[str, Any]]:
        if mode == "messages":
            return [("messages", data)] if "messages-tuple" in self._wanted else self._add_up(*data)
        if mode in self._wanted:
            return [(mode, data)]
        if mode == "updates" and isinstance(data, Mapping) and data.get(ASKS):
            return [("values", data)]  # whoever asked for no updates learns of it all the same
        return []

    def _add_up(self, message: BaseMessage, metadata: Any) -> list[tuple[str, Any]]:
        """Send a message so far, in the form of the mode `messages`."""
        id, begun = str(message.id), []
        if id in self._messages:
            self._messages[id] += message  # type: ignore[assignment]
        else:
            self._messages[id] = message
            begun = [("messages/metadata", {id: {"metadata": metadata}})]
        part = isinstance(message, BaseMessageChunk)
        whole = self._messages[id]
        current = message_chunk_to_message(whole) if isinstance(whole, BaseMessageChunk) else whole
        return [*begun, ("messages/partial" if part else "messages/complete", [current])]


def _read_input(order: dict[str, Any]) -> Any:
    if command := order.get("command"):
        fields = {name: command.get(name) for name in ("update", "resume")}
        return Command(**fields, goto=command.get("goto") or ())
    return order.get("input")


def _make_config(run: StartedRun) -> RunnableConfig:
    config = run.order.get("config") or {}
    # nothing else that a client puts beside them reaches the graph: the person is known from the token alone
    own = {"thread_id": run.thread, "run_id": run.id}
    fields = {name: config[name] for name in ("tags", "recursion_limit") if name in config}
    metadata = (config.get("metadata") or {}) | (run.order.get("metadata") or {})
    return {**fields, "configurable": read_place(run.order) | own, "metadata": metadata, "run_id": UUID(run.id)}  # type: ignore[typeddict-item]
