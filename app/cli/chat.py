"""`ana chat`: the REPL."""

from typing import Annotated

import typer

from app.startup import start


def chat(
    thread: Annotated[str | None, typer.Option(help="Name or id of the conversation; default: the last one.")] = None,
) -> None:
    """Talk to the assistant."""
    from app.repl.repl import Repl

    settings = start()
    if settings.tools_modules:
        # A module that cannot be used stops the start. Without any, the tools are loaded after the prompt appears.
        from tools.catalog import catalog

        catalog(settings.tools_modules)
    Repl(settings, thread).run()
