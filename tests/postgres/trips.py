"""Counts how often a client waits for its server."""

from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

from ana.postgres.database import Database


@contextmanager
def counting(counted: Database) -> Iterator[list[int]]:
    """Count how often the client of a database with one connection waits for the server, into the list's one number."""
    trips = [0]
    with TemporaryFile("w+") as trace:
        with counted.connect() as connection:
            connection.pgconn.trace(trace.fileno())
        yield trips
        with counted.connect() as connection:
            connection.pgconn.untrace()
        trace.seek(0)
        # the server answers at these two
        sent = [line.split("\t")[3].strip() for line in trace if line.split("\t")[1] == "F"]
        trips[0] = sent.count("Sync") + sent.count("Query")
