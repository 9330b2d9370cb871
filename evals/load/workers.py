"""50 people, two web processes and two workers on one database; 200 messages to one thread; one worker against two.

Every message is answered once, kept once, in order, where it belongs and nowhere else. How much is added to the model's
seconds is printed, and fails nothing.
"""

import asyncio
import random
import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles

from ana.runs.slots import ALL
from evals.crash.fleet import Fleet
from evals.crash.judge import find_faults
from evals.crash.talk import DOORS, Message, Person
from evals.faults import report
from evals.load.server import start_process

PEOPLE, THREADS, ROUNDS = 50, 2, 2
"""A round is five messages, through each door."""

PAUSE = 8.0
"""Seconds between two messages of a person, on average: so that two cores, which carry everything, are half at work."""

AT_ONCE = 200
MODEL_SECONDS, LONG_SECONDS = 1.0, 10.0
"""How long the model works on each of the two requests of a turn, where people talk and where turns are counted."""

MOST_ADDED = 2.0
"""A worker carries as many turns as let the 95th percentile of what is added stay within these seconds."""

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


async def measure_open(people: Sequence[Person], count: int) -> float:
    """Keep so many turns open all the time, and return the 95th percentile of what is added."""

    async def go_on(number: int) -> list[float]:
        thread = str(uuid.uuid4())
        await asyncio.sleep(2 * LONG_SECONDS * number / count)
        return [await send(people[number % len(people)], thread, "wait", LONG_SECONDS) for _ in range(2)]

    return show(f"{count} open turns", await asyncio.gather(*map(go_on, range(count))))


async def compare(fleet: Fleet, people: Sequence[Person]) -> list[str]:
    """Measure how many open turns two workers carry, and one; return what is wrong where one does not stop."""
    wrong, carried = list[str](), dict[int, int]()
    for count in range(len(fleet.workers), 0, -1):
        slots = count * ALL
        tried = [open for open in (slots, slots * 5 // 4) if await measure_open(people, open) <= MOST_ADDED]
        carried[count] = max(tried, default=0)
        print(f"{count} of the workers: {carried[count]} open turns within {MOST_ADDED:g} s at p95", flush=True)
        wrong += await asyncio.to_thread(fleet.stop_worker)
    return wrong


def show(what: str, added: Iterable[Sequence[float]]) -> float:
    """Print what is added to the model's seconds, and return the 95th percentile."""
    every = [seconds for each in added for seconds in each]
    *_, p95 = cuts = quantiles(every, n=20)
    print(f"{what}: {len(every)} turns, {cuts[9]:.2f} s added at p50, {p95:.2f} s at p95", flush=True)
    return p95


async def play(fleet: Fleet) -> list[str]:
    """Return what is wrong after all of it."""
    people = [Person(name, token, fleet.servers, SECONDS) for name, token in fleet.tokens.items()]
    crowd, begun = people[1:], time.monotonic()
    try:
        async with asyncio.timeout(SECONDS):
            fleet.set_seconds(MODEL_SECONDS)
            show(f"{len(crowd)} people", await asyncio.gather(*map(talk, crowd)))
            seconds = time.monotonic() - begun
            print(f"{THREADS * ROUNDS * 5} messages of each in {seconds:.0f} s; {fleet.read_processors()}")
            fleet.set_seconds(0)
            begun = time.monotonic()
            await say_at_once(people[0])
            print(f"{AT_ONCE} messages to one thread at once: {time.monotonic() - begun:.0f} s", flush=True)
            fleet.set_seconds(LONG_SECONDS)
            wrong = fleet.find_ended() + await compare(fleet, crowd)
            return wrong + await find_faults(fleet, people, unharmed=True)
    except TimeoutError:
        return [f"it did not end within {SECONDS:g} s", *(fault for each in people for fault in each.faults)]


def main() -> int:
    """Run it once."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        names = [f"person-{n}" for n in range(PEOPLE + 1)]
        faults = asyncio.run(play(Fleet(stack, Path(name), start_process, names)))
    print(f"{time.monotonic() - begun:.0f} s")
    return report(faults)


if __name__ == "__main__":
    raise SystemExit(main())
