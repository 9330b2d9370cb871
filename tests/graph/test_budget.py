"""ANA_DAILY_BUDGET_USD: the day's sum over all threads ends a turn before the next call that costs money."""

import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage

from ana.errors import BudgetReached
from ana.handles import Handles
from ana.models.scripted import calls
from ana.settings import load_settings
from ana.spending.total import Spending
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.outcome import expect_done
from tests.conftest import BERLIN, MakeAssistant, folders
from tests.forks import start_forked
from tests.openai_stub import Said, openai_stub
from tests.opened import open_in
from tests.spending.conformance import LATE, Calendar


def paid(message: AIMessage | str, dollars: float) -> AIMessage:
    """A reply that costs this much with gpt-4o-mini."""
    message = AIMessage(message) if isinstance(message, str) else message
    read = round(dollars / 0.15e-6) - 4  # four of them cost as much as one that is written
    usage = {"input_tokens": read, "output_tokens": 1, "total_tokens": read + 1}
    return message.model_copy(update={"usage_metadata": usage})


def handles(folder: Path, calendar: Calendar, *replies: Any, **env: str) -> Handles:
    fixed = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k", "ANA_DAILY_BUDGET_USD": "1"}
    opened = open_in(folder, *replies, **(fixed | env))
    clock = Clock(BERLIN, calendar.now)
    return replace(opened, clock=clock, spending=opened.workspace.open_spending(clock, opened.traces))


def spending(of: Handles) -> Spending:
    return of.workspace.open_spending(of.clock, of.traces)


def test_the_sum_of_all_threads_ends_a_turn_until_the_next_day_of_the_person(
    tmp_path: Path, make_assistant: MakeAssistant
) -> None:
    calendar = Calendar()
    given = handles(tmp_path, calendar, *(paid(text, 0.6) for text in ("One.", "Two.", "Three.")))
    assistant = make_assistant(handles=given)
    answers = [expect_done(assistant.ask("hello", thread)) for thread in ("a", "b", "c")]
    assert [done.answer for done in answers[:2]] == ["One.", "Two."]
    assert answers[2].answer == (
        "I stopped at the budget of $1 for one day. What was done stands below. The rest was not done; "
        "ask for it again tomorrow, or raise ANA_DAILY_BUDGET_USD."
    )
    assert answers[2].receipt == "no changes"
    assert (answers[2].error, answers[2].cost_usd) == ("limit", 0)
    assert spending(given).today() == pytest.approx(1.2)
    calendar.time += timedelta(hours=1)  # midnight in Berlin, not yet in UTC
    assert expect_done(assistant.ask("hello", "c")).answer == "Three."
    assert spending(given).today() == pytest.approx(0.6)


def test_a_turn_ends_before_its_next_call_and_says_what_was_done(tmp_path: Path, make_assistant: MakeAssistant) -> None:
    reply = paid(calls(("create_item", {"content": "Buy milk"})), 1.5)
    given = handles(tmp_path, Calendar(), reply, "Never asked for.")
    done = expect_done(make_assistant(handles=given).ask("milk", "a"))
    assert "ask for it again tomorrow" in done.answer
    assert done.receipt == "- Stored: “Buy milk”"
    assert [change["op"] for change in done.changes] == ["create"]


@pytest.mark.parametrize("env", [{"LLM_PROVIDER": "offline"}, {"LLM_PROVIDER": "ollama", "OLLAMA_MODEL": "m"}])
def test_what_costs_nothing_is_not_ended(tmp_path: Path, make_assistant: MakeAssistant, env: dict[str, str]) -> None:
    given = handles(tmp_path, Calendar(), "Hello.", **env)
    spending(given).add(5)
    assert expect_done(make_assistant(handles=given).ask("hello", "a")).answer == "Hello."


DAMAGED = ["NaN", "-5", "Infinity", "1e999", "true", '"9"', "null", "[9]"]
"""What is no sum of money."""
DEAD = '[{"id": "a", "usd": 1, "until": 1, "process": -1}]'
"""A reservation of what is no process."""


@pytest.mark.parametrize(
    "damage",
    [
        *(None, "", "null", "[]", "[" * 100_000, '{"day": "2026-01-06", "usd": 9}', '{"day": "2026-01-07"}'),
        *(f'{{"day": "2026-01-07", "usd": {usd}}}' for usd in DAMAGED),
        '{"day": "2026-01-07", "usd": 9, "most": NaN}',
        *(f'{{"day": "2026-01-07", "usd": 9, "held": {held}}}' for held in ("[1]", DEAD)),
    ],
)
def test_the_sum_is_added_up_again_from_the_traces(
    tmp_path: Path, make_assistant: MakeAssistant, damage: str | None
) -> None:
    given = handles(tmp_path, Calendar(), paid("One.", 0.25), paid("Two.", 0.5))
    assistant = make_assistant(handles=given)
    for thread in ("a", "b"):
        assistant.ask("hello", thread)
    note = tmp_path / "data" / "spending.json"
    sums = {"usd": pytest.approx(0.75), "most": pytest.approx(0.5)}
    assert json.loads(note.read_text()) == {"day": "2026-01-07", "held": [], **sums}
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


