"""A voice message is the person's own words, where the provider can hear; else it gets a sentence."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ana.models.scripted import calls
from tests.app.telegram.home import Home
from tests.openai_stub import Said, Stub, openai_stub
from tests.telegram_stub import TelegramStub

VOICE: dict[str, Any] = {"voice": {"file_id": "hum", "duration": 2}}
MILK = "Buy two bottles of milk on the way"
BUY = calls(("create_item", {"content": MILK}))


@pytest.fixture
def hearing() -> Iterator[Stub]:
    with openai_stub(Said("none")) as running:
        running.heard = "Buy two bottles of milk on the way <now>"
        yield running


@pytest.fixture
def home(tmp_path: Path, stub: TelegramStub, hearing: Stub) -> Iterator[Home]:
    made = Home(tmp_path, stub, OPENAI_BASE_URL=hearing.url)
    made.link()
    stub.files["hum"] = b"the sound"
    yield made
    made.api.close()


def test_it_is_shown_and_is_the_persons_own_words(home: Home, hearing: Stub) -> None:
    assert (
        home.say("", BUY, "Kept.", **VOICE)
        == "Buy two bottles of milk on the way <now>\n\nKept.\n\n+ “Buy two bottles of milk on the way”"
    )
    (item,) = home.memory.items()
    assert item.sources.content == "person"
    assert b"the sound" in hearing.recordings[0]
    assert b"whisper-1" in hearing.recordings[0]


@pytest.mark.parametrize(
    ("usage", "usd"), [({"type": "duration", "seconds": 30}, 0.003), (None, 0.001), ({"seconds": "x"}, 0.001)]
)
def test_what_it_costs_counts_against_the_day(
    tmp_path: Path, stub: TelegramStub, hearing: Stub, usage: object, usd: float
) -> None:
    hearing.usage = usage
    home = Home(tmp_path, stub, OPENAI_BASE_URL=hearing.url, ANA_DAILY_BUDGET_USD=str(usd))
    home.link()
    stub.files["hum"] = b"s" * 20_000
    home.say("", BUY, "Kept.", **VOICE)
    assert home.say("", "Kept.", **VOICE).startswith("Nothing more is asked")
    assert len(hearing.recordings) == 1
    home.api.close()


def test_one_that_was_forwarded_is_others_words(home: Home) -> None:
    home.say("", BUY, "Kept.", forward_origin={"type": "user"}, **VOICE)
    (item,) = home.memory.items()
    assert item.sources.content == "paste"


def test_what_sounds_like_a_command_is_none(home: Home, hearing: Stub) -> None:
    hearing.heard = "/undo"
    assert home.say("", "What?", **VOICE) == "/undo\n\nWhat?\n\nno changes"


@pytest.mark.parametrize("heard", [None, ""])
def test_where_nobody_hears_it_gets_a_sentence_and_holds_up_nothing(
    home: Home, hearing: Stub, heard: str | None
) -> None:
    hearing.heard = heard
    home.stub.say("", **VOICE)
    assert home.say("hello", "Hello.").startswith("Hello.")
    assert home.stub.texts[0].startswith("It could not be transcribed: openai answered ")


def test_a_recording_that_is_gone_gets_a_sentence_and_holds_up_nothing(home: Home) -> None:
    home.stub.files.clear()
    home.stub.say("", **VOICE)
    assert home.say("hello", "Hello.").startswith("Hello.")
    assert home.stub.texts[0].startswith("Telegram does not provide this file")


def test_without_a_model_it_gets_a_sentence(tmp_path: Path, stub: TelegramStub) -> None:
    home = Home(tmp_path, stub, LLM_PROVIDER="offline")
    home.link()
    stub.files["hum"] = b"the sound"
    said = home.say("", **VOICE)
    assert said == "A voice message needs a model that can transcribe, and none is connected. Write it instead."
    home.api.close()
