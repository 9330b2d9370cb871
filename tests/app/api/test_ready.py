"""Whether the server answers, and whether it can do its work."""

import asyncio
import threading
from pathlib import Path

import httpx
import pytest

from ana.errors import StoreBroken
from app.api import ready
from app.api.ready import Readiness
from tests.app.api.conftest import Running


def test_a_folder_that_cannot_be_written_is_told_to_everybody_and_the_process_answers_all_the_same(
    running: Running, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready, "SECONDS", 0.0)
    with httpx.Client(base_url=running.url) as nobody:
        asked = nobody.get("/ready")
        assert (asked.status_code, asked.json()) == (200, {"ready": True})
        (home / "data").rename(home / "elsewhere")
        asked = nobody.get("/ready")
        why = "The data folder cannot be written: No such file or directory."
        assert (asked.status_code, asked.json()) == (503, {"ready": False, "why": why})
        assert nobody.get("/ok").json() == {"ok": True}
        (home / "elsewhere").rename(home / "data")
        assert nobody.get("/ready").json() == {"ready": True}
    assert not [path for path in (home / "data").iterdir() if path.name.startswith("tmp")]


def test_many_who_ask_are_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "SECONDS", 1e9)
    gate, looks = threading.Event(), []

    def look() -> None:
        looks.append(1)
        gate.wait()
        raise StoreBroken("The disk is full.", "Ask anna.")

    async def ask() -> list[str]:
        readiness = Readiness(look)
        asked = [asyncio.create_task(readiness.find_fault()) for _ in range(20)]
        while not looks:
            await asyncio.sleep(0)
        gate.set()
        return [*await asyncio.gather(*asked), await readiness.find_fault()]

    assert asyncio.run(ask()) == ["The disk is full."] * 21
    assert len(looks) == 1
