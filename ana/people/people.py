"""The people of a deployment, and what each signs in with: tokens, a code for another device, the calendar's key.

One file lists them. It holds digests alone, and is written whole, under a lock, by commands and servers alike.
"""

import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hmac import compare_digest
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ana.errors import UserError
from ana.files import refuse_read_only
from ana.keys import CALENDAR_KEY, PERSON, hash_key, make_key, split_tokens
from ana.locks import OwnerLock
from ana.notes import read_note, write_note
from ana.people.removing import remove_folder
from ana.settings import Settings
from ana.threads.ids import OWNER
from ana.urls import is_loopback
from ana.workspace import Workspace, check_name

LIST = "tokens.json"

CODE_SECONDS = 300.0
"""How long a code can be exchanged."""

MOST_TOKENS = 20
"""Tokens of a person at most: one of their own, and one of each device that signed in with a code. The oldest end."""


@dataclass(frozen=True)
class Code:
    """A code that can be exchanged once: its digest, and when it ends, in seconds since 1970."""

    digest: str
    until: float


@dataclass(frozen=True)
class Entry:
    """What is listed of a person: the digests of their tokens, the last made last."""

    tokens: tuple[str, ...]
    code: Code | None = None


Listed = dict[Annotated[str, Field(pattern=f"^{PERSON.pattern}$")], Entry]
Stamp = tuple[int, ...]


