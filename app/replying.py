"""Presses of buttons that a phone publishes to a secret topic of ntfy, because it cannot reach the server itself."""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from ana import stopping
from ana.addresses import find_ntfy_server, split_addresses
from ana.errors import NotFound, ToolError, UserError
from ana.handles import DataHandles
from ana.json_lines import Quoted
from ana.notes import parse_note, read_value, write_value
from ana.reminders.buttons import Signing, read_signed
from ana.time.clock import Clock
from ana.urls import find_site
from ana.workspace import Workspace
from app.answering import answer, find_rung
from app.following import fetch
from app.meanwhile import repeat_meanwhile

LOOK_SECONDS = 20.0
"""How long nothing is looked at."""

KEPT = timedelta(hours=12)
"""How long ntfy keeps what was published."""

MOST, LONGEST = 1_000, 2_000
"""How much of what was published is read at once, and characters of each."""

MOST_DONE = 200
"""Presses that are remembered as done."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Published:
    """A line of ntfy's answer; only messages count.

    Args:
        time: The time of publication by ntfy, in seconds since 1970.
    """

    id: str = ""
    time: int = 0
    event: str = ""
    message: str = ""


@dataclass(frozen=True)
class Read:
    """How far a topic has been read.

    Args:
        since: The time of the last press at each server, in seconds since 1970.
        done: The last presses that were carried out.
    """

    since: dict[str, int] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)


class Replies:
    """The buttons that one person has pressed on a phone, by way of ntfy."""

    def __init__(self, handles: DataHandles) -> None:
        self._handles = handles
        self._signing = make_signing(handles.workspace)
        self._note = handles.workspace.note("replies")
        self._failing: dict[str, str] = {}
        """Why a server cannot be asked."""

    def carry_out(self) -> None:
        """Carry out each new press. Anything else that is published there is skipped.

        Raises AnaError if stored data cannot be read or changed.
        """
        for server in list_servers(self._handles.workspace):
            try:
                for published in self._list_new(server):
                    if not self._press(server, published):
                        break  # what was pressed after it must not be done first
                self._failing.pop(server, None)
            except UserError as exc:
                stopping.check_stopped()
                if self._failing.get(server) != exc.message:
                    _log.warning("buttons of ntfy cannot be read: %s", Quoted(exc.message))
                self._failing[server] = exc.message

    def _list_new(self, server: str) -> Iterator[Published]:
        read = self._get_read()
        since = read.since.get(server) or int((self._handles.clock.now() - KEPT).timestamp())
        url = f"{server}/{self._signing.name_topic()}/json?poll=1&since={since}"
        got = fetch(self._handles.workspace, url)
        for line in got.data.splitlines()[-MOST:] if got else ():
            try:
                published = parse_note(line, Published)
            except ValueError:
                continue
            if published.event == "message" and published.id not in read.done:
                yield published

    def _press(self, server: str, published: Published) -> bool:
        """Carry out a press as of its time, so that a repetition changes nothing, and remember it.

        Return False if another process is working on it; a text that is no press is skipped.
        """
        now = self._handles.clock.now()
        pressed = datetime.fromtimestamp(min(max(published.time, 0), int(now.timestamp())), UTC)
        button = read_signed(published.message[:LONGEST], self._signing.read_key())
        if button is None or button.person != self._signing.person or button.until <= pressed:
            return True
        with self._handles.workspace.open_ledger().deliver_alone() as is_alone:
            read = self._get_read()
            if not is_alone() or published.id in read.done:  # another process is at it, or was
                return published.id in read.done
            handles = replace(self._handles, clock=Clock(self._handles.clock.zone, lambda: pressed))
            try:
                answer(handles, find_rung(handles, button.ring), button.act)
            except (NotFound, ToolError) as exc:  # it is over, or cannot be done
                _log.warning("a button pressed on a phone was not carried out: %s", Quoted(exc.message))
            done = [*read.done, published.id][-MOST_DONE:]
            write_value(self._note, Read(read.since | {server: int(pressed.timestamp())}, done))
            return True

    def _get_read(self) -> Read:
        return read_value(self._note, Read) or Read()


def make_signing(workspace: Workspace) -> Signing:
    """Return the signing for the buttons of a person's reminders."""
    settings = workspace.settings
    site = find_site(settings.ana_public_url, settings.ana_hosts) or ""
    return Signing(workspace.person, workspace.get_reminder_key, site)


def list_servers(workspace: Workspace) -> list[str]:
    """Return the ntfy servers to which buttons may be published: none if phones reach ana's server itself."""
    if make_signing(workspace).site:
        return []
    servers = map(find_ntfy_server, split_addresses(workspace.settings.ana_notify))
    return [*dict.fromkeys(filter(None, servers))]


def reply_meanwhile(handles: DataHandles) -> AbstractContextManager[None]:
    """Carry out presses on a phone, in a separate thread while the context is open."""
    return repeat_meanwhile("buttons of ntfy", Replies(handles).carry_out, LOOK_SECONDS)
