"""A stub of Telegram, and a person with a chat there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.telegram.api import Api
from tests.app.telegram.home import Home
from tests.telegram_stub import TelegramStub, telegram_stub


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a call that failed be tried again at once."""
    monkeypatch.setattr(Api.__init__, "__defaults__", (0.01,))


@pytest.fixture
def stub() -> Iterator[TelegramStub]:
    with telegram_stub() as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, stub: TelegramStub) -> Iterator[Home]:
    made = Home(tmp_path, stub)
    made.link()
    yield made
    made.api.close()


@pytest.fixture
def careful(tmp_path: Path, stub: TelegramStub) -> Iterator[Home]:
    """A home in which every change asks first."""
    made = Home(tmp_path, stub, ANA_AUTONOMY="advise")
    made.link()
    yield made
    made.api.close()
