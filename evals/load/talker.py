"""A door in a process of its own: answers the questions it is given, one after another, as the REPL does.

Usage: python -m evals.load.talker THREAD < questions, one a line; the answers are printed as JSON, one a line.
"""

import json
import sys

from ana.handles import open_handles
from ana.workspace import load_workspace
from app.turn import open_assistant
from prompts import decision_prompt

PATIENCE = 600.0
"""Seconds to wait for the thread: a loaded machine is slow, and nothing here is about speed."""


def main() -> int:
    """Answer every line of the standard input."""
    handles = open_handles(load_workspace(), program="talker", instruct=decision_prompt)
    with open_assistant(handles, "talker", PATIENCE) as assistant:
        for line in sys.stdin:
            print(json.dumps(assistant.ask(line.strip(), sys.argv[1]).answer), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
