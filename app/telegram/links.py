"""The person and progress of each chat: one note per person, written atomically and removed with the person."""

import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hmac import compare_digest

from ana.errors import UserError
from ana.keys import make_digest
from ana.notes import read_value, write_value
from ana.people import People
from ana.settings import Settings
from ana.workspace import Workspace
from app.telegram.updates import Update

CODE_SECONDS = 600.0
"""Seconds for which a code is valid."""

TRIES = 5
"""How often a code may be guessed, by all chats together."""

DIGITS = 8

MOST_DONE = 200
"""Updates that are remembered as done. Telegram gives 100 at a time at most, and those again whose receipt it has not
heard of. Their numbers are no order: after a quiet week it begins at another."""


@dataclass
class Taken:
    """An update in progress.

    Args:
        before: The conversation's state before, which shows later whether the update was carried out.
        messages: The messages of the answer, which are sent once and then edited.
        tries: How often it was started.
        heard: The transcribed words, if it is a voice message.
    """

    update: Update
    before: str | None = None
    messages: list[int] = field(default_factory=list)
    tries: int = 0
    heard: str = ""


@dataclass
class Chat:
    """A person's chat with the bot.

    Args:
        thread: The current conversation.
        shown: The last request shown, to which a yes applies; or empty.
        shown_in: The message that has its buttons.
        done: The last handled updates.
        taken: The update in progress, also after a restart.
    """

    id: int
    thread: str
    shown: str = ""
    shown_in: int = 0
    done: list[int] = field(default_factory=list)
    taken: Taken | None = None


@dataclass(frozen=True)
class Code:
    """A code that links a chat.

    Args:
        digest: The digest of the digits.
        until: Seconds since 1970.
        tries: The number of guesses left.
    """

    digest: str
    until: float
    tries: int


def make_code(workspace: Workspace, now: Callable[[], float] = time.time) -> str:
    """Return a code that links a chat to a person, and revoke earlier codes."""
    digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    write_value(workspace.note("telegram-code"), Code(make_digest(digits), now() + CODE_SECONDS, TRIES))
    return digits


class Links:
    """The chats of all people of a server."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self._settings, self._people = settings, People(settings)
        self._now = now

    def list_chats(self) -> Iterator[tuple[str, Chat]]:
        """Yield everybody who has a chat, with the chat. Raises StoreBroken if the list of people cannot be read."""
        for person in self._people.names():
            if chat := self.read(person):
                yield person, chat

    def find(self, chat: int) -> str | None:
        """Return the person of a chat, or None."""
        return next((person for person, each in self.list_chats() if each.id == chat), None)

    def read(self, person: str) -> Chat | None:
        """Return a person's chat, or None."""
        return read_value(self.open_workspace(person).note("telegram"), Chat)

    def save(self, person: str, chat: Chat) -> None:
        """Save a chat's progress. Raises UserError if the chat is no longer the person's."""
        now = self.read(person)
        if now is None or now.id != chat.id:
            raise UserError("This chat was unlinked.", "Link one with `ana telegram --link`.")
        write_value(self.open_workspace(person).note("telegram"), chat)

    def take_code(self, update: Update) -> str | None:
        """Link a chat whose message is a person's code, replacing their earlier chat; return the person.

        If it matches no code, every open code loses one try.
        """
        digits = "".join(filter(str.isdecimal, update.text))
        if len(digits) != DIGITS:
            return None
        for person in self._people.names():
            workspace = self.open_workspace(person)
            note = workspace.note("telegram-code")
            code = read_value(note, Code)
            if code is None or code.until < self._now() or code.tries < 1:
                continue
            if compare_digest(code.digest, make_digest(digits)):
                note.remove()
                write_value(workspace.note("telegram"), Chat(update.chat, str(uuid.uuid4()), done=[update.id]))
                return person
            write_value(note, Code(code.digest, code.until, code.tries - 1))
        return None

    def open_workspace(self, person: str) -> Workspace:
        return Workspace(self._settings, person)


def unlink(workspace: Workspace) -> bool:
    """Remove the link of a person's chat, and their code; return whether there was one."""
    was_linked = bool(workspace.note("telegram").read())
    workspace.note("telegram").remove()
    workspace.note("telegram-code").remove()
    return was_linked
