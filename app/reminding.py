"""The addresses of a person's reminders, and their delivery while an ana program runs."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import datetime
from functools import partial

from ana.addresses import name_kind, split_addresses
from ana.errors import AnaError
from ana.handles import DataHandles
from ana.keys import OWNER, make_digest
from ana.output import quote
from ana.people import People
from ana.people.grants import list_grants
from ana.reminders.ringing import Ringer, Sharing, Target
from ana.reminders.sending import Message, send
from ana.translation import _, speak
from ana.workspace import Workspace, load_workspace, open_workspace
from app.following import describe_unread, follow_meanwhile
from app.meanwhile import repeat_meanwhile
from app.replying import make_signing, reply_meanwhile
from app.routines.running import answer_meanwhile

SECONDS = 20.0
"""How long nothing is looked at, unless something is known to ring before."""

HOW = "Set one: `ana setup`, or ANA_NOTIFY=ntfys://ntfy.sh/a-long-secret-name in .env, then `ana remind --test`."

_log = logging.getLogger(__name__)


def list_targets(workspace: Workspace) -> list[Target]:
    """Return a person's addresses as targets of reminders."""
    settings = workspace.settings
    kinds = None if workspace.person == OWNER else settings.ana_notify_kinds
    return [
        Target(name_kind(address), make_digest(address)[:32], partial(send, address, kinds=kinds))
        for address in split_addresses(settings.ana_notify)
    ]


def make_ringer(handles: DataHandles, targets: Sequence[Target]) -> Ringer:
    ledger, signing = handles.workspace.open_ledger(), make_signing(handles.workspace)
    find_shared = partial(_find_shared, handles.workspace)
    return Ringer(handles.memory, handles.clock, ledger, targets, signing, find_shared)


def _find_shared(workspace: Workspace) -> dict[str, Sharing]:
    """Return for each shared item the addresses of the people who may see it."""
    shared: dict[str, Sharing] = {}
    for each in list_grants(workspace):
        before = shared.get(each.item)
        targets = _list_targets_of(each.viewer)
        since = datetime.fromisoformat(each.since)
        shared[each.item] = Sharing(since, [*before.targets, *targets]) if before else Sharing(since, targets)
    return shared


def _list_targets_of(viewer: str) -> list[Target]:
    """Return another person's addresses; none if there is no such person, or their settings are wrong."""
    settings = load_workspace().settings
    try:
        return list_targets(open_workspace(settings, viewer)) if viewer in People(settings).names() else []
    except AnaError as exc:
        _log.warning("somebody to whom a series is shown is not told: %s", exc)
        return []


@contextmanager
def ring_meanwhile(handles: DataHandles, say: Callable[[str], None] | None = None) -> Iterator[None]:
    """Deliver reminders, take their answers, answer routines and read calendars, in threads while the context is open.

    Args:
        say: Prints a line where the person sees it; None if nobody looks.
    """
    addresses = list_targets(handles.workspace)
    targets = addresses + ([Target("this screen", "screen", partial(_show, say))] if say else [])
    with ExitStack() as stack:
        stack.enter_context(follow_meanwhile(handles))
        stack.enter_context(reply_meanwhile(handles))
        stack.enter_context(answer_meanwhile(handles, addresses, targets))
        stack.enter_context(_keep_ringing(handles, targets))
        yield


def _keep_ringing(handles: DataHandles, targets: Sequence[Target]) -> AbstractContextManager[None]:
    """Deliver reminders when they become due, while the context is open; a failed delivery is tried again."""
    if not targets:
        return nullcontext()
    clock, ringer = handles.clock, make_ringer(handles, targets)

    def ring() -> float | None:
        speak(handles.workspace.settings.language)
        handles.workspace.whereabouts.refresh(clock)
        coming = ringer.ring()
        return max((coming - clock.now()).total_seconds(), 0.0) + 0.01 if coming else None

    # what a receiver has taken is to be noted, or it is sent again
    return repeat_meanwhile("reminders", ring, SECONDS, end=SECONDS)


def describe_failing(workspace: Workspace) -> list[str]:
    """Return a sentence for each calendar that cannot be read, and each address that takes no messages at present."""
    ledger, sentences = workspace.open_ledger(), describe_unread(workspace)
    for target in list_targets(workspace):
        if failing := ledger.get_failing(target.key):
            since = workspace.make_clock().minute(failing.since.isoformat())
            failed = _("Reminders do not arrive by {name} since {moment}: {reason}.")
            sentences.append(failed.format(name=target.name, moment=since, reason=failing.reason.rstrip(".")))
    return sentences


def _show(say: Callable[[str], None], message: Message) -> str:
    told = _("Reminder: {item} · {when}").format(item=quote(message.title), when=message.body)
    say(f"{told}{' · /done, /snooze' if message.buttons else ''}")
    return ""
