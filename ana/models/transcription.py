"""Transcription of speech, if the provider has OpenAI's route for it."""

from functools import partial

import httpx

from ana.errors import UserError
from ana.models.listing import find_api
from ana.models.providers import OPENROUTER_URL
from ana.network import wait_for
from ana.settings import OPENAI_URL, Settings
from ana.text import replace_faults

MODEL = "whisper-1"
"""The requested model; self-hosted servers accept this name for any model."""

SECONDS = 60.0

HINT = "Write it instead."


def transcribe(settings: Settings, sound: bytes) -> str:
    """Return the words in a recording.

    Raises:
        UserError: It cannot be transcribed; the message says why.
        TurnStopped: The current run was stopped.
    """
    place = _find_place(settings)
    if place is None:
        raise UserError("A voice message needs a model that can transcribe, and none is connected.", HINT)
    url, key = place
    try:
        response = wait_for(partial(_send, f"{url.rstrip('/')}/audio/transcriptions", key, sound))
    except httpx.HTTPError as exc:
        raise UserError(f"It could not be transcribed: {type(exc).__name__}.", HINT) from exc
    try:
        text = str(replace_faults(response.json()["text"])).strip() if response.status_code == 200 else ""
    except (ValueError, LookupError, TypeError):
        text = ""
    if not text:
        raise UserError(f"It could not be transcribed: {settings.provider} answered {response.status_code}.", HINT)
    return text


def _find_place(settings: Settings) -> tuple[str, str] | None:
    """Return the address of the provider's OpenAI protocol, and its key; None without a provider."""
    if settings.provider == "openai" and settings.openai_api_key:
        return settings.openai_base_url or OPENAI_URL, settings.openai_api_key.get_secret_value()
    if settings.provider == "openrouter" and settings.openrouter_api_key:
        return OPENROUTER_URL, settings.openrouter_api_key.get_secret_value()
    return (find_api(settings.ollama_host), "ollama") if settings.provider == "ollama" else None


async def _send(url: str, key: str, sound: bytes) -> httpx.Response:
    async with httpx.AsyncClient(timeout=SECONDS) as client:
        return await client.post(
            url,
            headers={"Authorization": f"Bearer {key}"},
            data={"model": MODEL},
            files={"file": ("voice.ogg", sound, "audio/ogg")},
        )