class People:
    """Who may use a deployment: its owner, those whom `add` has listed, and those of ANA_API_TOKENS.

    Every method but `names`, `find`, `find_by_calendar_key` and `needs_token` writes, and raises StoreBusy,
    StoreReadOnly or OSError if that cannot be done; all raise StoreBroken if the list cannot be read.

    Args:
        settings: The deployment's.
        now: Tells the seconds since 1970.
    """

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time) -> None:
        self._owner = Workspace(settings)
        self._now = now
        self._file = self._owner.people_folder / LIST
        self._given = [(name, hash_key(token)) for name, token in split_tokens(settings.ana_api_tokens)]
        self._has_proxy = bool(settings.ana_hosts or settings.ana_proxies)
        self._read: tuple[Stamp, Listed, bool] | None = None
        """What was read last: the files as they were, the list, and whether another than the owner has a folder."""

    def names(self) -> list[str]:
        """Return everybody, the owner first."""
        return [OWNER, *sorted({*self._load()[0], *self._names_given()} - {OWNER})]

    def needs_token(self, host: str) -> bool:
        """Return whether a request needs a token that came to this address of ours.

        Folders count and a proxy does: without the list, whoever comes through it would be the owner.
        """
        return not is_loopback(host) or self._has_proxy or self._load()[1] or self.has_token()

    def has_token(self) -> bool:
        """Return whether somebody has one."""
        return bool(self._given) or any(entry.tokens for entry in self._load()[0].values())

    def find(self, token: str) -> str | None:
        """Return whose token it is; None if it is nobody's."""
        listed = ((name, digest) for name, entry in self._load()[0].items() for digest in entry.tokens)
        return _match(hash_key(token), [*self._given, *listed])

    def find_by_calendar_key(self, key: str) -> str | None:
        """Return whose calendar a key opens; None if it opens none."""
        if not CALENDAR_KEY.fullmatch(key):
            return None
        notes = ((name, Workspace(self._owner.settings, name).note("calendar-key").read()) for name in self.names())
        return _match(hash_key(key), [(name, hash_key(kept)) for name, kept in notes if kept])

    def add(self, name: str) -> str:
        """List a person and make their folder, or take up one that is there; return their token, which is not kept.

        Raises:
            WrongName: Nobody can be called so.
            UserError: There is somebody of this name.
        """
        check_name(name)
        with self._change() as listed:
            if name in (OWNER, *listed, *self._names_given()):
                raise UserError(f"There is a person {name!r} already.", f"`ana users token {name}` makes a new token.")
            Workspace(self._owner.settings, name).folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            token = make_key("token")
            listed[name] = Entry((hash_key(token),))
        return token

    def renew(self, name: str) -> str:
        """Return a new token of a person; every other of theirs ends, and so does a code."""
        with self._change() as listed:
            self._require(name, listed)
            if name in self._names_given():
                raise UserError(f"The token of {name!r} is set in ANA_API_TOKENS.", "Change it there.")
            token = make_key("token")
            listed[name] = Entry((hash_key(token),))
        return token

    def make_code(self, name: str) -> str:
        """Return a code that a device of a person can exchange for a token of its own, once, in CODE_SECONDS."""
        with self._change() as listed:
            self._require(name, listed)
            code = secrets.token_urlsafe(16)
            entry = listed.get(name, Entry(()))
            listed[name] = replace(entry, code=Code(hash_key(code), self._now() + CODE_SECONDS))
        return code

    def exchange(self, code: str) -> tuple[str, str] | None:
        """Return whose code it is and a new token of theirs; None if it is nobody's, was used, or has ended."""
        digest, now = hash_key(code), self._now()
        if _find_code(self._load()[0], digest, now) is None:  # a guess waits for no lock
            return None
        with self._change() as listed:
            name = _find_code(listed, digest, now)
            if name is None:
                return None
            token = make_key("token")
            listed[name] = Entry((*listed[name].tokens, hash_key(token))[-MOST_TOKENS:])
        return name, token

    def remove(self, name: str) -> Path:
        """Back up what a person has, take them off the list and move their folder; return where both are now.

        Raises:
            UserError: It is the owner, nobody, or somebody of ANA_API_TOKENS.
            StoreBroken: Their folder is damaged; nothing was changed.
        """
        if name == OWNER:
            raise UserError("The owner cannot be removed.", "`ana users token owner` ends the owner's tokens.")
        if name in self._names_given():
            raise UserError(f"{name!r} is named in ANA_API_TOKENS.", "Take the name out there first.")
        if name not in self._owner.list_people():  # else they were removed by halves, and it goes on
            self._require(name, self._load()[0])
        workspace = Workspace(self._owner.settings, name)
        with remove_folder(self._owner, workspace) as aside, self._change() as listed:
            listed.pop(name, None)
        return aside

    def _names_given(self) -> Iterable[str]:
        return {name for name, _ in self._given}

    def _require(self, name: str, listed: Listed) -> None:
        if name not in (OWNER, *listed, *self._names_given()):
            raise UserError(f"There is no person {name!r:.80}.", "`ana users list` shows who there is.")

    def _load(self) -> tuple[Listed, bool]:
        """Return the list, and whether another than the owner has a folder; from the files if they have changed."""
        stamp = _stamp(self._file.parent) + _stamp(self._file)
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, self._parse(), bool(self._owner.list_people())
        return self._read[1:]

    def _parse(self) -> Listed:
        hint = "Until it is corrected or deleted nobody is let in; deleted, everybody needs a new token."
        return read_note(self._file, Listed, hint) or {}

    @contextmanager
    def _change(self) -> Iterator[Listed]:
        """Yield the list, which is written as it then is, while nobody else changes it."""
        refuse_read_only(self._owner.folder)
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = OwnerLock(self._file.with_suffix(".lock"), "The list of people")
        lock.acquire()
        try:
            before = self._parse()
            yield (listed := dict(before))
            if listed != before:
                write_note(self._file, listed)
        finally:
            lock.discard()


def _match(digest: str, kept: Iterable[tuple[str, str]]) -> str | None:
    """Return the name beside a digest; how long that takes does not tell how much of it is right."""
    found = [name for name, each in kept if compare_digest(digest, each)]
    return found[0] if found else None


def _find_code(listed: Listed, digest: str, now: float) -> str | None:
    codes = ((name, entry.code) for name, entry in listed.items() if entry.code)
    return _match(digest, [(name, code.digest) for name, code in codes if now < code.until])


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns
