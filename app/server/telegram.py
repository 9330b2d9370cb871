"""Telegram beside the server: a bot's messages are answered with the workspaces that requests use."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from ana.settings import Settings
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import OpenWorkspace, Workspaces

if TYPE_CHECKING:
    from app.turn import Assistant


@asynccontextmanager
async def answering(settings: Settings, workspaces: Workspaces) -> AsyncIterator[None]:
    """Answer messages from Telegram while the context is open, if there is a bot."""
    if settings.telegram_bot_token is None:
        yield
        return
    from app.telegram.bot import answer_telegram

    loop = asyncio.get_running_loop()

    @contextmanager
    def hold(person: str) -> "Iterator[Assistant]":
        stack = ExitStack()  # entered and closed where requests are
        try:
            opened = asyncio.run_coroutine_threadsafe(_hold(workspaces, person, stack), loop).result()
            yield opened.turns.assistant
        finally:
            loop.call_soon_threadsafe(stack.close)

    answered = answer_telegram(settings, hold)
    await run_in_threadpool(answered.__enter__)
    try:
        yield
    finally:
        await run_in_threadpool(answered.__exit__, None, None, None)


async def _hold(workspaces: Workspaces, person: str, stack: ExitStack) -> OpenWorkspace:
    opened = await workspaces.open(person)
    stack.enter_context(opened.hold())
    return opened
