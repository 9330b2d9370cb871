"""The ids of conversations: UUIDs, so that the LangGraph server accepts them too; the id of a name is derived from
it.
"""

import uuid

from ana.errors import WrongName
from ana.keys import OWNER
from ana.text import check_text
from ana.tracing.port import NO_THREAD

TRASHED = "deleted:"
"""The ids of deleted threads begin with it, whose states stay until they are purged; other ids are UUIDs."""


def canonical_id(text: str) -> str | None:
    """Return a thread's id in ana's spelling; None if it is not one. The server reads all spellings of a UUID."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return None


def name_run(thread: str, message: str) -> str:
    """Return the id of the run that a message begins in a thread: the message's own id if that is a valid one."""
    return message if message == canonical_id(message) else str(uuid.uuid5(uuid.UUID(thread), message))


def is_thread_id(text: str) -> bool:
    """Return whether records may be stored under this id: a thread's id in ana's spelling, or the id for runs without a
    thread.
    """
    return text in (canonical_id(text), NO_THREAD)


def read_name(name: str) -> str:
    """Return a name in its stored form. Raises WrongName if it is empty or invalid text."""
    check_text(name, WrongName)
    name = name.strip()
    if not name:
        raise WrongName("A thread's name cannot be empty.", "Give it a name, or leave --thread out.")
    return name


def make_id(name: str, person: str = OWNER) -> str:
    """Return a name itself if it is an id; otherwise the id that this name always has for this person alone."""
    if id := canonical_id(name):
        return id
    space = uuid.NAMESPACE_URL if person == OWNER else uuid.uuid5(uuid.NAMESPACE_URL, f"ana:person:{person}")
    return str(uuid.uuid5(space, f"ana:thread:{name}"))
