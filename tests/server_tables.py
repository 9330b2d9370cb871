"""What the LangGraph server keeps in memory, without the server."""

import uuid
from typing import Any


class ServerTables:
    """Its tables of threads and runs."""

    def __init__(self) -> None:
        self.threads: list[dict[str, Any]] = []
        self.runs: list[dict[str, Any]] = []

    async def find(self) -> dict[str, list[dict[str, Any]]]:
        """Return the tables by their names."""
        return {"threads": self.threads, "runs": self.runs}

    def ids(self) -> list[str]:
        """Return the ids of the threads that have a row."""
        return [str(row["thread_id"]) for row in self.threads]

    def add_run(self, thread: str, status: str = "pending") -> str:
        """Add a run of a thread; return its id."""
        self.runs.append({"run_id": uuid.uuid4(), "thread_id": uuid.UUID(thread), "status": status})
        return str(self.runs[-1]["run_id"])
