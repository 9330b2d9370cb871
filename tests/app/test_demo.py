"""`ana demo`: an invented family's three weeks, played through the real graph, on a folder of which nothing is left."""

import re
import signal
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from ana.settings import load_settings
from ana.tracing.schema import Record
from ana.workspace import Workspace, open_workspace
from app.demo import RECORDED, Turn, play, read_turns
from tests.conftest import folders
from tests.servers import demo_serving

NOW = datetime(2026, 1, 7, 10, tzinfo=ZoneInfo("Europe/Berlin"))
WEEK = [NOW + timedelta(days) for days in range(7)]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A data folder in which the three weeks were played."""
    workspace = open_workspace(load_settings(folders(tmp_path_factory.mktemp("demo"), LLM_PROVIDER="offline")))
    play(workspace, NOW)
    return workspace


def read_records(workspace: Workspace) -> list[Record]:
    traces = workspace.open_traces()
    return sorted((record for id in traces.ids() for record in traces.read(id)), key=lambda record: record["ts"])


@pytest.mark.parametrize("now", WEEK, ids=lambda now: f"{now:%a}")
def test_the_three_weeks_end_now_on_whatever_day_they_are_begun(now: datetime) -> None:
    turns = [*read_turns(now)]
    assert [*turns] == sorted(turns, key=lambda turn: turn.at)
    assert timedelta(weeks=3) > now - turns[0].at > timedelta(days=19)
    assert turns[-1].at < now
    assert not re.search(r"\{-?\d", repr(turns)), "every day is filled in"
    moved = turns[-1].calls[2][1]["properties"]["start_date"]
    assert moved > find_photo(turns)["start_date"], "the photographer comes later than was said before"


def find_photo(turns: list[Turn]) -> Any:
    calls = (args for turn in turns for name, args in turn.calls if name == "create_item")
    return next(args["properties"] for args in calls if args["content"].startswith("Class photo"))


def test_every_answer_goes_out_as_it_was_recorded_and_is_marked_so(played: Workspace) -> None:
    said = [turn for turn in read_turns(NOW) if turn.answer is not None]
    records = read_records(played)
    assert [(record["question"], record["answer"]) for record in records] == [(t.message.text, t.answer) for t in said]
    assert {record["model"] for record in records} == {RECORDED}
    assert not [step for record in records for step in record["steps"] if step["tool"].startswith("⛔️")]
    assert not [record for record in records if record["error"] or record["cost_usd"]]


def test_it_all_happened_when_it_was_said(played: Workspace) -> None:
    records = read_records(played)
    assert [record["ts"][:10] for record in records[:3]] == ["2025-12-18", "2025-12-18", "2025-12-19"]
    threads = played.open_threads()
    assert len(threads.store.ids()) == len({turn.thread for turn in read_turns(NOW)})
    (waiting,) = threads.store.waiting_since().values()
    assert datetime.fromisoformat(waiting) < NOW


def test_what_a_text_of_others_suggests_waits_for_a_decision(played: Workspace) -> None:
    (waiting,) = played.open_threads().waiting()
    assert waiting == played.open_threads().resolve("A letter from school")


@pytest.mark.parametrize("way", ["page", "Ctrl-C"])
def test_however_it_ends_nothing_of_it_is_left(tmp_path: Path, way: str) -> None:
    env: Mapping[str, str] = folders(tmp_path, OPENAI_API_KEY="never-sent")
    log = tmp_path / "demo.log"
    with demo_serving(env, log) as server:
        folder = Path(re.findall(r"deletes (\S+)\)", log.read_text())[0])
        assert (folder / "data").is_dir()
        with httpx.Client(base_url=server.url, follow_redirects=True, timeout=60) as client:
            assert "Water the orchids" in client.get("/app/today").text
            page = client.get("/app").text
            assert "Not done yet; may I?" in page
            there = re.findall(r'href="([^"]+)"[^>]*>I am ill<', page)[0]
            assert '<span class="tag">recorded</span>' in client.get(there).text
            assert "never-sent" not in client.get("/app/settings").text
            if way == "page":
                token = re.findall(r'name="form_token" value="([^"]+)"', page)[0]
                assert "The demo has ended" in client.post("/app/demo/end", data={"form_token": token}).text
        if way == "Ctrl-C":
            server.process.send_signal(signal.SIGINT)
        assert server.process.wait(60) == 0
    assert not folder.exists()
    assert not (tmp_path / "data").exists(), "one's own folder is left alone"