@pytest.mark.parametrize("key", ["input_tokens", "output_tokens", "cached_tokens", "cost_usd"])
@pytest.mark.parametrize("value", [-5, float("nan"), float("inf"), True, "9"])
def test_a_trace_with_money_that_cannot_be_is_not_added_up(tmp_path: Path, key: str, value: Any) -> None:
    usage = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0}
    record = {"ts": LATE.isoformat(), "model": "gpt-4o-mini", "provider": "openai", "usage": usage, "cost_usd": 0.25}
    wrong: dict[str, Any] = {**record, "usage": {**usage}}
    (wrong if key == "cost_usd" else wrong["usage"])[key] = value
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "one.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(wrong)}\n")
    assert spending(handles(tmp_path, Calendar())).today() == 0.25


@pytest.mark.parametrize(
    "told",
    [
        {"input_tokens": -1_000_000, "output_tokens": 10},
        {"input_tokens": 100, "output_tokens": -1_000_000},
        {"input_tokens": 0, "output_tokens": 0},
        {"input_tokens": 0, "output_tokens": 10, "input_token_details": {"cache_read": 1_000_000}},
        {"input_tokens": 100, "output_tokens": 10, "input_token_details": {"cache_read": -1_000_000}},
    ],
)
def test_tokens_that_cannot_be_cost_what_was_sent_and_read(
    tmp_path: Path, make_assistant: MakeAssistant, told: Any
) -> None:
    first = AIMessage("Hello.", usage_metadata={**told, "total_tokens": 0})
    given = handles(tmp_path, Calendar(), first, paid("Again.", 0.25))
    assistant = make_assistant(handles=given)
    done = expect_done(assistant.ask("hello", "a"))
    assert done.cost_usd is not None
    assert 0 < done.cost_usd < 0.01
    assert done.usage["input_tokens"] > 0
    assert 0 <= done.usage.get("cached_tokens", 0) <= done.usage["input_tokens"]
    assert spending(given).today() == pytest.approx(done.cost_usd)
    assistant.ask("hello", "a")
    assert spending(given).today() == pytest.approx(done.cost_usd + 0.25)


class Till:
    """A model each call of which costs a dollar and takes a moment."""

    def __init__(self) -> None:
        self.calls = 0
        self._counting = threading.Lock()

    def __call__(self, _: list[BaseMessage]) -> AIMessage:
        with self._counting:
            self.calls += 1
        time.sleep(0.1)
        return paid("Hello.", 1.0)


def test_twelve_calls_at_once_do_not_spend_the_same_money(tmp_path: Path, make_assistant: MakeAssistant) -> None:
    till = Till()
    given = [handles(tmp_path, Calendar(), till, ANA_DAILY_BUDGET_USD="3") for _ in range(12)]
    assistants = [make_assistant(handles=each) for each in given]
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(each.ask, "hello", f"thread{n}") for n, each in enumerate(assistants)]
    answers = [expect_done(each.result()).answer for each in asked]
    assert (till.calls, answers.count("Hello.")) == (3, 3)
    assert sum("I stopped at the budget of $3 for one day." in answer for answer in answers) == 9
    assert spending(given[0]).today() == pytest.approx(3.0)


def test_calls_run_side_by_side_where_the_budget_has_room_for_them(tmp_path: Path) -> None:
    total = spending(handles(tmp_path, Calendar(), ANA_DAILY_BUDGET_USD="3"))
    with total.reserve(0.1):
        total.add(0.5)
    with total.reserve(0.1), total.reserve(0.1), total.reserve(1.5):  # two as the costliest so far, one that says more
        late = threading.Thread(target=lambda: total.reserve(0.1).__enter__(), daemon=True)
        late.start()
        late.join(0.3)
        assert late.is_alive(), "another one waits"
    late.join(10)
    assert not late.is_alive()


RESERVING = """
    import time
    from ana.workspace import load_workspace

    with load_workspace().open_spending().reserve(0.5):
        print("reserved", flush=True)
        time.sleep(60)
"""


def test_a_process_that_is_killed_leaves_nothing_reserved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env = folders(tmp_path, ANA_DAILY_BUDGET_USD="1", ANA_TURN_SECONDS="0.1")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    total = open_workspace(load_settings(env)).open_spending()
    with start_forked("-c", RESERVING) as (process, _, told):
        assert told.readline() == "reserved\n"
        with pytest.raises(BudgetReached):
            total.reserve(0.1).__enter__()
        process.kill()
        process.wait()
        with total.reserve(0.1):
            assert [each["process"] for each in read_reservations(tmp_path)] == [os.getpid()]
    assert read_reservations(tmp_path) == []


def read_reservations(folder: Path) -> list[dict[str, Any]]:
    reserved: list[dict[str, Any]] = json.loads((folder / "data" / "spending.json").read_text())["held"]
    return reserved


def test_a_call_that_breaks_off_costs_what_had_arrived(tmp_path: Path, make_assistant: MakeAssistant) -> None:
    with openai_stub(Said("One two three four.", cut=3)) as server:
        env = {**server.env, "OPENAI_MODEL": "gpt-4o-mini"}
        opened = open_in(tmp_path, ANA_DAILY_BUDGET_USD="1", **env)
        done = expect_done(make_assistant(handles=opened).ask("hello", "a"))
        assert "broke off" in str(done.error)
    total = opened.workspace.open_spending()
    assert 0 < total.today() < 0.01
    (tmp_path / "data" / "spending.json").unlink()
    assert total.today() > 0
