"""50 people, two web processes and two workers on one database; 200 messages to one thread; one worker against two.

Every message is answered once, kept once, in order, where it belongs and nowhere else. How much is added to the model's
seconds is printed, and fails nothing.
"""

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles

import httpx

from ana.children import Popen
from ana.people import People
from ana.runs.slots import ALL
from evals.load.fleet import Fleet, stop
from evals.load.person import Person

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


async def measure(turn: Awaitable[None], model: float) -> float:
    """Return how many seconds a turn took beside the model's."""
    begun = time.monotonic()
    await turn
    return time.monotonic() - begun - 2 * model


async def talk(person: Person) -> list[float]:
    """Talk in one thread after another, and return what was added to each message that nothing had to wait for."""
    rng, added = random.Random(person.name), list[float]()
    for _ in range(THREADS):
        thread = await person.open_thread()
        for _ in range(ROUNDS):
            for door in (person.stream, person.wait, person.ask):
                await asyncio.sleep(rng.uniform(0, 2 * PAUSE))
                added.append(await measure(door(thread), MODEL_SECONDS))
            await asyncio.sleep(rng.uniform(0, 2 * PAUSE))
            await person.begin(thread)
            await person.wait(thread)
        if (held := await person.read(thread)) != person.said[thread]:
            person.wrong.append(f"{person.name} has another order: {held} and not {person.said[thread]}")
    return added


async def say_at_once(person: Person) -> None:
    """Send many messages to one thread at once, through every door."""
    thread = await person.open_thread()
    doors = [person.stream, person.wait, person.ask, person.begin] * (AT_ONCE // 4)
    await asyncio.gather(*(door(thread) for door in doors))
    for run in await person.sdk.runs.list(thread, limit=AT_ONCE):
        await person.sdk.runs.join(thread, run["run_id"])


async def measure_open(people: Sequence[Person], count: int) -> float:
    """Keep so many turns open all the time, and return the 95th percentile of what is added."""

    async def go_on(number: int) -> list[float]:
        person = people[number % len(people)]
        thread = await person.open_thread()
        await asyncio.sleep(2 * LONG_SECONDS * number / count)
        return [await measure(person.wait(thread), LONG_SECONDS) for _ in range(2)]

    return show(f"{count} open turns", await asyncio.gather(*map(go_on, range(count))))


async def compare(people: Sequence[Person], workers: Sequence[Popen[bytes]]) -> list[str]:
    """Measure how many open turns two workers carry, and one; return what is wrong where one does not stop."""
    wrong, carried = list[str](), dict[int, int]()
    for count in range(len(workers), 0, -1):
        slots = count * ALL
        tried = [open for open in (slots, slots * 5 // 4) if await measure_open(people, open) <= MOST_ADDED]
        carried[count] = max(tried, default=0)
        print(f"{count} of the workers: {carried[count]} open turns within {MOST_ADDED:g} s at p95", flush=True)
        wrong += await asyncio.to_thread(stop, workers[count - 1])
    return wrong


def show(what: str, added: Iterable[Sequence[float]]) -> float:
    """Print what is added to the model's seconds, and return the 95th percentile."""
    every = [seconds for each in added for seconds in each]
    *_, p95 = cuts = quantiles(every, n=20)
    print(f"{what}: {len(every)} turns, {cuts[9]:.2f} s added at p50, {p95:.2f} s at p95", flush=True)
    return p95


async def play(fleet: Fleet, people: Sequence[Person], workers: Sequence[Popen[bytes]]) -> list[str]:
    """Return what is wrong after all of it."""
    try:
        async with asyncio.timeout(SECONDS):
            crowd, begun = people[1:], time.monotonic()
            fleet.set_seconds(MODEL_SECONDS)
            show(f"{len(crowd)} people", await asyncio.gather(*map(talk, crowd)))
            print(
                f"{THREADS * ROUNDS * 5} messages of each in {time.monotonic() - begun:.0f} s; {fleet.read_processor()}"
            )
            fleet.set_seconds(0)
            begun = time.monotonic()
            await say_at_once(people[0])
            print(f"{AT_ONCE} messages to one thread at once: {time.monotonic() - begun:.0f} s", flush=True)
            fleet.set_seconds(LONG_SECONDS)
            wrong = await compare(crowd, workers)
            return wrong + [fault for each in people for fault in await each.find_faults(fleet.settings)]
    except (TimeoutError, httpx.HTTPError) as exc:
        why = f"it did not end within {SECONDS:g} s" if isinstance(exc, TimeoutError) else f"a request failed: {exc}"
        return [why, *(fault for each in people for fault in each.wrong)]


def run(folder: Path) -> list[str]:
    """Play it in a folder, with processes of its own."""
    with ExitStack() as stack:
        fleet = Fleet(stack, folder)
        urls = [fleet.serve().url for _ in range(2)]
        workers = [fleet.work() for _ in range(2)]
        listed = People(fleet.settings)
        people = [Person(name, listed.add(name), urls) for name in (f"person-{n}" for n in range(PEOPLE + 1))]
        return asyncio.run(play(fleet, people, workers))


def main() -> int:
    """Run it once."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        faults = run(Path(name))
    print("\n".join([f"{len(faults)} faults, {time.monotonic() - begun:.0f} s", *(f"- {each}" for each in faults)]))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
