"""The Bot API calls that ana uses (core.telegram.org/bots/api); each can be stopped."""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any

import httpx

from ana.errors import ConfigError, UserError
from ana.network import wait_for
from ana.output import shorten
from ana.settings import Settings

SECONDS = 15.0
"""Seconds that a call may take."""

POLL_SECONDS = 50
"""Seconds for which Telegram delays its answer while there are no updates."""

PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a call is tried again, at first and at most."""

_UNUSABLE = {
    401: "Telegram does not know this token. Check TELEGRAM_BOT_TOKEN; @BotFather has the token.",
    404: "Telegram does not know this token. Check TELEGRAM_BOT_TOKEN; @BotFather has the token.",
    409: "Another program gets this bot's messages, or it has a webhook. Only one can get them at a time.",
}


class Unreachable(UserError):
    """Telegram could not be reached; the same call may work later.

    Args:
        seconds: When to retry, if Telegram said so; else 0.
    """

    def __init__(self, why: str, seconds: float = 0.0) -> None:
        super().__init__(f"Telegram does not answer: {why}.", "It is tried again.")
        self.seconds = seconds


class Refused(UserError):
    """Telegram refuses this call permanently."""


class BotUnusable(ConfigError):
    """Telegram refuses all calls of this bot at present."""


class Api:
    """A bot.

    Args:
        token: The token from @BotFather.
        base: The address of the Bot API.
        pause: Seconds before a call is tried again, at first.
    """

    def __init__(self, token: str, base: str, pause: float = PAUSE) -> None:
        self._url, self._files = f"{base.rstrip('/')}/bot{token}", f"{base.rstrip('/')}/file/bot{token}"
        self._pause = pause
        self._client: httpx.AsyncClient | None = None

    def call(self, method: str, seconds: float = SECONDS, **fields: Any) -> Any:
        """Return a method's result; arguments that are None are omitted.

        Raises:
            Unreachable: It may work later.
            Refused: It will never work.
            BotUnusable: All calls of this bot are refused.
        """
        values = {name: value for name, value in fields.items() if value is not None}
        response = self._request("POST", f"{self._url}/{method}", seconds, json=values)
        try:
            reply = response.json()
            code, why = int(reply.get("error_code", response.status_code)), str(reply.get("description", ""))
        except (ValueError, AttributeError, TypeError):
            raise Unreachable(f"status {response.status_code}") from None
        if reply.get("ok"):
            return reply.get("result")
        if code == 429:
            raise Unreachable("too many messages", float((reply.get("parameters") or {}).get("retry_after", 1)))
        if code in _UNUSABLE:
            raise BotUnusable(*_UNUSABLE[code].split(". ", 1))
        raise (Unreachable if code >= 500 else Refused)(shorten(why or f"status {code}", 200))

    def insist(self, method: str, seconds: float = SECONDS, **fields: Any) -> Any:
        """Return the result of a repeatable method, retrying until it is stopped. Raises Refused, BotUnusable."""
        pause = self._pause
        while True:
            try:
                return self.call(method, seconds, **fields)
            except Unreachable as exc:
                wait_for(partial(asyncio.sleep, exc.seconds or pause))
                pause = min(2 * pause, LONGEST_PAUSE)

    def download(self, file: str) -> bytes:
        """Return the bytes of a file by its id. Raises UserError if Telegram does not provide it to bots."""
        with suppress(Refused):
            path = self.insist("getFile", file_id=file).get("file_path", "")
            response = self._request("GET", f"{self._files}/{path}", SECONDS)
            if response.status_code == 200:
                return response.content
        raise UserError("Telegram does not provide this file: it is too large, or deleted.")

    def close(self) -> None:
        """Close the connections."""
        if self._client:
            wait_for(self._client.aclose)

    def _request(self, verb: str, url: str, seconds: float, **more: Any) -> httpx.Response:
        self._client = client = self._client or httpx.AsyncClient()
        try:
            return wait_for(partial(client.request, verb, url, timeout=seconds, **more))
        except httpx.HTTPError as exc:  # its message may hold the address, and so the token
            raise Unreachable(type(exc).__name__) from None


def open_api(settings: Settings) -> Api:
    """Return the bot of the settings. Raises UserError if they have none."""
    if settings.telegram_bot_token is None:
        raise UserError("TELEGRAM_BOT_TOKEN is not set.", "Create a bot with @BotFather at Telegram to get a token.")
    return Api(settings.telegram_bot_token.get_secret_value(), settings.telegram_api_url)
