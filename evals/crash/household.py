"""Kill a server in which three people work, at random moments; then look at what each of them has.

What was answered is there, once, and with nobody else. What was not answered is there once or not at all. Every thread
can be read, and the next message in it is answered.
"""

import argparse
import random
import tempfile
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from ana.handles import open_data
from ana.people import People
from ana.settings import PROJECT, Settings, load_settings
from ana.workspace import open_workspace
from evals.faults import report
from evals.load.server import SERVE, Server, name_places, start_process

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


def talk(person: Person, url: str, seed: float, stop: threading.Event) -> None:
    """Send notes, each through one of two doors, until the server is gone."""
    rng = random.Random(seed)
    with httpx.Client(base_url=url, headers={"authorization": f"Bearer {person.token}"}, timeout=60) as client:
        while not stop.is_set():
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


def run(kills: int, folder: Path, seed: int) -> tuple[list[Person], list[str]]:
    """Kill the server so many times; return the people, and the faults of the first kill that left any."""
    rng = random.Random(seed)
    env = name_places(folder, ANA_EMBEDDINGS="wordllama")
    settings = load_settings(env)
    people = [Person(name, People(settings).add(name)) for name in NAMES]
    for n in range(kills):
        server = Server(env, folder / "server.log", SERVE, PROJECT, start_process)
        faults = [fault for person in people for fault in find_broken_threads(person, server.url)] if n else []
        stop = threading.Event()
        talkers = [threading.Thread(target=talk, args=(each, server.url, rng.random(), stop)) for each in people]
        for talker in talkers:
            talker.start()
        time.sleep(LONGEST * rng.random())
        server.kill()
        stop.set()
        for talker in talkers:
            talker.join()
        faults += [fault for person in people for fault in find_faults(person, settings)]
        print(f"kill {n + 1}: {sum(len(each.answered) for each in people)} answered", flush=True)
        if faults:
            return people, faults
    return people, []


def main() -> int:
    """Run the long form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        people, faults = run(arguments.kills, Path(name), arguments.seed)
    answered, sent = (sum(len(getattr(each, kind)) for each in people) for kind in ("answered", "sent"))
    print(f"{arguments.kills} kills of a server of {len(people)} people; {sent} notes sent, {answered} answered")
    return report(faults)


if __name__ == "__main__":
    raise SystemExit(main())
