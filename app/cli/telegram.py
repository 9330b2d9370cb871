"""`ana telegram`: answer what people write to a bot of theirs, and link a chat to a person."""

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
    link: Annotated[bool, typer.Option("--link", help="Show a code that makes a chat with the bot yours.")] = False,
    unlink: Annotated[bool, typer.Option("--unlink", help="Let your chat be nobody's again.")] = False,
) -> None:
    """Answer what comes from Telegram, as long as it runs; `ana serve` does so too: docs/telegram.md."""
    from app.serving import is_serving
    from app.telegram import links
    from app.telegram.api import open_api

    workspace = start()
    if unlink:
        was_linked = links.unlink(workspace)
        tell("Your chat is nobody's any more." if was_linked else "No chat was linked.")
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
        raise StoreBusy("`ana serve` runs here, and answers Telegram already.")
    else:
        from app.telegram.bot import answer_telegram

        with ExitStack() as stack:
            hold = _Assistants(workspace.settings, stack).hold
            stack.enter_context(answer_telegram(workspace.settings, hold))
            tell(f"@{name} answers while this runs (Ctrl-C ends it). `ana telegram --link` links a chat.")
            Event().wait()


class _Assistants:
    """What runs the turns of each person, opened when it is first needed.

    Args:
        stack: Closes them.
    """

    def __init__(self, settings: "Settings", stack: ExitStack) -> None:
        self._settings = settings
        self._stack = stack
        self._open: dict[str, Assistant] = {}

    @contextmanager
    def hold(self, person: str) -> "Iterator[Assistant]":
        """Yield what runs the turns of a person. Errors as of `open_assistant`."""
        from ana.handles import open_handles
        from ana.workspace import open_workspace
        from app.turn import open_assistant
        from prompts import decision_prompt

        if person not in self._open:
            handles = open_handles(open_workspace(self._settings, person), PROGRAM, instruct=decision_prompt)
            self._open[person] = self._stack.enter_context(open_assistant(handles, PROGRAM))
        yield self._open[person]
