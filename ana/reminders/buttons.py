"""Buttons of a reminder: each is a signed address for one act on one reminder of one item, valid for some time.

Anybody who has the address may do this one act; it contains no text of the item.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256

from itsdangerous import BadSignature, Signer
from itsdangerous.encoding import base64_decode, base64_encode

from ana.reminders.ledger import RingKey
from ana.reminders.reading import EVENING, MORNING
from ana.time.clock import Clock
from ana.time.when import NotRead, read_phrase
from ana.translation import _, mark_text

DONE = "done"
SNOOZES = {"10 minutes": timedelta(minutes=10), "1 hour": timedelta(hours=1), "tomorrow morning": None}
"""Choices for snoozing and their lengths; None if the length depends on the calendar."""

ACTS = mark_text({DONE: "Done", "10 minutes": "10 minutes", "1 hour": "1 hour", "tomorrow morning": "Tomorrow morning"})
"""Acts on a reminder, and the labels of their buttons."""

PATH = "/app/reminder/"
"""Their path on the page, below the server's address."""

LASTING = timedelta(days=7)
"""How long a button is valid if the item does not come again."""

_PARTS = {"evening": EVENING, "night": EVENING}


@dataclass(frozen=True)
class Button:
    """A person's act on a reminder, valid until a time."""

    person: str
    ring: RingKey
    act: str
    until: datetime


def sign(button: Button, key: str) -> str:
    """Return a button as part of an address.

    Args:
        key: The person's secret.
    """
    parts = [button.ring.item, button.ring.moment, button.act, int(button.until.timestamp())]
    coded = base64_encode(json.dumps(parts, separators=(",", ":"))).decode()
    return _make_signer(key).sign(f"{button.person}.{coded}").decode()


@dataclass(frozen=True)
class Signing:
    """Signs the buttons of one person.

    Args:
        person: The person.
        read_key: Returns the person's secret.
        site: The server's address for a phone; empty if not set.
    """

    person: str
    read_key: Callable[[], str]
    site: str = ""

    def name_topic(self) -> str:
        """Return the topic to which ntfy's buttons are published where there is no address for a phone."""
        return f"ana-{sha256(f'ntfy {self.read_key()}'.encode()).hexdigest()[:32]}"

    def make_buttons(self, ring: RingKey, until: datetime) -> tuple[tuple[str, str], ...]:
        """Return the label and path, below the server's address, of each act on a reminder."""
        key = self.read_key()
        return tuple((_(word), PATH + sign(Button(self.person, ring, act, until), key)) for act, word in ACTS.items())


def name_person(signed: str) -> str:
    """Return the claimed person of a button; `read_signed` verifies it with their key."""
    return signed.partition(".")[0]


def read_signed(signed: str, key: str) -> Button | None:
    """Return the button of an address, perhaps expired; None if it was not signed with this key."""
    try:
        person, _, coded = _make_signer(key).unsign(signed).decode().partition(".")
    except BadSignature:
        return None
    item, moment, act, until = json.loads(base64_decode(coded))
    return Button(person, RingKey(item, moment), act, datetime.fromtimestamp(until, UTC))


def read_later(phrase: str, clock: Clock) -> datetime:
    """Return the time for which a phrase snoozes: 1 hour, tomorrow morning, until 5 pm, Friday at 9.

    Raises:
        NotRead: It does not name a future time.
    """
    now = clock.now()
    if span := SNOOZES.get(phrase):
        return now + span
    try:
        when = read_phrase(phrase, now.date(), now)
    except NotRead:
        when = read_phrase(f"in {phrase}", now.date(), now)
    at: time = when.at or _PARTS.get(when.part, MORNING)
    moment = datetime.combine(when.first, at, clock.zone)
    if moment <= now:
        raise NotRead("it is past")
    return moment


def _make_signer(key: str) -> Signer:
    return Signer(key, salt="ana reminder", digest_method=sha256)
