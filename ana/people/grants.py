"""Series that their owner lets another person of the server see: kept with the owner's state, and ended by the owner.

This is the one exception to the rule that people do not see each other; it shows one record and nothing else.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ana.errors import UserError
from ana.keys import PERSON
from ana.memory.item import Item
from ana.memory.routines import is_routine
from ana.notes import read_value, write_value
from ana.time.repeats import may_repeat
from ana.translation import _
from ana.workspace import Workspace

MOST = 100
"""Grants of a person."""


@dataclass(frozen=True)
class Grant:
    """Somebody may see an item.

    Args:
        viewer: Who.
        since: When it was granted, ISO 8601 in UTC.
    """

    item: str
    viewer: str
    since: str


def list_grants(owner: Workspace) -> list[Grant]:
    """Return the grants of a person: the items that others may see."""
    return read_value(owner.note("grants"), list[Grant]) or []


def can_grant(item: Item) -> bool:
    """Return whether an item is a routine or a series."""
    return is_routine(item) or may_repeat(item.properties)


def grant(owner: Workspace, item: Item, viewer: str, now: datetime) -> None:
    """Let somebody see an item. Whether there is somebody of the name is not told: people do not see each other.

    Raises UserError if it is neither a routine nor a series, nobody else can be called so, or there are too many.
    """
    if not can_grant(item):
        raise UserError(_("Only a routine, or what repeats, can be shown to somebody."))
    if not PERSON.fullmatch(viewer) or viewer == owner.person:
        raise UserError(_("Nobody else can be called so."), _("A name has small letters, digits, - and _."))
    known = list_grants(owner)
    if len(known) >= MOST:
        raise UserError(_("At most {n} are shown to others.").format(n=MOST), _("End another one first."))
    if all((each.item, each.viewer) != (item.id, viewer) for each in known):
        write_value(owner.note("grants"), [*known, Grant(item.id, viewer, now.astimezone(UTC).isoformat())])


def revoke(owner: Workspace, item: str, viewer: str) -> bool:
    """Let somebody see an item no more; return whether they did."""
    return _drop(owner, lambda each: (each.item, each.viewer) == (item, viewer))


def forget_items(owner: Workspace, items: Collection[str]) -> None:
    """Drop the grants of items that are forgotten."""
    _drop(owner, lambda each: each.item in items)


def forget_viewer(owners: Sequence[Workspace], viewer: str) -> None:
    """Drop what a person could see of others, so that nobody gets it with the name."""
    for owner in owners:
        _drop(owner, lambda each: each.viewer == viewer)


def _drop(owner: Workspace, is_over: Callable[[Grant], bool]) -> bool:
    known = list_grants(owner)
    rest = [each for each in known if not is_over(each)]
    if len(rest) < len(known):
        write_value(owner.note("grants"), rest)
    return len(rest) < len(known)
