"""A LangGraph saver for conversations, the same for every storage of checkpoints."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple, get_checkpoint_id

from ana.errors import UserError
from ana.stopping import STOPPED

TURNS = 20
"""The number of turns whose checkpoints a thread keeps."""

P = ParamSpec("P")
T = TypeVar("T")


def _in_worker(
    work: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate["ThreadSaver", P], Coroutine[Any, Any, T]]:
    """Return an async method that calls the saver's sync method of this name in the saver's worker."""

    @wraps(work, updated=())  # without its attributes: a copy of an abstract method would be abstract too
    async def call_in_worker(self: "ThreadSaver", /, *args: P.args, **kwargs: P.kwargs) -> T:
        method = partial(copy_context().run, getattr(self, work.__name__), *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self.worker, method)

    return call_in_worker


class ThreadSaver(BaseCheckpointSaver[str], ABC):
    """A saver whose newest checkpoint is the one that was saved last, even if the clock went back.

    It keeps the checkpoints of a thread's last TURNS turns, and the checkpoints at which a request waits. It deletes
    checkpoints of runs, and prunes, as the base class describes. Methods that begin with `a` are for a program with an
    event loop, which must not wait.
    """

    worker: Executor | None = None
    """Does what those methods ask for; the event loop's shared threads may all be waiting for models."""

    @abstractmethod
    def list_newest(self, thread_id: str) -> Sequence[tuple[str, str | None]]:
        """Return the ids of the two checkpoints saved last, the last one first, each with the id of its parent."""

    @abstractmethod
    def mark_stopped(self, run_id: str) -> None:
        """Remember that a person stopped a run, which otherwise looks as if it had been cut short."""

    @abstractmethod
    def was_stopped(self, run_id: str) -> bool:
        """Return whether a person stopped a run."""

    aget_tuple = _in_worker(BaseCheckpointSaver.get_tuple)
    aput = _in_worker(BaseCheckpointSaver.put)
    aput_writes = _in_worker(BaseCheckpointSaver.put_writes)
    adelete_thread = _in_worker(BaseCheckpointSaver.delete_thread)
    adelete_for_runs = _in_worker(BaseCheckpointSaver.delete_for_runs)
    aprune = _in_worker(BaseCheckpointSaver.prune)
    acopy_thread = _in_worker(BaseCheckpointSaver.copy_thread)
    amark_stopped = _in_worker(mark_stopped)

    async def alist(self, *args: Any, **kwargs: Any) -> AsyncIterator[CheckpointTuple]:
        checkpoints, loop = self.list(*args, **kwargs), asyncio.get_running_loop()
        while saved := await loop.run_in_executor(self.worker, next, checkpoints, None):
            yield saved


class Address(NamedTuple):
    """The address of a checkpoint; without an id it is the thread's newest."""

    thread: str
    namespace: str
    id: str | None

    @property
    def config(self) -> RunnableConfig:
        """The address in the form of LangGraph's config."""
        named = {"thread_id": self.thread, "checkpoint_ns": self.namespace, "checkpoint_id": self.id}
        return {"configurable": named}


def read_address(config: RunnableConfig) -> Address:
    """Return the address of the checkpoint that a config means. Raises UserError if a part of it is not plain text."""
    parts = config["configurable"]
    address = Address(str(parts["thread_id"]), parts.get("checkpoint_ns") or "", get_checkpoint_id(config) or None)
    if not all(isinstance(text, str) and text.isprintable() for text in address if text is not None):
        raise UserError("A checkpoint is named by texts.", "Take its id from the history of the thread.")
    return address


def name_stopped(writes: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Return a task's writes; if it was cancelled, with the reason.

    Front ends show it, and langgraph has `CancelledError()`; without one they ask for a decision.
    """
    return [(name, STOPPED if isinstance(value, asyncio.CancelledError) else value) for name, value in writes]
