"""`ana telegram`: answer messages to a Telegram bot, and link chats to people."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from ana.errors import StoreBusy
from ana.output import tell, write_line
from app.startup import start

if TYPE_CHECKING:
    from ana.settings import Settings
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
            hold = _Assistants(workspace.settings, stack).hold
            stack.enter_context(answer_telegram(workspace.settings, hold))
            tell(f"@{name} answers while this runs (Ctrl-C ends it). `ana telegram --link` links a chat.")
            Event().wait()


class _Assistants:
    """The assistants of people, opened when first needed.

    Args:
        stack: Closes them.
    """

    def __init__(self, settings: "Settings", stack: ExitStack) -> None:
        self._settings = settings
        self._stack = stack
        self._open: dict[str, Assistant] = {}

    @contextmanager
    def hold(self, person: str) -> "Iterator[Assistant]":
        """Yield the assistant of a person. Errors as of `open_assistant`."""
        from ana.handles import open_handles
        from ana.workspace import open_workspace
        from app.turn import open_assistant
        from prompts import decision_prompt

        if person not in self._open:
            handles = open_handles(open_workspace(self._settings, person), PROGRAM, instruct=decision_prompt)
            self._open[person] = self._stack.enter_context(open_assistant(handles, PROGRAM))
        yield self._open[person]
