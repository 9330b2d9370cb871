"""Two people do random things through random doors of one server: each sees what they would see alone."""

import random
import re
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from ana.people import People
from ana.settings import load_settings
from app.server.app import build_app
from tests.conftest import live_in

NAMES = ("ann", "bob")
THINGS = ("spare key", "blue tin", "passport", "garden hose", "red folder")
STEPS = 12

MASKS = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?", "TIME"),
    (r'\\*"(id|tool_call_id|trace_id|turn_id|previous|parent|task_id|fence)\\*": ?\\*"[^"\\]*\\*"', "ID"),
    (r'"(load_context|reason|execute_tools|reflect|approve|seconds)": ?[\d.e-]+', "DURATION"),
    (r"(?<![a-z0-9])(?=[a-z0-9]*\d)[a-z0-9]{8,16}(?![a-z0-9])", "ID"),
)
"""What may differ: ids and times."""


class Person:
    """Somebody who uses a server, and all that they have seen there.

    Args:
        client: Signed in as them.
        seed: Decides what they do.
        folder: The server's.
    """

    def __init__(self, client: TestClient, seed: int, folder: Path) -> None:
        self._client = client
        self._masks = ((re.escape(str(folder)), "FOLDER"), *MASKS)
        self._rng = random.Random(seed)
        self._threads: list[str] = []
        self.seen: list[tuple[str, int, str]] = []

    def act(self) -> None:
        """Do one thing, and note what is seen of it."""
        acts: Sequence[Callable[[], Any]] = (self._note, self._find, self._run, self._run, self._begin)
        acts = (*acts, self._search, self._look, self._look, self._copy, self._delete, self._transcript, self._calendar)
        act = self._rng.choice(acts)
        reply = act()
        text = reply.text
        for pattern, mask in self._masks:
            text = re.sub(pattern, mask, text)
        self.seen.append((act.__name__, reply.status_code, text))

    def _thing(self) -> str:
        return self._rng.choice(THINGS)

    def _thread(self) -> str:
        return self._rng.choice(self._threads) if self._threads else str(uuid.uuid4())

    def _note(self) -> Any:
        return self._post("/ask", question=f"note: the {self._thing()} is in drawer {self._rng.randrange(9)}")

    def _find(self) -> Any:
        return self._post("/ask", question=f"where is the {self._thing()}?")

    def _begin(self) -> Any:
        reply = self._post("/threads", metadata={"colour": self._thing()})
        self._threads.append(reply.json()["thread_id"])
        return reply

    def _run(self) -> Any:
        said = {"messages": [{"role": "user", "content": f"where is the {self._thing()}?"}]}
        return self._post(f"/threads/{self._thread()}/runs/wait", assistant_id="ana", input=said)

    def _search(self) -> Any:
        return self._post("/threads/search", metadata={"colour": self._thing()}, sort_by="created_at")

    def _look(self) -> Any:
        path = self._rng.choice(("", "/state", "/history", "/runs"))
        return self._client.get(f"/threads/{self._thread()}{path}")

    def _copy(self) -> Any:
        return self._post(f"/threads/{self._thread()}/copy")

    def _delete(self) -> Any:
        return self._client.delete(f"/threads/{self._thread()}")

    def _transcript(self) -> Any:
        return self._client.get(f"/transcript/{self._thread()}")

    def _calendar(self) -> Any:
        return self._client.get("/calendar.ics")

    def _post(self, path: str, **body: Any) -> Any:
        return self._client.post(path, json=body)


def play(folder: Path, patch: pytest.MonkeyPatch, seed: int, who: Sequence[str]) -> dict[str, list[Any]]:
    """Let these people act in turns on a server of their own; return what each has seen."""
    live_in(folder, patch)
    people = People(load_settings())
    tokens = {name: people.add(name) for name in NAMES}
    turns = random.Random(seed)
    with TestClient(build_app(), base_url="http://127.0.0.1:2024") as client:
        acting = {}
        for place, name in enumerate(NAMES):
            own = TestClient(client.app, "http://127.0.0.1:2024", headers={"authorization": f"Bearer {tokens[name]}"})
            own.portal = client.portal  # one event loop, as in one server
            acting[name] = Person(own, seed + place, folder)
        for _ in range(STEPS * len(NAMES)):
            name = turns.choice(NAMES)
            if name in who:
                acting[name].act()
    return {name: acting[name].seen for name in who}


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(100, 130))])
def test_each_sees_what_they_would_see_alone(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = play(tmp_path / "together", monkeypatch, seed, NAMES)
    for name in NAMES:
        alone = play(tmp_path / name, monkeypatch, seed, [name])
        for here, there in zip(together[name], alone[name], strict=True):
            assert here == there
        assert len({act for act, *_ in together[name]}) > 3
