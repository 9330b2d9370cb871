"""Conversations read again, from traces: the state of a thread forgets old turns."""

from ana.errors import UserError
from ana.output import write_line
from ana.settings import Settings
from ana.tracing.traces import Traces
from app.show.answers import show_text
from app.show.text import say


def show_transcript(settings: Settings, thread_id: str, limit: int, before: str | None = None) -> None:
    """Print turns of a conversation, oldest first; each begins with when it was and its id.

    Args:
        settings: The settings, with the traces folder.
        thread_id: The conversation.
        limit: How many turns at most, the last ones.
        before: Only turns before the one with this id.

    Raises:
        UserError: It has no turns, or none with that id.
    """
    records = Traces(settings.traces_dir).page(thread_id, limit, before)
    if not records:
        raise UserError("There is nothing earlier in this conversation.", "`ana threads list` shows them all.")
    for record in records:
        say(f"{record['ts']}  {record['id']}\n> {record['question']}")
        show_text(record["answer"])
        if receipt := record.get("receipt"):
            say(receipt)
        write_line()
