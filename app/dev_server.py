"""`python -m app.dev_server CONFIG PORT [WATCHED FOLDER]`: LangGraph's dev server, as its langgraph.json says.

`langgraph dev` would print a banner with pages that are closed here, and would watch only the code.
"""

import json
import logging
import sys
from pathlib import Path

WORKERS = 10
"""Runs that work at once; one that waits for its thread counts, too."""

READ_ONCE = ("prompts/*.md", ".env")
"""What the server begins again for beside code, because a process reads it once."""


def main() -> None:
    """Run the server until it is ended."""
    from langgraph_api.cli import run_server

    file, port, *watched = sys.argv[1:]
    config = json.loads(Path(file).read_text(encoding="utf-8"))
    logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)
    run_server(
        "127.0.0.1",
        int(port),
        bool(watched),
        config["graphs"],
        WORKERS,
        env=config["env"],
        reload_dirs=watched or None,
        reload_includes=READ_ONCE if watched else None,
        http=config["http"],
        checkpointer=config["checkpointer"],
    )


if __name__ == "__main__":
    main()
