"""Grants: series that their owner lets another person of the server see. They are kept with the owner's state, and the
owner ends them.

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
    """The permission of a person to see an item.

    Args:
        viewer: The person who may see it.
        since: The time of the grant, ISO 8601 in UTC.
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
    """Let a person see an item. It does not say whether the person exists, because people do not see each other.

    Raises UserError if the item is neither a routine nor a series, the name is not possible, or there are too many
    grants.
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
    """End a person's permission to see an item; return whether they had it."""
    return _drop(owner, lambda each: (each.item, each.viewer) == (item, viewer))


def forget_items(owner: Workspace, items: Collection[str]) -> None:
    """Drop the grants of items that are forgotten."""
    _drop(owner, lambda each: each.item in items)


def forget_viewer(owners: Sequence[Workspace], viewer: str) -> None:
    """Drop all permissions of a person, so that a later person with the same name does not get them."""
    for owner in owners:
        _drop(owner, lambda each: each.viewer == viewer)


def _drop(owner: Workspace, is_over: Callable[[Grant], bool]) -> bool:
    known = list_grants(owner)
    rest = [each for each in known if not is_over(each)]
    if len(rest) < len(known):
        write_value(owner.note("grants"), rest)
    return len(rest) < len(known)
