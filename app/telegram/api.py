"""The calls of Telegram's Bot API that are needed (core.telegram.org/bots/api), each of which can be stopped."""

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
"""How long a call may take."""

POLL_SECONDS = 50
"""How long Telegram holds back its answer while nothing comes."""

PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before a call is tried again, at first and at most."""

_UNUSABLE = {
    401: "Telegram does not know this token. Look at TELEGRAM_BOT_TOKEN; @BotFather has it.",
    404: "Telegram does not know this token. Look at TELEGRAM_BOT_TOKEN; @BotFather has it.",
    409: "Another program asks for this bot's messages, or it has a webhook. One at a time can have them.",
}


class Unreachable(UserError):
    """Telegram could not be asked; the same call may work later.

    Args:
        seconds: After how long, if it said so; else 0.
    """

    def __init__(self, why: str, seconds: float = 0.0) -> None:
        super().__init__(f"Telegram does not answer: {why}.", "It is tried again.")
        self.seconds = seconds


class Refused(UserError):
    """Telegram does not do this, however often it is asked."""


class BotUnusable(ConfigError):
    """Telegram does nothing for this bot at present."""


class Api:
    """A bot.

    Args:
        token: What @BotFather gave for it.
        base: The address of the Bot API.
        pause: Seconds before a call is tried again, at first.
    """

    def __init__(self, token: str, base: str, pause: float = PAUSE) -> None:
        self._url, self._files = f"{base.rstrip('/')}/bot{token}", f"{base.rstrip('/')}/file/bot{token}"
        self._pause = pause
        self._client: httpx.AsyncClient | None = None

    def call(self, method: str, seconds: float = SECONDS, **fields: Any) -> Any:
        """Return what a method gives; of what is given, None is left out.

        Raises:
            Unreachable: It may work later.
            Refused: It never will.
            BotUnusable: Nothing works for this bot.
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
        """Return what a method gives that may be called twice, however long it takes. Raises Refused, BotUnusable."""
        pause = self._pause
        while True:
            try:
                return self.call(method, seconds, **fields)
            except Unreachable as exc:
                self.wait(exc.seconds or pause)
                pause = min(2 * pause, LONGEST_PAUSE)

    def wait(self, seconds: float) -> None:
        """Do nothing for so long. Raises TurnStopped if it is stopped meanwhile."""
        wait_for(partial(asyncio.sleep, seconds))

    def download(self, file: str) -> bytes:
        """Return the bytes of a file by its id. Raises UserError if Telegram does not have it, or not for bots."""
        with suppress(Refused):
            path = self.insist("getFile", file_id=file).get("file_path", "")
            response = self._request("GET", f"{self._files}/{path}", SECONDS)
            if response.status_code == 200:
                return response.content
        raise UserError("Telegram does not give this file: it is too large, or gone.")

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
        raise UserError("TELEGRAM_BOT_TOKEN is not set.", "@BotFather at Telegram makes a bot and gives you its token.")
    return Api(settings.telegram_bot_token.get_secret_value(), settings.telegram_api_url)
