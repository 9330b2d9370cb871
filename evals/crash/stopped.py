"""A worker that is stopped for a minute in the middle of turns, which another ends, writes nothing when it goes on.

Leases and signs of life are as long as they are for everybody.
"""

import asyncio
import signal
import time
import uuid
from argparse import Namespace
from pathlib import Path

import psycopg

from evals import long_runs
from evals.crash.fleet import Fleet, open_fleet
from evals.crash.judge import find_faults, run_doctor
from evals.crash.talk import Message, Person
from evals.crash.workers import NAMES, PATIENCE

STOPPED = 60.0
"""Seconds for which it is stopped."""

AFTER = 15.0
"""Seconds in which it does what it has begun, once it goes on."""

DOORS = ("begin", "stream", "wait")
EACH = 4
"""Messages of each person, as many as work at once."""

TABLES = ("records", "entries", "states", "task_writes", "run_events", "runs", "turns")
"""What nothing is written to: items and their journal, the state of threads, runs and what they tell, traces."""


async def play(fleet: Fleet) -> list[str]:
    """Return what is wrong after a worker was stopped and went on."""
    people = [Person(name, token, fleet.servers) for name, token in fleet.tokens.items()]
    messages = [
        Message(f"{person.name} put number {number} slowly into the drawer", f"{uuid.uuid4()}", DOORS[number % 3])
        for person in people
        for number in range(EACH)
    ]
    sending = asyncio.gather(*(people[n // EACH].send(message) for n, message in enumerate(messages)))
    late = fleet.workers[0]
    while count(fleet, "running") < len(messages) / 2 or not count(fleet, "success"):
        await asyncio.sleep(0.1)
    late.send_signal(signal.SIGSTOP)
    stopped, working = time.monotonic(), count(fleet, "running")
    fleet.workers.append(fleet.start_worker())
    async with asyncio.timeout(PATIENCE):
        await sending
    print(f"{working} runs of a stopped worker were ended by another after {time.monotonic() - stopped:.0f} s")
    await asyncio.sleep(stopped + STOPPED - time.monotonic())
    faults = await find_faults(fleet, people)
    before = read_all(fleet)
    late.send_signal(signal.SIGCONT)
    await asyncio.sleep(AFTER)
    late.send_signal(signal.SIGTERM)
    code = await asyncio.to_thread(late.wait, PATIENCE)
    faults += [f"it ended with {code}"] if code else []
    after = read_all(fleet)
    faults += [f"it wrote to {table}" for table in TABLES if after[table] != before[table]]
    return faults + await find_faults(fleet, people) + await asyncio.to_thread(run_doctor, fleet, people)


def count(fleet: Fleet, status: str) -> int:
    """Return how many runs have a status."""
    with psycopg.connect(fleet.database.url) as owner:
        (total,) = owner.execute("SELECT count(*) FROM runs WHERE status = %s", [status]).fetchone() or (0,)
    return int(total)


def read_all(fleet: Fleet) -> dict[str, list[str]]:
    """Return what stands in the tables."""
    with psycopg.connect(fleet.database.url) as owner:
        queries = {table: f"SELECT kept::text FROM {table} AS kept ORDER BY 1".encode() for table in TABLES}
        return {table: [row for (row,) in owner.execute(query)] for table, query in queries.items()}


def run(folder: Path, _: Namespace) -> list[str]:
    """Return what is wrong, in an empty folder."""
    with open_fleet(folder, NAMES, workers=1) as fleet:
        return asyncio.run(play(fleet))


if __name__ == "__main__":
    raise SystemExit(long_runs.run(run, __doc__))
