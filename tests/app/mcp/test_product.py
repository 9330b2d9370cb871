"""Long items are read by parts, searches have a floor, rights are held, and a cancelled call writes nothing."""

import threading
from typing import Any

import anyio
import pytest
from mcp import Client

from ana.handles import Handles
from app.assistants import list_written, save_right, undo_day
from app.mcp.answers import PART
from app.mcp.sessions import Sessions
from app.mcp.tools import list_tools
from tests.app.mcp.conftest import MODES, call, serve, talk


def test_search_and_fetch_describe_what_they_take() -> None:
    for tool in list_tools():
        if tool.name in ("search", "fetch"):
            described = [each.get("description") for each in tool.input_schema["properties"].values()]
            assert all(described), tool.name


def test_a_long_item_is_read_whole_by_parts(served: Sessions, handles: Handles) -> None:
    text = "".join(f"{n:07} " for n in range(PART // 8 * 2 + 10))
    id = handles.memory.create(text).id
    read, offset = "", 0
    for _ in range(3):
        part: Any = call(served, "fetch", {"id": id, "offset": offset}).structured_content
        read, offset = read + part["text"], part.get("next_offset", 0)
    assert (read, offset) == (text, 0)
    assert call(served, "fetch", {"id": id, "offset": -1}).is_error
    assert call(served, "fetch", {"id": id, "offset": "x"}).is_error


def test_a_search_that_nothing_fits_gives_nothing(served: Sessions, handles: Handles) -> None:
    handles.memory.create("Order the tulip bulbs")
    found: Any = call(served, "search", {"query": "tulip bulbs"}).structured_content
    assert [each["title"] for each in found["results"]] == ["Order the tulip bulbs"]
    nothing: Any = call(served, "search", {"query": "quantum chromodynamics lattice"}).structured_content
    assert nothing["results"] == []


@pytest.mark.parametrize(
    ("right", "created", "deleted"), [("all", True, True), ("write", True, False), ("read", False, False)]
)
def test_the_right_to_write_or_to_delete_can_be_taken(
    acting: Handles, right: str, created: bool, deleted: bool
) -> None:
    served = serve(acting)
    item = acting.memory.create("Sharpen the spade")
    save_right(acting.workspace, "claude-code", right)
    made = call(served, "create_item", {"content": "Buy twine"})
    assert made.is_error != created
    gone: Any = call(served, "delete_item", {"id": item.id})
    assert gone.is_error != deleted  # one that it may, waits for the person's yes
    assert not call(served, "query_items", {"text": "spade"}).is_error
    assert call(served, "create_item", {"content": "Buy more twine"}, name="Another").is_error is False
    served.close()


def test_a_damaged_note_of_rights_lets_nobody_write(acting: Handles) -> None:
    served = serve(acting)
    acting.workspace.note("assistants").write("[1")
    assert call(served, "create_item", {"content": "Buy twine"}).is_error
    save_right(acting.workspace, "another", "all")
    assert call(served, "create_item", {"content": "Buy twine"}).is_error
    assert not call(served, "create_item", {"content": "Buy twine"}, name="Another").is_error
    served.close()


def test_what_an_assistant_wrote_on_a_day_is_listed_and_taken_back(acting: Handles) -> None:
    served = serve(acting)
    for content in ("Buy twine", "Buy rope"):
        call(served, "create_item", {"content": content})
    call(served, "create_item", {"content": "Buy sand"}, name="Another")
    listed = {each.name: each for each in list_written(acting.memory, acting.clock)}
    assert {name: len(each.turns) for name, each in listed.items()} == {"claude-code": 2, "another": 1}
    assert "Buy rope" in listed["claude-code"].lines[0]
    day = listed["claude-code"].day
    assert undo_day(acting.memory, acting.clock, "claude-code", day).startswith("Taken back: 2 of 2 acts")
    assert [item.content for item in acting.memory.items()] == ["Buy sand"]
    served.close()


def test_one_done_after_another_waits_for_nobody(handles: Handles) -> None:
    """On the default dial, with a client that cannot ask, and items that are the person's own."""
    served = serve(handles)
    ids = [handles.memory.create(text, {"type": "task", "status": "active"}).id for text in ("one", "two", "three")]

    async def do(client: Client) -> list[Any]:
        await client.call_tool("query_items", {"where": {"status": "active"}})
        done = {"properties": {"status": "done"}}
        return [(await client.call_tool("update_item", {"id": id, **done})).structured_content for id in ids]

    answers = talk(served, do)
    assert ["not_done" in answer for answer in answers] == [False] * 3
    assert {item.properties["status"] for item in handles.memory.items()} == {"done"}
    served.close()


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_call_writes_nothing(handles: Handles, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    served, begun, go_on = serve(handles), threading.Event(), threading.Event()
    embedder: Any = vars(handles.memory.backend)["embedder"]
    embed = embedder.embed_documents

    def embed_slowly(texts: list[str]) -> Any:
        begun.set()
        go_on.wait(30)
        return embed(texts)

    monkeypatch.setattr(embedder, "embed_documents", embed_slowly)

    async def do(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "create_item", {"content": "never kept"})
            await anyio.to_thread.run_sync(begun.wait, 30)
            tasks.cancel_scope.cancel()
        await client.list_resources()  # what was cancelled has arrived when this is answered
        go_on.set()

    talk(served, do, mode)
    served.close()  # waits for the call
    assert handles.memory.count() == 0


def test_a_client_is_told_how_far_a_call_is(handles: Handles) -> None:
    served, told = serve(handles), list[float]()

    async def do(client: Client) -> None:
        async def tell(progress: float, total: float | None, message: str | None) -> None:
            told.append(progress)

        await client.call_tool("create_item", {"content": "Buy twine"}, progress_callback=tell)

    talk(served, do)
    served.close()
    assert told
