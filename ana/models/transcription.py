"""Transcription of speech, if the provider has OpenAI's route for it."""

from functools import partial

import httpx

from ana.errors import UserError
from ana.models.providers import find_endpoint
from ana.network import wait_for
from ana.settings import Settings
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
    url, key = find_endpoint(settings)
    if settings.provider == "offline" or key is None:
        raise UserError("A voice message needs a model that can transcribe, and none is connected.", HINT)
    try:
        response = wait_for(partial(_send, f"{url.rstrip('/')}/audio/transcriptions", key.get_secret_value(), sound))
    except httpx.HTTPError as exc:
        raise UserError(f"It could not be transcribed: {type(exc).__name__}.", HINT) from exc
    try:
        text = str(replace_faults(response.json()["text"])).strip() if response.status_code == 200 else ""
    except (ValueError, LookupError, TypeError):
        text = ""
    if not text:
        raise UserError(f"It could not be transcribed: {settings.provider} answered {response.status_code}.", HINT)
    return text


async def _send(url: str, key: str, sound: bytes) -> httpx.Response:
    async with httpx.AsyncClient(timeout=SECONDS) as client:
        return await client.post(
            url,
            headers={"Authorization": f"Bearer {key}"},
            data={"model": MODEL},
            files={"file": ("voice.ogg", sound, "audio/ogg")},
        )
