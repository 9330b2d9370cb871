"""Savers that prune: a checkpoint holds the whole list of messages, so a thread keeps only those of its last turns."""

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

TURNS = 20
"""The number of turns whose checkpoints a thread keeps."""

_CREATE_TURNS = """CREATE TABLE IF NOT EXISTS turns (
    thread_id TEXT NOT NULL, checkpoint_id TEXT NOT NULL, PRIMARY KEY (thread_id, checkpoint_id)) WITHOUT ROWID"""

_ADD_TURN = "INSERT OR IGNORE INTO turns VALUES (:thread, :checkpoint)"

_FIRST_KEPT = (
    "(SELECT checkpoint_id FROM turns WHERE thread_id = :thread ORDER BY checkpoint_id DESC LIMIT 1 OFFSET :turns - 1)"
)

_WAITING = """(SELECT checkpoint_id FROM writes WHERE thread_id = :thread AND channel = '__interrupt__'
    EXCEPT SELECT checkpoint_id FROM writes WHERE thread_id = :thread AND channel = '__resume__')"""
"""The checkpoints at which a request still waits for a reply."""

_OLD = f"WHERE thread_id = :thread AND checkpoint_id < {_FIRST_KEPT}"
_PRUNE = (
    f"DELETE FROM checkpoints {_OLD} AND checkpoint_id NOT IN {_WAITING}",
    f"DELETE FROM writes {_OLD} AND checkpoint_id NOT IN {_WAITING}",
    f"DELETE FROM turns {_OLD}",
)
"""Checkpoints go before writes: the writes tell which checkpoints wait."""


def _begins_turn(metadata: CheckpointMetadata) -> bool:
    return metadata.get("source") == "input"


def _parameters(config: RunnableConfig, checkpoint: Checkpoint) -> dict[str, Any]:
    thread = str(config["configurable"]["thread_id"])
    return {"thread": thread, "checkpoint": checkpoint["id"], "turns": TURNS}


class PruningSaver(SqliteSaver):
    """The saver of the REPL and the command line; prunes a thread whenever one of its turns begins."""

    def setup(self) -> None:
        """Create the tables."""
        if not self.is_setup:
            super().setup()
            self.conn.execute(_CREATE_TURNS)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; arguments as in the base class."""
        saved = super().put(config, checkpoint, metadata, new_versions)
        if _begins_turn(metadata):
            with self.cursor() as cursor:
                for statement in (_ADD_TURN, *_PRUNE):
                    cursor.execute(statement, _parameters(config, checkpoint))
        return saved

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints."""
        super().delete_thread(thread_id)
        with self.cursor() as cursor:
            cursor.execute("DELETE FROM turns WHERE thread_id = ?", (thread_id,))


class AsyncPruningSaver(AsyncSqliteSaver):
    """The same saver for the LangGraph server, which runs an event loop."""

    async def setup(self) -> None:
        """Create the tables."""
        if not self.is_setup:
            await super().setup()
            async with self.lock:
                await self.conn.execute(_CREATE_TURNS)
                await self.conn.commit()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint; arguments as in the base class."""
        saved = await super().aput(config, checkpoint, metadata, new_versions)
        if _begins_turn(metadata):
            async with self.lock:
                for statement in (_ADD_TURN, *_PRUNE):
                    await self.conn.execute(statement, _parameters(config, checkpoint))
                await self.conn.commit()
        return saved

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread's checkpoints."""
        await super().adelete_thread(thread_id)
        async with self.lock:
            await self.conn.execute("DELETE FROM turns WHERE thread_id = ?", (thread_id,))
            await self.conn.commit()
