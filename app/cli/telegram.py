"""`ana telegram`: answer messages to a Telegram bot, and link chats to people."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from ana.errors import StoreBusy
from ana.output import tell, write_line
from ana.settings import Settings
from ana.workspace import open_workspace
from app.startup import start

if TYPE_CHECKING:
    from app.telegram.bot import Hold
    from app.turn import Assistant

PROGRAM = "ana telegram"


def telegram(
    link: Annotated[bool, typer.Option("--link", help="Show a code that links your chat with the bot.")] = False,
    unlink: Annotated[bool, typer.Option("--unlink", help="Remove the link of your chat.")] = False,
) -> None:
    """Answer messages from Telegram while it runs, as `ana serve` also does: docs/telegram.md."""
    from app.serving import is_serving
    from app.telegram import links
    from app.telegram.api import open_api

    workspace = start()
    if unlink:
        was_linked = links.unlink(workspace)
        tell("Your chat is no longer linked." if was_linked else "No chat was linked.")
        return
    api = open_api(workspace.settings)
    try:
        name = api.call("getMe").get("username", "")
    finally:
        api.close()
    if link:
        write_line(links.make_code(workspace))
        tell(f"Send this to @{name} at Telegram within ten minutes, while `ana telegram` or `ana serve` runs.")
    elif is_serving(workspace):
        raise StoreBusy("`ana serve` is running and already answers Telegram.")
    else:
        from app.telegram.bot import answer_telegram

        with ExitStack() as stack:
            stack.enter_context(answer_telegram(workspace.settings, _hold_assistants(workspace.settings, stack)))
            tell(f"@{name} answers while this runs (Ctrl-C ends it). `ana telegram --link` links a chat.")
            Event().wait()


def _hold_assistants(settings: Settings, stack: ExitStack) -> "Hold":
    """Return a function that yields a person's assistant, which is opened when first needed; the stack closes it."""
    from ana.handles import open_handles
    from app.turn import open_assistant
    from prompts import decision_prompt

    opened: dict[str, Assistant] = {}

    @contextmanager
    def hold(person: str) -> "Iterator[Assistant]":
        if person not in opened:
            handles = open_handles(open_workspace(settings, person), PROGRAM, instruct=decision_prompt)
            opened[person] = stack.enter_context(open_assistant(handles, PROGRAM))
        yield opened[person]

    return hold
