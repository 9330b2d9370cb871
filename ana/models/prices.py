"""The cost of model calls, by the prices in the settings, else by known published prices."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ana.models.providers import model_name
from ana.settings import Settings

_PREFIX = re.compile(r"\A(?:openrouter/)?(?:openai/|azure/)?")
_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|latest)\Z")


@dataclass(frozen=True)
class Price:
    """USD per million tokens.

    Args:
        read: Input tokens.
        written: Output tokens.
        cached: Input tokens from the provider's cache.
    """

    read: float
    written: float
    cached: float


FREE_OF_CHARGE = Price(0, 0, 0)
PRICES = {
    "gpt-4o": Price(2.50, 10.00, 1.25),
    "gpt-4o-2024-05-13": Price(5.00, 15.00, 5.00),
    "gpt-4o-mini": Price(0.15, 0.60, 0.075),
    "gpt-4.1": Price(2.00, 8.00, 0.50),
    "gpt-5.4-mini": Price(0.75, 4.50, 0.075),
}
"""OpenAI's published prices. Prices of other model names are not guessed.

They are those of developers.openai.com/api/docs/pricing, as others quote that page: input and output in May and
June 2026, gpt-5.4-mini in September 2026, cached input and the older gpt-4o in June 2025.
"""


def find_price(model: str, settings: Settings) -> Price | None:
    """Return the price of a model of the settings' provider, or None if unknown."""
    into, out = settings.openai_input_price_per_1k, settings.openai_output_price_per_1k
    if settings.provider == "offline":
        return FREE_OF_CHARGE
    if into is not None or out is not None:
        return Price((into or 0) * 1000, (out or 0) * 1000, (into or 0) * 1000)
    if settings.provider == "ollama":
        return FREE_OF_CHARGE
    name = _PREFIX.sub("", model.strip().lower())
    return PRICES.get(name) or PRICES.get(_DATE.sub("", name))


def describe_unpriced_budget(settings: Settings) -> str:
    """Return a sentence that a budget needs the model's price, which is unknown; empty if it is known."""
    name = model_name(settings)
    if settings.ana_daily_budget_usd is None or find_price(name, settings) is not None:
        return ""
    return (
        f"ANA_DAILY_BUDGET_USD cannot limit {name}: its price is unknown. "
        "Set OPENAI_INPUT_PRICE_PER_1K and OPENAI_OUTPUT_PRICE_PER_1K."
    )


def cost(usage: Mapping[str, Any], model: str, settings: Settings) -> float | None:
    """Return the cost of tokens in USD, or None if the price is unknown; without a model the cost is 0.

    Args:
        usage: input_tokens, output_tokens and, among the former, perhaps cached_tokens.
        settings: The settings with the provider and the person's own prices.
    """
    price = find_price(model, settings)
    if price is None:
        return None if usage["input_tokens"] or usage["output_tokens"] else 0.0
    read, written = max(usage["input_tokens"], 0), max(usage["output_tokens"], 0)  # a record may hold anything
    cached = min(max(usage.get("cached_tokens", 0), 0), read)
    spent: float = (read - cached) * price.read + cached * price.cached + written * price.written
    return round(spent / 1_000_000, 6)
