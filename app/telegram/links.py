"""Which chat is whose, and how far each chat is: a note of each person's, written whole, which goes with the person."""

import json
import secrets
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from hmac import compare_digest
from typing import TypeVar

from ana.errors import UserError
from ana.keys import make_digest
from ana.notes import parse_note
from ana.people import People
from ana.settings import Settings
from ana.workspace import Workspace
from ana.workspace.storage import NoteName
from app.telegram.updates import Update

CODE_SECONDS = 600.0
"""How long a code can be used."""

TRIES = 5
"""How often a code may be guessed, by all chats together."""

DIGITS = 8

MOST_DONE = 200
"""Updates that are remembered as done. Telegram gives 100 at a time at most, and those again whose receipt it has not
heard of. Their numbers are no order: after a quiet week it begins at another."""

T = TypeVar("T")


@dataclass
class Taken:
    """An update that was begun.

    Args:
        before: How the conversation stood, by which it is seen later whether the update has been acted on.
        messages: The messages of the answer, which are sent once and then changed.
        tries: How often it was begun.
        heard: What was said in it, if it is a voice message that was transcribed.
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
        thread: The conversation that goes on there.
        shown: The request that was shown last, to which a yes is; empty without one.
        shown_in: The message that has its buttons.
        done: The updates that were dealt with last.
        taken: The one that is dealt with, also across a restart.
    """

    id: int
    thread: str
    shown: str = ""
    shown_in: int = 0
    done: list[int] = field(default_factory=list)
    taken: Taken | None = None


@dataclass(frozen=True)
class Code:
    """What links a chat.

    Args:
        digest: Of the digits.
        until: Seconds since 1970.
        tries: How often it may still be guessed.
    """

    digest: str
    until: float
    tries: int


def make_code(workspace: Workspace, now: Callable[[], float] = time.time) -> str:
    """Return a code that links a chat to a person; one from before does not any more."""
    digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    _write(workspace, "telegram-code", Code(make_digest(digits), now() + CODE_SECONDS, TRIES))
    return digits


class Links:
    """The chats of all people of a deployment."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self._settings, self._people = settings, People(settings)
        self._now = now

    def list_chats(self) -> Iterator[tuple[str, Chat]]:
        """Yield who has a chat, with it. Raises StoreBroken if the list of people cannot be read."""
        for person in self._people.names():
            if chat := self.read(person):
                yield person, chat

    def find(self, chat: int) -> str | None:
        """Return whose chat it is; None if nobody's."""
        return next((person for person, each in self.list_chats() if each.id == chat), None)

    def read(self, person: str) -> Chat | None:
        """Return a person's chat; None without one."""
        return _read(self.open_workspace(person), "telegram", Chat)

    def save(self, person: str, chat: Chat) -> None:
        """Keep how far a chat is. Raises UserError if it is not the person's any more."""
        now = self.read(person)
        if now is None or now.id != chat.id:
            raise UserError("This chat was unlinked.", "`ana telegram --link` links one.")
        _write(self.open_workspace(person), "telegram", chat)

    def take_code(self, update: Update) -> str | None:
        """Link a chat whose message is somebody's code, in place of the one that they had; return whose it is.

        Every code that waits has one try less if it is none.
        """
        digits = "".join(filter(str.isdecimal, update.text))
        if len(digits) != DIGITS:
            return None
        for person in self._people.names():
            workspace = self.open_workspace(person)
            code = _read(workspace, "telegram-code", Code)
            if code is None or code.until < self._now() or code.tries < 1:
                continue
            if compare_digest(code.digest, make_digest(digits)):
                workspace.note("telegram-code").remove()
                _write(workspace, "telegram", Chat(update.chat, str(uuid.uuid4()), done=[update.id]))
                return person
            _write(workspace, "telegram-code", Code(code.digest, code.until, code.tries - 1))
        return None

    def open_workspace(self, person: str) -> Workspace:
        return Workspace(self._settings, person)


def unlink(workspace: Workspace) -> bool:
    """Let a person's chat be nobody's, and their code too; return whether there was one."""
    was_linked = bool(workspace.note("telegram").read())
    workspace.note("telegram").remove()
    workspace.note("telegram-code").remove()
    return was_linked


def _read(workspace: Workspace, name: NoteName, kind: type[T]) -> T | None:
    try:
        return parse_note(workspace.note(name).read().encode(), kind)
    except ValueError:
        return None


def _write(workspace: Workspace, name: NoteName, value: Chat | Code) -> None:
    workspace.note(name).write(json.dumps(asdict(value), ensure_ascii=False))
