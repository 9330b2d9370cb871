"""Delivery: find due reminders in the items, send them, and enter them in the ledger."""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from hashlib import sha256

from ana.json_lines import Quoted
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.travel import read_item_repeat
from ana.output import shorten
from ana.reminders.buttons import LASTING, Signing
from ana.reminders.ledger import HOLD, Ledger, RingKey, make_late
from ana.reminders.reading import Ring, read_reminders, tell_time
from ana.reminders.sending import Message
from ana.time.clock import Clock
from ana.time.repeats import find_next_after
from ana.translation import _

DAY = timedelta(days=1)
"""How late a missed reminder is still delivered."""

UNMARKED = timedelta(hours=1)
"""How long after a reminder of a shared series it is told that nothing was marked."""

MISSED = " unmarked"
"""What stands behind the moment, in the ledger's key, of what is told then."""

LATE = timedelta(minutes=5)
"""From when on a reminder is called late."""

AHEAD, NEAR = timedelta(hours=1), timedelta(hours=2)
LONGEST = 200
"""Most characters of an item in a message."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Target:
    """An address for reminders.

    Args:
        name: Its name, without secrets.
        key: Its key in the ledger.
        send: Delivers a message; returns why it failed, or an empty text.
    """

    name: str
    key: str
    send: Callable[[Message], str]


@dataclass(frozen=True)
class Sharing:
    """Other people who are reminded of an unmarked series: the moment from which this holds, and their addresses."""

    since: datetime
    targets: Sequence[Target]


@dataclass(frozen=True)
class _Due:
    """A reminder and its due time, which is the snoozed time if it was snoozed.

    Args:
        others: The other people who are told at this time that it is unmarked.
    """

    ring: RingKey
    moment: datetime
    others: Sequence[Target] = ()


class Ringer:
    """Delivers reminders.

    Args:
        signing: Signs their buttons; None: no buttons.
        find_shared: Returns, by id of the item, the other people who are reminded.
    """

    def __init__(
        self,
        memory: Memory,
        clock: Clock,
        ledger: Ledger,
        targets: Sequence[Target],
        signing: Signing | None = None,
        find_shared: Callable[[], Mapping[str, Sharing]] = dict,
    ) -> None:
        self._memory = memory
        self._clock = clock
        self._ledger = ledger
        self._targets = targets
        self._signing = signing
        self._find_shared = find_shared
        self._items: list[Item] = []
        self._position: object = None
        self.delivered = self.failed = 0
        """The numbers of delivered and of failed reminders."""

    def ring(self) -> datetime | None:
        """Deliver everything that was due in the last day and is undelivered, unless another process is delivering.

        Returns:
            The next time within the hour at which a reminder is due, or None.

        Raises:
            AnaError: The items, or the ledger, cannot be read.
        """
        now = self._clock.now().astimezone(UTC)
        zone, items = self._clock.zone, self._load()
        snoozed = self._ledger.list_snoozed(now - DAY) if items else {}
        rings = {
            key: _Due(key, ring.moment)
            for item in items
            # of what rang at the last moment, it is told an hour later that it is unmarked
            for ring in read_reminders(item, zone, _begin(item, now, DAY + 2 * UNMARKED), now + AHEAD)
            if (key := make_key(item, ring, zone)) not in snoozed
        }
        rings |= {make_late(key, until): _Due(key, until) for key, until in snoozed.items()}
        rings |= self._list_unmarked(rings, now - DAY)
        due = {key: each for key, each in rings.items() if now - DAY <= each.moment <= now}
        if due:
            with self._ledger.deliver_alone() as is_alone:
                for notice in self._hold_notices(rings, due, now) if is_alone() else ():
                    due.pop(notice, None)
                for target in self._targets if is_alone() else ():
                    self._deliver(target, due, is_alone)
                others = {each.key: each for one in due.values() for each in one.others}
                for target in others.values() if is_alone() else ():
                    unmarked = {key: each for key, each in due.items() if target in each.others}
                    self._deliver(target, unmarked, is_alone)
        return min((each.moment for each in rings.values() if now < each.moment <= now + AHEAD), default=None)

    def _list_unmarked(self, rings: Mapping[RingKey, _Due], since: datetime) -> dict[RingKey, _Due]:
        """Return notices about shared series that are still unmarked an hour after they rang.

        Args:
            since: The moment from which on they may have rung.
        """
        shared = self._find_shared() if rings else {}
        until = self._ledger.list_snoozed(since, HOLD) if shared else {}
        return {
            _name_notice(key): _Due(each.ring, until.get(key, each.moment + UNMARKED), sharing.targets)
            for key, each in rings.items()
            if (sharing := shared.get(key.item)) and each.moment >= sharing.since
        }

    def _hold_notices(self, rings: Collection[RingKey], due: Mapping[RingKey, _Due], now: datetime) -> list[RingKey]:
        """For reminders that ring late now, schedule the notice that they are unmarked for an hour from now; return
        these notices.

        Even if every address of the owner fails, the others are told.
        """
        late = [key for key, each in due.items() if _name_notice(key) in rings and now - each.moment > LATE]
        if not late or all(self._ledger.get_failing(target.key) for target in self._targets):
            return []
        for target in self._targets:
            late = self._ledger.list_open(target.key, late)
        for key in late:
            self._ledger.snooze(key, now + UNMARKED, HOLD)
        return [*map(_name_notice, late)]

    def _load(self) -> Sequence[Item]:
        """Return the items that may have reminders; they are loaded again after a write."""
        position = self._memory.backend.position()
        if position != self._position:
            # a query and not a scan: the index answers it, so that a look every minute does not load Chroma
            result = self._memory.find(where={"remind": {"$ne": None}}, limit=10**9)
            self._items = [result.stored.get(item.id, item) for item in result.items]  # not at their next date
            self._position = position
        return self._items

    def _deliver(self, target: Target, due: dict[RingKey, _Due], is_alone: Callable[[], bool]) -> None:
        failing = self._ledger.get_failing(target.key)
        if failing and failing.is_paused(self._clock.now()):
            return
        for key in self._ledger.list_open(target.key, due):
            # right before, for it may be done, moved or deleted by now
            item = self._memory.record("item", key.item)
            ring = find_ring(item, due[key].ring, self._clock.zone)
            if item is None or ring is None:
                continue
            if not is_alone():
                return
            if key.moment.endswith(MISSED):
                message = _make_unmarked(item, ring, key, self._clock)
            else:
                actual = replace(ring, moment=due[key].moment)  # of one that was put off, that moment
                message = make_message(item, actual, key, self._clock.now())
            if target in self._targets:
                message = self._add_buttons(message, item, ring, due[key].ring)
            if not deliver(self._ledger, target, key, message, self._clock):
                self.failed += 1
                return
            self.delivered += 1

    def _add_buttons(self, message: Message, item: Item, ring: Ring, key: RingKey) -> Message:
        """Return a message with buttons that are valid until the item's next date."""
        now, zone = self._clock.now(), self._clock.zone
        until = _find_next(item, ring, zone) or now + LASTING
        if self._signing is None or until <= now:
            return message
        signing = self._signing
        buttons = signing.make_buttons(key, until)
        return replace(message, buttons=buttons, site=signing.site, topic=signing.name_topic())


