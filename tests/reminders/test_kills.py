"""kill -9 of two processes that deliver, at random moments: none is missing, none comes twice without a kill."""

import os
import random
import signal
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ana.handles import open_data
from ana.memory.memory import Memory
from ana.reminders.reading import tell_time
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from tests.conftest import BERLIN, folders
from tests.forks import Fork, fork
from tests.reminders.collector import Collector, collecting

DELIVER = """
    import sys
    from app import reminding
    reminding.SECONDS = 0.05
    sys.argv = ["ana", "remind"]
    from app.cli.main import main
    main()
"""
"""`ana remind`, which looks more often than every 20 seconds."""


def start(env: Mapping[str, str]) -> Fork:
    with open(os.devnull) as nothing, open(os.devnull, "w") as out:
        return fork("-c", DELIVER, stdin=nothing.fileno(), stdout=out.fileno(), stderr=out.fileno(), env=env)


def deliver_under_kills(tmp_path: Path, collector: Collector, reminders: int, kills: int) -> None:
    """Let two processes deliver reminders that come due one after the other, and kill one of them again and again."""
    env = folders(tmp_path, ANA_NOTIFY=collector.address, LLM_PROVIDER="offline")
    now, chance = datetime.now(UTC), random.Random(kills)
    last = kills * 1.2
    with open_data(open_workspace(load_settings(env)), "a test") as handles:
        memory = Memory(handles.memory.backend, Clock(UTC, lambda: now))
        for number in range(reminders):
            moment = now + timedelta(seconds=2 + last * number / reminders)
            memory.create(f"task {number}", {"remind": moment.isoformat()})
    running = [start(env), start(env)]
    try:
        for _ in range(kills):
            time.sleep(chance.uniform(0.05, 1.2))
            victim = running.pop(chance.randrange(2))
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            running.append(start(env))
        end = time.monotonic() + last + 60
        while len(collector.tags) < reminders and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)  # for copies, if there were any
    finally:
        for each in running:
            each.send_signal(signal.SIGKILL)
            each.wait()
    missing = {f"task {number}" for number in range(reminders)} - {*collector.titles}
    copies = collector.tags.total() - len(collector.tags)
    print(f"{reminders} reminders, {kills} kills: {len(missing)} missing, {copies} delivered again after a kill")
    assert not missing
    assert copies <= kills, "a process that is killed may have sent one that it could not note"
    days = {tell_time(moment.astimezone(BERLIN).date()) for moment in (now, datetime.now(UTC))}  # midnight may pass
    assert any(day in collector.messages[0]["message"] for day in days)


def test_none_is_missing_and_none_comes_twice_without_a_kill(tmp_path: Path) -> None:
    with collecting() as collector:
        deliver_under_kills(tmp_path, collector, reminders=10, kills=2)


@pytest.mark.long
def test_many_kills(tmp_path: Path) -> None:
    with collecting() as collector:
        deliver_under_kills(tmp_path, collector, reminders=400, kills=100)


def test_two_that_live_deliver_each_once(tmp_path: Path) -> None:
    with collecting() as collector:
        deliver_under_kills(tmp_path, collector, reminders=20, kills=0)
    assert {*collector.tags.values()} == {1}
