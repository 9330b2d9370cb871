"""Telegram beside the server: a bot's messages are answered with the workspaces that requests use."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from anyio.from_thread import BlockingPortal

from ana.settings import Settings
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import Workspaces

if TYPE_CHECKING:
    from app.turn import Assistant


@asynccontextmanager
async def answering(settings: Settings, workspaces: Workspaces) -> AsyncIterator[None]:
    """Answer messages from Telegram while the context is open, if there is a bot."""
    if settings.telegram_bot_token is None:
        yield
        return
    from app.telegram.bot import answer_telegram

    @contextmanager
    def hold(person: str) -> "Iterator[Assistant]":
        with portal.wrap_async_context_manager(workspaces.hold(person)) as opened:
            yield opened.turns.assistant

    async with BlockingPortal() as portal:
        answered = answer_telegram(settings, hold)
        await run_in_threadpool(answered.__enter__)
        try:
            yield
        finally:
            await run_in_threadpool(answered.__exit__, None, None, None)