def deliver(ledger: Ledger, target: Target, key: RingKey, message: Message, clock: Clock) -> bool:
    """Send a message and enter the result in the ledger; return whether it was delivered."""
    if reason := target.send(message):
        ledger.note_failed(target.key, key, clock.now(), reason)
        _log.warning("a message could not be delivered by %s: %s", target.name, Quoted(reason))
        return False
    ledger.note_delivered(target.key, key)
    return True


def make_key(item: Item, ring: Ring, zone: tzinfo) -> RingKey:
    """Return the ledger's key of a reminder.

    A reminder that moves with the person is known by local time, so that it is delivered once in any zone.
    """
    local = ring.moment.astimezone(zone).replace(tzinfo=None) if ring.goes_along else ring.moment
    return RingKey(item.id, local.isoformat(timespec="microseconds"))


def _name_notice(key: RingKey) -> RingKey:
    """Return the ledger's key of the notice that a reminder is unmarked."""
    return RingKey(key.item, key.moment + MISSED)


def _make_unmarked(item: Item, ring: Ring, key: RingKey, clock: Clock) -> Message:
    """Return the message that nobody has marked an item that rang, for its owner and the people who may see it."""
    when = tell_time(ring.moment.astimezone(clock.zone))
    body = _("It rang an hour ago or earlier, and is not marked: {when}").format(when=when)
    return Message(shorten(item.content, LONGEST), body, _make_tag(key))


def _make_tag(key: RingKey) -> str:
    return sha256(f"{key.item} {key.moment}".encode()).hexdigest()[:16]


def make_message(item: Item, ring: Ring, key: RingKey, now: datetime) -> Message:
    """Return the message: the item and its time in words, and whether it is late; no id."""
    planned = tell_time(ring.moment.astimezone(now.tzinfo))
    of = ring.of.astimezone(now.tzinfo) if isinstance(ring.of, datetime) else ring.of
    when = tell_time(of) if of else planned
    if now - ring.moment > LATE:
        when = _("{when} (late: this was to ring {planned})").format(when=when, planned=planned)
    return Message(shorten(item.content, LONGEST), when, _make_tag(key))


def _begin(item: Item, now: datetime, oldest: timedelta) -> datetime:
    """Return the start of an item's reminders; times before its creation are skipped."""
    created = datetime.fromisoformat(item.created_at)
    # one made later than now was made by a clock that was wrong
    return max(now - oldest, created) if created <= now else now - oldest


def find_ring(item: Item | None, key: RingKey, zone: tzinfo) -> Ring | None:
    """Return the reminder of a key; None if the item was done, moved or deleted."""
    if item is None:
        return None
    key = RingKey(key.item, key.moment.removesuffix(MISSED))
    moment = datetime.fromisoformat(key.moment)
    moment = moment.replace(tzinfo=moment.tzinfo or zone).astimezone(UTC)
    # a local time that the clock repeats is one of two moments
    near = read_reminders(item, zone, moment - NEAR, moment + NEAR)
    return next((ring for ring in near if make_key(item, ring, zone) == key), None)


def _find_next(item: Item, ring: Ring, zone: tzinfo) -> datetime | None:
    """Return an item's next date after the date of a reminder; None if there is none."""
    repeat = read_item_repeat(item, zone)
    following = find_next_after(repeat, _to_moment(ring.of, zone)) if repeat and ring.of else None
    return _to_moment(following.start, zone) if following else None


def _to_moment(start: date, zone: tzinfo) -> datetime:
    return start if isinstance(start, datetime) else datetime.combine(start, time(), zone)
