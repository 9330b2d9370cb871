"""Transcription of speech, if the provider has OpenAI's route for it."""

from functools import partial
from typing import Any, NamedTuple

import httpx

from ana.errors import UserError
from ana.models.prices import FREE_OF_CHARGE, find_price
from ana.models.providers import find_endpoint, model_name
from ana.network import wait_for
from ana.settings import Settings
from ana.text import replace_faults

MODEL = "whisper-1"
"""The requested model; self-hosted servers accept this name for any model."""

USD_PER_MINUTE = 0.006
"""OpenAI's published price of MODEL. It counts wherever the chat model's price is known and not nothing."""

BYTES_PER_SECOND = 2_000
"""Of a recording whose length the provider does not tell: Telegram's have at least as many, so it is not shorter."""

SECONDS = 60.0

HINT = "Write it instead."


class Transcript(NamedTuple):
    """The words in a recording, and their cost; None if the price is unknown."""

    text: str
    usd: float | None


def estimate_cost(settings: Settings, seconds: float) -> float | None:
    """Return the cost of transcribing this number of seconds; None if the price is unknown."""
    price = find_price(model_name(settings), settings)
    if price in (None, FREE_OF_CHARGE):
        return None if price is None else 0.0
    return round(max(seconds, 0.0) * USD_PER_MINUTE / 60, 6)


def transcribe(settings: Settings, sound: bytes) -> Transcript:
    """Return the words in a recording.

    Raises:
        UserError: It cannot be transcribed; the message says why.
        TurnStopped: The current run was stopped.
    """
    url, key = find_endpoint(settings)
    if settings.provider == "offline" or key is None:
        raise UserError("A voice message needs a model that can transcribe, and none is connected.", HINT)
    try:
        response = wait_for(partial(_send, f"{url.rstrip('/')}/audio/transcriptions", key.get_secret_value(), sound))
    except httpx.HTTPError as exc:
        raise UserError(f"It could not be transcribed: {type(exc).__name__}.", HINT) from exc
    try:
        answer = response.json() if response.status_code == 200 else {"text": ""}
        text = str(replace_faults(answer["text"])).strip()
    except (ValueError, LookupError, TypeError):
        answer, text = {}, ""
    if not text:
        raise UserError(f"It could not be transcribed: {settings.provider} answered {response.status_code}.", HINT)
    seconds = _read_seconds(answer)
    return Transcript(text, estimate_cost(settings, len(sound) / BYTES_PER_SECOND if seconds is None else seconds))


def _read_seconds(answer: dict[str, Any]) -> float | None:
    """Return the length of a recording, if the provider tells it."""
    usage = answer.get("usage")
    seconds = usage.get("seconds") if isinstance(usage, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else None


async def _send(url: str, key: str, sound: bytes) -> httpx.Response:
    async with httpx.AsyncClient(timeout=SECONDS) as client:
        return await client.post(
            url,
            headers={"Authorization": f"Bearer {key}"},
            data={"model": MODEL},
            files={"file": ("voice.ogg", sound, "audio/ogg")},
        )
