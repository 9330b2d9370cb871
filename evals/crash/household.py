"""Kill a server in which three people work, at random moments; then look at what each of them has.

What was answered is there, once, and with nobody else. What was not answered is there once or not at all. Every thread
can be read, and the next message in it is answered.
"""

import random
import time
import uuid
from argparse import Namespace
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from ana.handles import open_data
from ana.people import People
from ana.settings import Settings, load_settings
from ana.workspace import open_workspace
from evals import long_runs
from evals.load.server import name_places, running

NAMES = ("anna", "ben", "cleo")
KILLS = 20
LONGEST = 3.0
"""Seconds for which a server works at most before it is killed."""


@dataclass
class Person:
    """What somebody has said: all notes, by whether they were answered, and in which threads."""

    name: str
    token: str
    answered: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    threads: list[str] = field(default_factory=list)


def talk(person: Person, url: str, seed: float) -> None:
    """Send notes, each through one of two doors, until the server is gone."""
    rng = random.Random(seed)
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {person.token}"}, timeout=60) as client:
        while True:
            note = f"{person.name} put {uuid.uuid4().hex} into the drawer"
            if not person.threads or rng.random() < 0.2:
                person.threads.append(str(uuid.uuid4()))
            thread = rng.choice(person.threads)
            person.sent.add(note)
            try:
                if send(client, thread, f"note: {note}", rng.random() < 0.3):
                    person.answered.add(note)
            except httpx.HTTPError:
                return


def send(client: httpx.Client, thread: str, text: str, ask: bool) -> bool:
    """Send a message by POST /ask or as a run; return whether it was answered, as what it is."""
    if ask:
        reply = client.post("/ask", json={"question": text, "thread_id": thread})
        return reply.status_code == 200 and "Kept" in reply.json()["answer"]
    inputs = {"messages": [{"role": "user", "content": text, "id": str(uuid.uuid4())}]}
    body = {"assistant_id": "ana", "input": inputs, "if_not_exists": "create"}
    state = client.post(f"/threads/{thread}/runs/wait", json=body).json()
    return bool(state.get("messages")) and "Kept" in state["messages"][-1]["content"]


def find_faults(person: Person, settings: Settings) -> list[str]:
    """Return what is wrong with what a person has on the disk."""
    with open_data(open_workspace(settings, person.name), "crash") as handles:
        stored = Counter(item.content for item in handles.memory.items())
    wrong = [f"{person.name} lost {note}" for note in person.answered - stored.keys()]
    wrong += [f"{person.name} has {times} of {note}" for note, times in stored.items() if times > 1]
    return wrong + [f"{person.name} has what they never said: {note}" for note in stored.keys() - person.sent]


def find_broken_threads(person: Person, url: str) -> list[str]:
    """Return which threads cannot be read, and whether the last one does not go on."""
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {person.token}"}, timeout=60) as client:
        known = [row["thread_id"] for row in client.post("/threads/search", json={"limit": 1000}).json()]
        wrong = [f"{id} is not {person.name}'s" for id in known if id not in person.threads]
        wrong += [f"{id} cannot be read" for id in known if client.get(f"/threads/{id}/state").status_code != 200]
        note = f"{person.name} goes on with {uuid.uuid4().hex}"
        person.sent.add(note)
        if known and not send(client, known[0], f"note: {note}", ask=False):
            wrong.append(f"{known[0]} does not go on")
        return wrong


def play(folder: Path, options: Namespace) -> list[str]:
    """Kill the server so many times, in an empty folder; return what the first kill that left any left wrong."""
    rng = random.Random(options.seed)
    env = name_places(folder, ANA_EMBEDDINGS="wordllama")
    settings = load_settings(env)
    people = [Person(name, People(settings).add(name)) for name in NAMES]
    faults = list[str]()
    for n in range(options.kills):
        with running(env, folder / "server.log") as server:
            faults += [fault for person in people for fault in find_broken_threads(person, server.url)] if n else []
            with ThreadPoolExecutor(len(people)) as pool:
                talks = [pool.submit(talk, person, server.url, rng.random()) for person in people]
                time.sleep(LONGEST * rng.random())
                server.kill()
            for each in talks:
                each.result()
        faults += [fault for person in people for fault in find_faults(person, settings)]
        sent, answered = (sum(len(getattr(each, kind)) for each in people) for kind in ("sent", "answered"))
        print(f"kill {n + 1}: {sent} notes sent, {answered} answered", flush=True)
        if faults:
            break
    return faults


if __name__ == "__main__":
    raise SystemExit(long_runs.run(play, __doc__, kills=KILLS))
