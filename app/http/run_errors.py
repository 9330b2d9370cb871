"""What the server's log says of a run that failed for a reason a person can act on: one line."""

import logging
import re

_BY_US = re.compile(r"^ana\.errors\.\w+: (.+)(?:\nDuring task with name .*)?\s*\Z", re.MULTILINE)
"""The end of a formatted traceback whose error is one of ours, and langgraph's note of the node."""


class RunErrors(logging.Filter):
    """Drops the first of the two tracebacks that the server logs for such a run, and turns the second into a line."""

    def filter(self, record: logging.LogRecord) -> bool:
        event = record.msg
        if not isinstance(event, dict) or not (found := _BY_US.search(event.get("exception", ""))):
            return True
        if str(event.get("event", "")).startswith("Run encountered"):
            return False
        record.msg = {key: value for key, value in event.items() if key != "exception"}
        record.msg["event"] = f"A run failed: {found[1]}"
        return True


def shorten_run_errors() -> None:
    """Let the server log the errors of runs through this filter."""
    logging.getLogger("langgraph_api.worker").addFilter(RunErrors())
