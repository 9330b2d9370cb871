"""`ana telegram`, and the bot beside the server."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ana.settings import load_settings
from app.telegram.links import Links
from tests.command_line import run
from tests.conftest import folders
from tests.forks import fork
from tests.servers import own_serving
from tests.telegram_stub import TOKEN, TelegramStub, telegram_stub
from tests.waiting import wait_until


@pytest.fixture
def stub() -> Iterator[TelegramStub]:
    with telegram_stub() as running:
        yield running


@pytest.fixture
def env(tmp_path: Path, stub: TelegramStub, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    made = folders(tmp_path, LLM_PROVIDER="offline", TELEGRAM_BOT_TOKEN=TOKEN, TELEGRAM_API_URL=stub.url)
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    return made


def link(stub: TelegramStub) -> None:
    code, told = run("telegram", "--link")
    assert code == 0
    assert "@a_bot" in told
    found = re.search(r"\d{8}", told)
    assert found
    stub.say(found[0])


def test_a_chat_is_linked_and_answered_until_it_is_stopped(
    env: dict[str, str], stub: TelegramStub, tmp_path: Path
) -> None:
    link(stub)
    stub.say("note: the key is in the tin")
    with open(os.devnull) as nothing, (tmp_path / "told").open("w") as told:
        out = told.fileno()
        running = fork("-m", "app.cli", "telegram", env=env, stdin=nothing.fileno(), stdout=out, stderr=out)
        try:
            wait_until(lambda: stub.is_read)
        finally:
            os.kill(running.pid, signal.SIGINT)
        assert running.wait(60) == 130
    assert "“the key is in the tin” (note)" in stub.texts[-1]
    assert TOKEN not in (tmp_path / "log" / "ana.log").read_text()
    assert run("telegram", "--unlink") == (0, "Your chat is no longer linked.\n")
    assert Links(load_settings(env)).find(4711) is None


def test_the_server_answers_too_and_then_the_command_does_not(
    env: dict[str, str], stub: TelegramStub, tmp_path: Path
) -> None:
    link(stub)
    with own_serving(env, tmp_path / "server.log") as server:
        stub.say("note: the key is in the tin")
        wait_until(lambda: stub.is_read)
        assert "“the key is in the tin” (note)" in stub.texts[-1]
        assert httpx.get(f"{server.url}/ok").json() == {"ok": True}
        code, told = run("telegram")
        assert code == 1
        assert "`ana serve` is running and already answers Telegram." in told


def test_without_a_token_or_with_a_wrong_one_it_says_what_to_do(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "123:nobody")
    code, told = run("telegram", "--link")
    assert (code, "TELEGRAM_BOT_TOKEN" in told) == (2, True)
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "")
    code, told = run("telegram")
    assert (code, "@BotFather" in told) == (1, True)
