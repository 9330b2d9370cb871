"""The command line: one file per command."""

import gc
import os


def run() -> None:
    """Run `ana`. Set variables that make importing faster first, before anything is imported."""
    gc.disable()  # modules are loaded by the thousand, and no garbage is found in them
    # pydantic would look for plugins in every package that is installed
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from app.cli.main import main

    main()
