"""What the saver knows of a turn that has not ended: replies to what it asks, and whether a person stopped it."""

from typing import Any

from langgraph.types import StateSnapshot

_NO_TASK = "00000000-0000-0000-0000-000000000000"
"""Under this id langgraph keeps writes to the state that no node made."""


def save_reply(saver: Any, state: StateSnapshot, reply: dict[str, Any]) -> None:
    """Write a reply to the file before the turn goes on: langgraph writes it in the background, beside the first call.

    Args:
        saver: The thread's.
        state: The waiting turn.
        reply: By the request's id.
    """
    saver.put_writes(state.config, [("replies", reply)], _NO_TASK)


def mark_answered(saver: Any, state: StateSnapshot) -> None:
    """Let the checkpoint of a request that nobody will reply to be pruned like every other one."""
    for task in state.tasks:
        if task.interrupts:
            saver.put_writes(state.config, [("__resume__", [])], task.id)


def was_stopped(saver: Any, state: StateSnapshot) -> bool:
    """Return whether a person stopped the run of a turn that looks as if it had been cut short."""
    run = (state.metadata or {}).get("run_id")
    return bool(run and saver.was_stopped(str(run)))
