"""Sending a message to an address, by Apprise, which is loaded when the first one is sent."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import quote

from ana.addresses import find_fault, list_secret_parts, read_kind
from ana.logs import HIDDEN, choose_secrets
from ana.output import shorten
from ana.reach import reach_as
from ana.reminders.push import KIND, push
from ana.translation import _, mark_text

SECONDS = 15.0
"""How long a message may take, whatever its receiver does."""

TAG = "X-Ana-Reminder"
"""The header by which a receiver can tell that a message is a copy, where an address has headers."""

LONGEST_REASON = 200
MOST_NTFY = 3
"""Buttons of a message by ntfy, which refuses one with more."""

NOT_TAKEN = mark_text("it was not taken; check the address, and whether its service works")
"""What others than the owner are told of a failure: what a library says may quote what it has seen of this machine."""


@dataclass(frozen=True)
class Message:
    """What is sent.

    Args:
        title: What it is about.
        body: When that is.
        tag: The same for every copy of it.
        buttons: What can be done about it: the word on each, and its path below the server's address.
        site: That address, as a phone reaches it; empty if nobody has said.
    """

    title: str
    body: str
    tag: str = ""
    buttons: Sequence[tuple[str, str]] = ()
    site: str = ""


def make_test() -> Message:
    """Return a message that shows how reminders arrive."""
    return Message(_("A test of ana's reminders"), _("They will arrive like this."))


def send(address: str, message: Message, kinds: Sequence[str] | None = None) -> str:
    """Send a message, and wait for that so long at most.

    Args:
        kinds: The kinds that whoever set the address may use; None for the owner, who may use all of them.

    Returns:
        Why it was not delivered, without any secret; empty if it was.
    """
    if kinds is not None and (fault := find_fault(address, kinds)):
        return fault
    answers: Queue[str] = Queue()
    # a daemon: a receiver that never ends its answer must not keep the program from ending
    Thread(target=_answer, args=(answers, address, message, kinds), name="send", daemon=True).start()
    try:
        reason = answers.get(timeout=SECONDS)
    except Empty:
        return _("it did not answer within {n:.0f} seconds").format(n=SECONDS)
    for secret in choose_secrets(list_secret_parts(address)):
        reason = reason.replace(secret, HIDDEN)
    return shorten(reason, LONGEST_REASON)


def _answer(answers: "Queue[str]", address: str, message: Message, kinds: Sequence[str] | None) -> None:
    try:
        answers.put(_send(address, message, kinds))
    finally:
        answers.put("it could not be sent, in a way that was not foreseen")


def _send(address: str, message: Message, kinds: Sequence[str] | None) -> str:
    reach_as(kinds)
    if read_kind(address) == KIND:
        return push(address, message.title, message.body, message.tag, message.buttons)
    return _send_by_apprise(address, message, is_owner=kinds is None)


def _send_by_apprise(address: str, message: Message, *, is_owner: bool) -> str:
    from apprise import Apprise, AppriseAsset, NotifyFormat

    log = logging.getLogger("apprise")
    log.propagate = False  # it quotes addresses; what went wrong is returned
    # without a time of its own: it would wait in a thread that keeps the program from ending
    asset = AppriseAsset(app_id="ana", app_desc="ana", service_timeout=0, async_mode=False, http_redirects=is_owner)
    address, body = _add_buttons(address, message)
    service: Any = Apprise.instantiate(address, asset=asset)
    if service is None:
        return _("Apprise does not understand the address, or needs a package for it that is not installed")
    if message.tag and isinstance(headers := getattr(service, "headers", None), dict):
        headers[TAG] = message.tag
    result = Apprise(service, asset=asset).notify(body, title=message.title, body_format=NotifyFormat.TEXT)
    if result:
        return ""
    told = [entry.message for entry in result.logs()] if is_owner else []
    return told[-1] if told else NOT_TAKEN


def _add_buttons(address: str, message: Message) -> tuple[str, str]:
    """Return an address and a text with the buttons: ntfy's own, or links in a mail; other kinds have none."""
    links = [(word, message.site + path) for word, path in message.buttons] if message.site else []
    kind = read_kind(address)
    if links and kind in ("ntfy", "ntfys"):
        actions = "; ".join(f"http, {word}, {url}, method=POST, clear=true" for word, url in links[:MOST_NTFY])
        return f"{address}{'&' if '?' in address else '?'}actions={quote(actions)}", message.body
    if links and kind in ("mailto", "mailtos"):
        return address, "\n".join([message.body, "", *(f"{word}: {url}" for word, url in links)])
    return address, message.body
