"""What names a checkpoint, or a range of them, in LangGraph's calls."""

from typing import NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import get_checkpoint_id

from ana.errors import UserError
from ana.tables import Statement


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


def select_newest_first(config: RunnableConfig | None, before: RunnableConfig | None) -> Statement:
    """Return the statement that finds checkpoints: address and metadata. Raises UserError if the arguments are not
    valid.
    """
    try:
        named, last = (dict(each["configurable"]) if each is not None else {} for each in (config, before))
    except (KeyError, TypeError, ValueError) as exc:
        raise UserError("Checkpoints cannot be looked for in this way: something is missing.") from exc
    keys = {"thread_id": "thread_id", "namespace": "checkpoint_ns", "id": "checkpoint_id"}
    wanted = {column: named[key] for column, key in keys.items() if named.get(key) is not None}
    conditions, values = [f"{column} = ?" for column in wanted], [*wanted.values()]
    if before is not None:
        # ids are the same in a copy of a thread, so the one meant is that of the thread listed
        conditions.append("seq < (SELECT max(seq) FROM states WHERE id = ? AND thread_id = coalesce(?, thread_id))")
        values += [last.get("checkpoint_id"), wanted.get("thread_id") or last.get("thread_id")]
    if not all(value is None or (isinstance(value, str) and value.isprintable()) for value in values):
        raise UserError("Checkpoints cannot be looked for in this way: they are named by texts.")
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    query = f"SELECT thread_id, namespace, id, CAST(metadata AS TEXT) FROM states {where} ORDER BY seq DESC"
    return Statement(query, values)
