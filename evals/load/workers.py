"""50 people, two web processes and two workers on one database; 200 messages to one thread.

Every message is answered once, kept once, in order, where it belongs and nowhere else. How much is added to the model's
seconds is printed, and fails nothing.
"""

import asyncio
import random
import time
import uuid
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import quantiles

from evals import long_runs
from evals.crash.fleet import Fleet, open_fleet
from evals.crash.judge import find_faults
from evals.crash.talk import DOORS, Message, Person

THREADS, ROUNDS = 2, 2
"""A round is five messages, through each door."""

PAUSE = 8.0
"""Seconds between two messages of a person, on average: so that two cores, which carry everything, are half at work."""

AT_ONCE = 200
MODEL_SECONDS = 1.0
"""How long the model works on each of the two requests of a turn, where people talk."""

SECONDS = 1500.0
"""When all of it gives up."""


async def send(person: Person, thread: str, door: str, model: float) -> float:
    """Send a message, and return how many seconds its answer took beside the model's two."""
    message = Message(f"{person.name} put {uuid.uuid4().hex} into the drawer", thread, door)
    await person.send(message)
    while door == "ask" and not message.ended:  # the thread was not free within the server's patience
        await person.ask(message)
    return time.monotonic() - message.sent - 2 * model


async def talk(person: Person) -> list[float]:
    """Talk in one thread after another, and return what was added to each message that nothing had to wait for."""
    rng, added = random.Random(person.name), list[float]()
    for _ in range(THREADS):
        thread = str(uuid.uuid4())
        for _ in range(ROUNDS):
            for door in ("stream", "wait", "ask"):
                await asyncio.sleep(rng.uniform(0, 2 * PAUSE))
                added.append(await send(person, thread, door, MODEL_SECONDS))
            await asyncio.sleep(rng.uniform(0, 2 * PAUSE))
            await asyncio.gather(*(send(person, thread, door, MODEL_SECONDS) for door in ("begin", "wait")))
    return added


async def say_at_once(person: Person) -> None:
    """Send many messages to one thread at once, through every door."""
    thread = str(uuid.uuid4())
    await asyncio.gather(*(send(person, thread, door, 0) for door in DOORS * (AT_ONCE // len(DOORS))))


def show(added: Iterable[Sequence[float]]) -> None:
    """Print what is added to the model's seconds."""
    every = [seconds for each in added for seconds in each]
    cuts = quantiles(every, n=20)
    print(f"{len(every)} turns, {cuts[9]:.2f} s added at p50, {cuts[-1]:.2f} s at p95", flush=True)


async def play(fleet: Fleet) -> list[str]:
    """Return what is wrong after all of it."""
    people = [Person(name, token, fleet.servers, SECONDS) for name, token in fleet.tokens.items()]
    crowd, begun = people[1:], time.monotonic()
    try:
        async with asyncio.timeout(SECONDS):
            fleet.set_seconds(MODEL_SECONDS)
            show(await asyncio.gather(*map(talk, crowd)))
            seconds = time.monotonic() - begun
            print(f"{THREADS * ROUNDS * 5} messages of each in {seconds:.0f} s; {fleet.read_processors()}")
            fleet.set_seconds(0)
            begun = time.monotonic()
            await say_at_once(people[0])
            print(f"{AT_ONCE} messages to one thread at once: {time.monotonic() - begun:.0f} s", flush=True)
            return fleet.find_ended() + await find_faults(fleet, people, unharmed=True)
    except TimeoutError:
        return [f"it did not end within {SECONDS:g} s", *(fault for each in people for fault in each.faults)]


def run(folder: Path, options: Namespace) -> list[str]:
    """Return what is wrong, in an empty folder."""
    with open_fleet(folder, [f"person-{n}" for n in range(options.people + 1)]) as fleet:
        return asyncio.run(play(fleet))


if __name__ == "__main__":
    raise SystemExit(long_runs.run(run, __doc__, people=50))
