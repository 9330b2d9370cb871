"""The people of a deployment, and the keys of each: tokens, a code for another device, the calendar's key.

The list contains only digests. Commands and servers change it as a whole, under a lock.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import replace

from ana.errors import UserError
from ana.keys import KEY, OWNER, make_digest, make_key, split_tokens
from ana.people.grants import forget_viewer, list_grants
from ana.people.roster import Entry, FolderRoster, Listed, Roster, find_match
from ana.reminders.buttons import Button, name_person, read_signed
from ana.settings import Settings
from ana.urls import LOOPBACK, list_hosts
from ana.workspace import Workspace, open_workspace

CODE_SECONDS = 300.0
"""How long a code can be exchanged."""

MOST_TOKENS = 20
"""Tokens of a person at most: one of their own, and one of each device that signed in with a code. The oldest end."""


class People:
    """The people who may use a deployment: its owner, those listed by `add`, and those in ANA_API_TOKENS.

    Every method raises StoreBroken if the list cannot be read; those that change it raise StoreBusy or
    OSError if it cannot be written, and then nothing has changed.

    Args:
        now: Tells the seconds since 1970.
        roster: The list; None for the one that the settings name.
    """

    def __init__(self, settings: Settings, now: Callable[[], float] = time.time, roster: Roster | None = None) -> None:
        self._owner = Workspace(settings)
        self._now = now
        self._roster = roster or _open_roster(self._owner)
        self._configured = [(name, make_digest(token)) for name, token in split_tokens(settings.ana_api_tokens)]

    @property
    def waits(self) -> bool:
        """Whether looking up a person may take long."""
        return self._roster.waits

    def names(self) -> list[str]:
        """Return everybody, the owner first."""
        return [OWNER, *sorted({*self._roster.load(), *dict(self._configured)} - {OWNER})]

    def has_token(self) -> bool:
        """Return whether anybody has a token."""
        return bool(self._configured) or any(entry.tokens for entry in self._roster.load().values())

    def needs_token(self, host: str) -> bool:
        """Return whether a request that came to this address of the server needs a token.

        Folders of people count, and so does a proxy: if the list were missing, anybody behind the proxy would count as
        the owner.
        """
        settings = self._owner.settings
        has_proxy = list_hosts(settings.ana_public_url, settings.ana_hosts) or settings.ana_proxies
        return bool(has_proxy) or host not in LOOPBACK or self.has_token() or bool(self._owner.list_people())

    def find(self, token: str) -> str | None:
        """Return the person to whom a token belongs; None if it is unknown."""
        listed = [(name, digest) for name, entry in self._roster.load().items() for digest in entry.tokens]
        return find_match(token, [*self._configured, *listed])

    def digests(self, name: str) -> list[str]:
        """Return the digests of a person's tokens."""
        return [
            *self._roster.load().get(name, Entry()).tokens,
            *(digest for other, digest in self._configured if other == name),
        ]

    def find_by_calendar_key(self, key: str) -> str | None:
        """Return the person whose calendar a key opens; None if it opens none."""
        return self._roster.find_calendar(self.names(), key)

    def find_by_button(self, signed: str) -> Button | None:
        """Return the button that an address contains; None if nobody here has signed it."""
        if (name := name_person(signed)) not in self.names():
            return None
        key = replace(self._owner, person=name).note("reminder-key").read()
        return read_signed(signed, key) if KEY.fullmatch(key) else None

    def add(self, name: str) -> str:
        """List a person, with a folder of their own, and return their token; only its digest is kept.

        Raises:
            WrongName: A person cannot have this name.
            UserError: There is already a person with this name.
        """
        open_workspace(self._owner.settings, name)  # whether anybody can be called so
        with self._roster.change() as listed:
            if name in self.names():
                raise UserError(f"There is a person {name!r} already.", f"`ana users token {name}` makes a new token.")
            forget_viewer(self._list_workspaces(), name)
            self._roster.make_place(name)
            return _add_token(listed, name, Entry())

    def renew(self, name: str) -> str:
        """Return a new token of a person, and revoke their other ones. Raises UserError if they cannot be renewed."""
        with self._roster.change() as listed:
            self._require(name)
            if name in dict(self._configured):
                raise UserError(f"The token of {name!r} is set in ANA_API_TOKENS.", "Change it there.")
            return _add_token(listed, name, Entry())

    def make_code(self, name: str) -> str:
        """Return a code that a person's device can exchange once for a token. Raises UserError for an unknown name."""
        with self._roster.change() as listed:
            self._require(name)
            code = secrets.token_urlsafe(16)
            entry = listed.get(name, Entry())
            listed[name] = replace(entry, code=make_digest(code), until=self._now() + CODE_SECONDS)
            return code

    def exchange(self, code: str) -> tuple[str, str] | None:
        """Return the person to whom a code belongs, and a new token; None if the code is unknown, used or expired."""
        if self._find_code(code, self._roster.load()) is None:  # a guess waits for no lock
            return None
        with self._roster.change() as listed:
            name = self._find_code(code, listed)
            return (name, _add_token(listed, name, replace(listed[name], code=""))) if name else None

    def remove(self, name: str) -> str:
        """Back up a person's data, take them off the list and move the data aside; return its new place.

        Raises:
            UserError: The person is the owner, does not exist, or comes from ANA_API_TOKENS.
            StoreBroken: Their folder is damaged; nothing was changed.
        """
        if name == OWNER or name in dict(self._configured):
            raise UserError(f"{name!r} cannot be removed.", "The owner stays; ANA_API_TOKENS is changed by hand.")
        if name not in self._owner.list_people():  # else it may have been cut short, and goes on
            self._require(name)
        forget_viewer(self._list_workspaces(), name)
        return self._roster.put_aside(name)

    def list_granted(self, name: str) -> list[tuple[str, str]]:
        """Return the items of others that a person may see, as pairs of the owner and the item's id."""
        owners = self._list_workspaces()
        return [(owner.person, each.item) for owner in owners for each in list_grants(owner) if each.viewer == name]

    def _list_workspaces(self) -> list[Workspace]:
        """Return everybody's workspace, without their own settings."""
        return [replace(self._owner, person=name) for name in self.names()]

    def _require(self, name: str) -> None:
        if name not in self.names():
            raise UserError(f"There is no person {name!r:.80}.", "`ana users list` shows who there is.")

    def _find_code(self, code: str, listed: Listed) -> str | None:
        return find_match(code, [(name, entry.code) for name, entry in listed.items() if self._now() < entry.until])


def _open_roster(owner: Workspace) -> Roster:
    if not owner.has_database:
        return FolderRoster(owner)
    from ana.people.postgres import PostgresRoster

    return PostgresRoster(owner.rows.database)


def _add_token(listed: Listed, name: str, entry: Entry) -> str:
    token = make_key("token")
    listed[name] = replace(entry, tokens=(*entry.tokens, make_digest(token))[-MOST_TOKENS:])
    return token
