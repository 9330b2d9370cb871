"""A large store there and back, and backed up, while a server runs on it and a person talks to it: nothing is lost."""

import os
import random
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest

from ana.archive.backup import back_up, open_place
from ana.archive.parts import RECORDS
from ana.archive.restore import restore
from ana.handles import open_data
from ana.memory.changes import KINDS, Change, Entry, find_disagreements
from ana.memory.item import Item
from ana.moving.move import Direction
from ana.people import People
from ana.values import Properties
from ana.workspace import Workspace
from tests.moving.people import (
    fill_history,
    fill_rest,
    fill_threads,
    in_database,
    make_move,
    memory_in,
    new_person,
    tell,
)
from tests.servers import own_serving
from tests.threads.conformance import STAMP, say

WORDS = ("milk", "tea", "dentist", "garden", "letter", "bicycle", "school", "river", "holiday", "anna", "call", "paint")


def fill(workspace: Workspace, items: int, conversations: int) -> None:
    chance = random.Random(items)
    with memory_in(workspace) as memory:
        fill_history(memory)
        for first in range(0, items, 500):
            made = [make_entry(chance, n) for n in range(first, min(first + 500, items))]
            memory.backend.apply(made)
    store = workspace.open_thread_store()
    for n in range(conversations):
        thread = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        for turn in range(3):
            say(store, thread, f"text {n} {turn}", f"run-{n}-{turn}")
        store.set_names({thread: f"about {n}"})
    fill_threads(workspace)
    fill_rest(workspace)


def make_entry(chance: random.Random, n: int) -> Entry:
    content = f"{' '.join(chance.choices(WORDS, k=8))} {n}"
    properties: Properties = {"type": "task", "due_date": f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}", "n": n}
    item = Item(f"i{n:07}", content, properties, STAMP, STAMP)
    return Entry(STAMP, "", f"turn-{n // 10}", Change("item", item.id, None, item))


def read_vectors(workspace: Workspace) -> dict[str, "np.ndarray[tuple[int], np.dtype[np.float32]]"]:
    with open_data(workspace, "a test") as handles, open_place(handles) as place:
        return {f"{part} {item.id}": np.array(vector) for part in RECORDS for item, vector in place.read(part)}


class Talk:
    """A person who tells a server one note after another."""

    def __init__(self, url: str, token: str) -> None:
        self.kept: list[str] = []
        """What was acknowledged."""
        self.refused: list[str] = []
        self._url, self._token = url, token
        self._ends = threading.Event()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Talk in a thread of its own meanwhile."""
        talking = threading.Thread(target=self._talk)
        talking.start()
        try:
            yield
        finally:
            self._ends.set()
            talking.join()

    def _talk(self) -> None:
        with httpx.Client(
            base_url=self._url, headers={"authorization": f"Bearer {self._token}"}, timeout=120
        ) as client:
            while not self._ends.is_set():
                note = f"the box number {len(self.kept)} {uuid.uuid4().hex[:8]} is in the cellar"
                answer = client.post("/ask", json={"question": f"note: {note}"})
                if answer.status_code == 200 and answer.json().get("changes"):
                    self.kept.append(note)
                else:
                    self.refused.append(answer.text)
                    time.sleep(0.2)


def find_lost(workspace: Workspace, notes: list[str]) -> list[str]:
    with memory_in(workspace) as memory:
        there = "\n".join(item.content for item in memory.items())
    return [note for note in notes if note not in there]


def environment(workspace: Workspace, path: Path) -> dict[str, str]:
    settings, url = workspace.settings, workspace.settings.ana_database_url
    kept = {"ANA_DATA_DIR": settings.ana_data_dir, "TRACES_DIR": settings.traces_dir, "LOG_FILE_PATH": path / "ana.log"}
    fixed = {"ANA_TIMEZONE": "Europe/Berlin", "ANA_EMBEDDINGS": "wordllama", "LLM_PROVIDER": "offline"}
    return (
        os.environ
        | {name: f"{place}" for name, place in kept.items()}
        | fixed
        | ({"ANA_DATABASE_URL": url.get_secret_value()} if url else {})
    )


def move_there_and_back(path: Path, items: int, conversations: int) -> None:
    ann = new_person(path, LLM_PROVIDER="offline")
    fill(ann, items, conversations)
    token = People(ann.settings).renew(ann.person)
    ways: list[tuple[Workspace, Direction]] = [(ann, "database"), (in_database(ann), "folder")]
    for place, to in ways:
        there = in_database(ann) if to == "database" else ann
        with own_serving(environment(place, path), path / "log") as server:
            talk = Talk(server.url, token)
            with talk.going_on():
                check_backups(place, path / to)
            assert talk.kept, talk.refused[:1]
            print(f"{len(talk.kept)} notes were kept and {len(talk.refused)} refused while backups were written")
            assert not find_lost(place, talk.kept)
            before, vectors = tell(place), read_vectors(place)
            began = time.monotonic()
            make_move(ann).run(to, lambda *_: None)
            print(f"moved into the {to} in {time.monotonic() - began:.1f} s")
            assert tell(there) == before
            after = read_vectors(there)
            assert {*after} == {*vectors}
            assert all(np.allclose(vectors[id], vector, rtol=0, atol=1e-5) for id, vector in after.items())
            if to == "folder":
                continue
            # who goes on talking to the side that was left is refused, and nothing that was acknowledged is lost
            left = Talk(server.url, token)
            with left.going_on():
                while not (left.kept or left.refused):
                    time.sleep(0.02)
            assert (left.kept, bool(left.refused)) == ([], True)


def check_backups(place: Workspace, path: Path) -> None:
    """Check that backups that are written while somebody talks are whole: journal and items agree."""
    path.mkdir()
    for n in range(2):
        with open_data(place, "a test") as handles:
            began = time.monotonic()
            manifest = back_up(handles, path / f"{n}.zip")
            print(f"backed up in {time.monotonic() - began:.1f} s")
        other = new_person(path / f"{n}", LLM_PROVIDER="offline")
        with open_data(other, "a test") as handles:
            restore(handles, path / f"{n}.zip", place.person, lambda *_: None)
        told = tell(other)
        assert len(told["journal"]) == manifest.parts["journal"].rows
        with memory_in(other) as memory:
            for kind in KINDS:
                records, latest = memory.backend.scan(kind), memory.backend.latest(kind)
                assert not find_disagreements(kind, records, latest)


def test_a_small_store_goes_there_and_back_while_somebody_talks(tmp_path: Path) -> None:
    move_there_and_back(tmp_path, items=200, conversations=5)


@pytest.mark.long
def test_ten_thousand_items_go_there_and_back_while_somebody_talks(tmp_path: Path) -> None:
    move_there_and_back(tmp_path, items=10_000, conversations=200)
