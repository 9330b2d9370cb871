"""Somebody who gets the name of a person who was removed, while the server runs, gets nothing else of theirs."""

import uuid
from typing import Any

from ana.people import People
from ana.settings import load_settings
from ana.workspace import open_workspace
from tests.app.server.conftest import Running


def say(text: str, **options: Any) -> dict[str, Any]:
    said = {"messages": [{"role": "user", "content": text}]}
    return {"assistant_id": "ana", "input": said, "if_not_exists": "create", **options}


def test_a_name_that_is_given_again_is_somebody_else(running: Running) -> None:
    old, new = str(uuid.uuid4()), str(uuid.uuid4())
    people = People(load_settings())
    with running.client("bob") as bob:
        bob.post(f"/threads/{old}/runs", json=say("note: the diary", after_seconds=80_000)).raise_for_status()
        assert "the diary" in bob.get(f"/app/chat/{old}").text
    people.remove("bob")
    running.tokens["bob"] = people.add("bob")
    with running.client("bob") as bob:
        assert "the diary" not in bob.get(f"/app/chat/{old}").text
        bob.post(f"/threads/{new}/runs/wait", json=say("note: hello")).raise_for_status()
        assert bob.get(f"/threads/{new}/runs").json()
    assert {*open_workspace(load_settings(), "bob").open_thread_store().marks()} == {new}
