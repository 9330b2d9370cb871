"""Prices: the person's own first, then the published ones by the model's name; nothing is guessed."""

import pytest

from ana.models.prices import cost, describe_unpriced_budget
from ana.settings import load_settings

MILLION = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
CACHED = MILLION | {"cached_tokens": 400_000}
OPENAI = {"OPENAI_API_KEY": "k"}


@pytest.mark.parametrize(
    ("model", "usd"),
    [
        ("gpt-4o-mini", 0.75),
        ("gpt-4o", 12.5),
        ("gpt-4.1", 10.0),
        ("openai/gpt-4o-mini", 0.75),
        ("openrouter/openai/gpt-4.1", 10.0),
        ("GPT-4o-2024-08-06", 12.5),
        ("openai/gpt-4o-mini-2024-07-18", 0.75),
        ("gpt-4o-2024-05-13", 20.0),
        ("gpt-4.1-nano", None),
        ("gpt-4o-audio-preview", None),
        ("gpt-4o:extended", None),
        ("somebody/gpt-4o", None),
        ("my-gpt-4o", None),
        ("", None),
    ],
)
def test_a_model_is_known_by_its_whole_name(model: str, usd: float | None) -> None:
    assert cost(MILLION, model, load_settings(OPENAI)) == usd


def test_what_the_provider_had_in_its_cache_costs_less() -> None:
    assert cost(CACHED, "gpt-4o-mini", load_settings(OPENAI)) == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.6)
    assert cost({"input_tokens": 5, "output_tokens": 0, "cached_tokens": 9}, "gpt-4o", load_settings(OPENAI)) == 6e-6


@pytest.mark.parametrize(
    ("env", "usd"),
    [
        (OPENAI | {"OPENAI_INPUT_PRICE_PER_1K": "0.001", "OPENAI_OUTPUT_PRICE_PER_1K": "0.002"}, 3.0),
        (OPENAI | {"OPENAI_OUTPUT_PRICE_PER_1K": "0.002"}, 2.0),
        (OPENAI | {"OPENAI_INPUT_PRICE_PER_1K": "0"}, 0.0),
        ({"OLLAMA_MODEL": "m"}, 0.0),
        ({"OLLAMA_MODEL": "m", "OPENAI_INPUT_PRICE_PER_1K": "0.001"}, 1.0),
        ({"OPENAI_INPUT_PRICE_PER_1K": "0.001"}, 0.0),
    ],
)
def test_own_prices_count_most_and_what_runs_here_costs_nothing(env: dict[str, str], usd: float) -> None:
    assert cost(CACHED, "gpt-4o", load_settings(env)) == pytest.approx(usd)


def test_a_turn_that_asked_no_model_cost_nothing() -> None:
    assert cost({"input_tokens": 0, "output_tokens": 0}, "new", load_settings(OPENAI)) == 0


def test_a_budget_that_cannot_be_kept_is_said() -> None:
    budget = OPENAI | {"ANA_DAILY_BUDGET_USD": "1"}
    assert describe_unpriced_budget(load_settings(budget)) == ""
    assert describe_unpriced_budget(load_settings(OPENAI | {"OPENAI_MODEL": "new"})) == ""
    said = describe_unpriced_budget(load_settings(budget | {"OPENAI_MODEL": "new"}))
    assert said.startswith("ANA_DAILY_BUDGET_USD cannot limit new")
    assert "OPENAI_INPUT_PRICE_PER_1K" in said
