"""Kill PostgreSQL, servers and workers of three people who talk, at random moments; then look at what is left.

What was acknowledged is there, once, in order, and with nobody else; each run ends, and so does each stream. Leases
last 2 s here and workers are missed after 3 s, not after 30.
"""

import asyncio
import random
import time
from argparse import Namespace
from collections import Counter
from pathlib import Path

import psycopg

from evals import long_runs
from evals.crash.fleet import Fleet, open_fleet
from evals.crash.judge import find_faults, run_doctor
from evals.crash.talk import Person

KILLS, EACH = 100, 10
"""How many kills, and how many of a round of talk."""

NAMES = ("anna", "ben", "cleo")
TALKERS = 2
"""Places at which each person talks at once."""

LONGEST = 4.0
"""Seconds between two kills at most."""

PATIENCE = 120.0
"""Seconds in which all that was begun ends, when nobody is killed any more."""

_WORKING = "SELECT count(*) FROM runs WHERE status = 'running'"


class Killer:
    """Kills by chance, and counts.

    Args:
        fleet: Whom.
        people: Who talk meanwhile.
        rng: Chance.
    """

    def __init__(self, fleet: Fleet, people: list[Person], rng: random.Random) -> None:
        self._fleet, self._people, self._rng = fleet, people, rng
        self.kills, self.hits = Counter[str](), Counter[str]()
        """Of each kind; and those while something worked or streamed."""

    async def kill(self) -> None:
        """Wait a moment, kill something, and start it again."""
        await asyncio.sleep(self._rng.uniform(0, LONGEST))
        what, number = self._rng.choice(("worker", "server", "database")), self._rng.randrange(2)
        self.kills[what] += 1
        self.hits[what] += await asyncio.to_thread(self._count_work) if what != "server" else self._streams()
        if what == "worker":
            await asyncio.to_thread(self._fleet.kill_worker, number)
        elif what == "server":
            await asyncio.to_thread(self._fleet.kill_server, number)
        else:
            await asyncio.to_thread(self._fleet.kill_database, self._rng.uniform(0, 2))

    def _count_work(self) -> bool:
        with psycopg.connect(self._fleet.database.url) as owner:
            (count,) = owner.execute(_WORKING).fetchone() or (0,)
        return bool(count)

    def _streams(self) -> bool:
        return any(person.streaming for person in self._people)


async def play(fleet: Fleet, kills: int, seed: int) -> list[str]:
    """Return what is wrong after so many kills; stop at the first round that leaves something wrong."""
    rng = random.Random(seed)
    people = [Person(name, token, fleet.servers) for name, token in fleet.tokens.items()]
    killer, faults = Killer(fleet, people, rng), list[str]()
    begun = time.monotonic()
    while not faults and killer.kills.total() < kills:
        for person in people:
            person.messages.clear()
        faults = await play_round(fleet, people, killer, min(EACH, kills - killer.kills.total()), rng)
        progress = f"{time.monotonic() - begun:.0f} s: " + ", ".join(
            f"{count} {what}" for what, count in sorted(killer.kills.items())
        )
        messages = [message for person in people for message in person.messages]
        ends = Counter(message.status or "unknown" for message in messages)
        print(f"{progress} killed; {len(messages)} messages of this round: {dict(ends)}", flush=True)
    hits = ", ".join(f"{count} {what}" for what, count in sorted(killer.hits.items()))
    print(f"killed while something worked or streamed: {hits}")
    print(f"{sum(person.lost for person in people)} connections of clients were lost")
    return faults or await asyncio.to_thread(run_doctor, fleet, people)


async def play_round(fleet: Fleet, people: list[Person], killer: Killer, kills: int, rng: random.Random) -> list[str]:
    """Return what is wrong after a round of talk with some kills."""
    stop, seeds = asyncio.Event(), [rng.random() for _ in range(TALKERS)]
    talks = [person.talk(random.Random(f"{seed}{person.name}"), stop) for person in people for seed in seeds]
    talking = asyncio.gather(*talks)
    for _ in range(kills):
        await killer.kill()
        if faults := fleet.find_ended():
            return faults
    stop.set()
    try:
        async with asyncio.timeout(PATIENCE):
            await talking
            await wait_for_quiet(fleet)
    except TimeoutError:
        waiting = [m.text for each in people for m in each.messages if m.begun and not m.ended]
        return [f"it did not end within {PATIENCE:g} s: {waiting}", *await find_faults(fleet, people)]
    return fleet.find_ended() + await find_faults(fleet, people)


async def wait_for_quiet(fleet: Fleet) -> None:
    """Return when no run waits or works: some are of messages whose begin was not acknowledged."""
    with psycopg.connect(fleet.database.url, autocommit=True) as owner:
        while owner.execute("SELECT FROM runs WHERE NOT done").fetchone():
            await asyncio.sleep(0.1)


def run(folder: Path, options: Namespace) -> list[str]:
    """Return what is wrong after the kills, in an empty folder."""
    with open_fleet(folder, NAMES, ana="evals.crash.hasty") as fleet:
        return asyncio.run(play(fleet, options.kills, options.seed))


if __name__ == "__main__":
    raise SystemExit(long_runs.run(run, __doc__, kills=KILLS))
