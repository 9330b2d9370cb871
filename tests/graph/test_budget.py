"""ANA_DAILY_BUDGET_USD: the day's sum over all threads ends a turn before the next call that costs money."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles, open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.spending import Spending
from ana.time.clock import Clock
from app.outcome import expect_done
from tests.conftest import BERLIN, EMBEDDER, MakeAssistant, folders

LATE = datetime(2026, 1, 7, 22, 30, tzinfo=UTC)
"""23:30 in Berlin."""


class Calendar:
    """A clock that can be moved."""

    def __init__(self) -> None:
        self.time = LATE

    def now(self) -> datetime:
        return self.time


def paid(message: AIMessage | str, dollars: float) -> AIMessage:
    """A reply that costs this much with gpt-4o-mini."""
    message = AIMessage(message) if isinstance(message, str) else message
    tokens = round(dollars / 0.15e-6)
    usage = {"input_tokens": tokens, "output_tokens": 0, "total_tokens": tokens}
    return message.model_copy(update={"usage_metadata": usage})


def handles(folder: Path, calendar: Calendar, *replies: Any, **env: str) -> Handles:
    fixed = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k", "ANA_DAILY_BUDGET_USD": "1"}
    settings = load_settings(folders(folder, **(fixed | env)))
    opened = open_handles(settings, model=ScriptedModel(replies=list(replies)), backend=InMemoryBackend(EMBEDDER))
    return replace(opened, clock=Clock(BERLIN, calendar.now))


def spending(of: Handles) -> Spending:
    return Spending(of.settings, of.clock, of.traces)


def test_the_sum_of_all_threads_ends_a_turn_until_the_next_day_of_the_person(
    tmp_path: Path, make_assistant: MakeAssistant
) -> None:
    calendar = Calendar()
    given = handles(tmp_path, calendar, *(paid(text, 0.6) for text in ("One.", "Two.", "Three.")))
    assistant = make_assistant(handles=given)
    answers = [expect_done(assistant.ask("hello", thread)) for thread in ("a", "b", "c")]
    assert [done.answer for done in answers[:2]] == ["One.", "Two."]
    assert answers[2].answer == (
        "I stopped at the budget of $1 for one day. Nothing was changed. Anything else you asked for was not done; "
        "ask for it again tomorrow, or raise ANA_DAILY_BUDGET_USD."
    )
    assert (answers[2].error, answers[2].cost_usd) == ("limit", 0)
    assert spending(given).today() == pytest.approx(1.2)
    calendar.time += timedelta(hours=1)  # midnight in Berlin, not yet in UTC
    assert expect_done(assistant.ask("hello", "c")).answer == "Three."
    assert spending(given).today() == pytest.approx(0.6)


def test_a_turn_ends_before_its_next_call_and_says_what_was_done(tmp_path: Path, make_assistant: MakeAssistant) -> None:
    reply = paid(calls(("create_item", {"content": "Buy milk"})), 1.5)
    given = handles(tmp_path, Calendar(), reply, "Never asked for.")
    done = expect_done(make_assistant(handles=given).ask("milk", "a"))
    assert "This was done and stays: stored “Buy milk”." in done.answer
    assert "ask for it again tomorrow" in done.answer
    assert [change["op"] for change in done.changes] == ["create"]


@pytest.mark.parametrize("env", [{"LLM_PROVIDER": "offline"}, {"LLM_PROVIDER": "ollama", "OLLAMA_MODEL": "m"}])
def test_what_costs_nothing_is_not_ended(tmp_path: Path, make_assistant: MakeAssistant, env: dict[str, str]) -> None:
    given = handles(tmp_path, Calendar(), "Hello.", **env)
    spending(given).add(5)
    assert expect_done(make_assistant(handles=given).ask("hello", "a")).answer == "Hello."


@pytest.mark.parametrize("damage", [None, "[]", '{"day": "2026-01-06", "usd": 9}'])
def test_the_sum_is_added_up_again_from_the_traces(
    tmp_path: Path, make_assistant: MakeAssistant, damage: str | None
) -> None:
    given = handles(tmp_path, Calendar(), paid("One.", 0.25), paid("Two.", 0.5))
    assistant = make_assistant(handles=given)
    for thread in ("a", "b"):
        assistant.ask("hello", thread)
    note = tmp_path / "data" / "spending.json"
    assert json.loads(note.read_text()) == {"day": "2026-01-07", "usd": pytest.approx(0.75)}
    note.unlink() if damage is None else note.write_text(damage)
    (tmp_path / "traces" / "broken.jsonl").write_text('{"id": "x"\n[1]\n{"ts": 1}\n')
    assert spending(given).today() == pytest.approx(0.75)
    spending(given).add(0.125)
    assert json.loads(note.read_text())["usd"] == pytest.approx(0.875)


def test_a_sum_that_cannot_be_noted_costs_a_warning_and_not_the_turn(
    tmp_path: Path, make_assistant: MakeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    given = handles(tmp_path, Calendar(), paid("One.", 0.25))
    (tmp_path / "data" / "spending.json").mkdir(parents=True)
    assert expect_done(make_assistant(handles=given).ask("hello", "a")).answer == "One."
    assert "could not be noted" in caplog.text


def test_cached_tokens_are_counted_apart(tmp_path: Path, make_assistant: MakeAssistant) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 10,
        "total_tokens": 1010,
        "input_token_details": {"cache_read": 400},
    }
    reply = AIMessage("Hello.", usage_metadata=usage)
    done = expect_done(make_assistant(handles=handles(tmp_path, Calendar(), reply)).ask("hello", "a"))
    assert done.usage == {"input_tokens": 1000, "output_tokens": 10, "estimated": False, "cached_tokens": 400}
    assert done.cost_usd == pytest.approx((600 * 0.15 + 400 * 0.075 + 10 * 0.6) / 1e6)
