"""Buttons under a reminder: each is a signed address for one act on one ring of one item, until a moment.

Whoever has the address may do that, and nothing else; it holds no text of the item.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from hashlib import sha256

from itsdangerous import BadSignature, Signer

from ana.reminders.ledger import RingKey
from ana.reminders.reading import EVENING, MORNING
from ana.time.clock import Clock
from ana.time.when import NotRead, read_phrase
from ana.translation import _, mark_text

DONE = "done"
SNOOZES = {"10 minutes": timedelta(minutes=10), "1 hour": timedelta(hours=1), "tomorrow morning": None}
"""What a reminder can be put off by, and how long that is; None for one that a calendar says."""

ACTS = mark_text({DONE: "Done", "10 minutes": "10 minutes", "1 hour": "1 hour", "tomorrow morning": "Tomorrow morning"})
"""What can be done with a ring, and what the button is called."""

PATH = "/app/reminder/"
"""Where the page has them, below the server's address."""

LASTING = timedelta(days=7)
"""How long a button counts of what does not come again."""

_PARTS = {"evening": EVENING, "night": EVENING}


@dataclass(frozen=True)
class Button:
    """An act on a ring, of a person's, that counts until a moment."""

    person: str
    ring: RingKey
    act: str
    until: datetime


def sign(button: Button, key: str) -> str:
    """Return a button as it stands in an address.

    Args:
        key: The person's secret.
    """
    told = [button.ring.item, button.ring.moment, button.act, int(button.until.timestamp())]
    coded = urlsafe_b64encode(json.dumps(told, separators=(",", ":")).encode()).decode().rstrip("=")
    return _make_signer(key).sign(f"{button.person}.{coded}").decode()


@dataclass(frozen=True)
class Signing:
    """Signs a person's buttons.

    Args:
        person: Whose they are.
        read_key: Returns the person's secret.
        site: The server's address as a phone reaches it; empty if nobody has said.
    """

    person: str
    read_key: Callable[[], str]
    site: str = ""

    def make_buttons(self, ring: RingKey, until: datetime) -> tuple[tuple[str, str], ...]:
        """Return each act on a ring: its word, and its path below the server's address."""
        key = self.read_key()
        return tuple((_(word), PATH + sign(Button(self.person, ring, act, until), key)) for act, word in ACTS.items())


def name_person(signed: str) -> str:
    """Return whose button it says it is; `read_signed` with their key says whether it is."""
    return signed.partition(".")[0]


def read_signed(signed: str, key: str) -> Button | None:
    """Return the button of an address; None if it was not signed with this key. It may be over."""
    try:
        person, _, coded = _make_signer(key).unsign(signed).decode().partition(".")
    except BadSignature:
        return None
    item, moment, act, until = json.loads(urlsafe_b64decode(coded + "=" * (-len(coded) % 4)))
    return Button(person, RingKey(item, moment), act, datetime.fromtimestamp(until, UTC))


def read_later(phrase: str, clock: Clock) -> datetime:
    """Return the moment until which a phrase puts off: 1 hour, tomorrow morning, until 5 pm, Friday at 9.

    Raises:
        NotRead: It names none that lies ahead.
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
