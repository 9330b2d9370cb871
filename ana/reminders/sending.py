"""Sending a message to an address by Apprise, which is loaded for the first message."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from typing import Any
from urllib.parse import quote

from ana.addresses import MAIL, NTFY, find_fault, find_ntfy_server, list_secret_parts, read_kind
from ana.logs import HIDDEN, choose_secrets
from ana.output import shorten
from ana.reach import reach_as
from ana.reminders.buttons import PATH
from ana.reminders.push import KIND, push
from ana.translation import _, mark_text

SECONDS = 15.0
"""How long sending a message may take, whatever its receiver does."""

TAG = "X-Ana-Reminder"
"""The header by which a receiver recognizes a copy of a message, for addresses with headers."""

LONGEST_REASON = 200
MOST_NTFY = 3
"""Most buttons of an ntfy message."""

NO_SITE = mark_text("It can be answered here once ANA_PUBLIC_URL names an address of ana that your phone reaches.")
NOT_TAKEN = mark_text("the service refused it; check the address, and whether the service works")
"""The error shown to people other than the owner, because a library's message may quote data of this machine."""


@dataclass(frozen=True)
class Message:
    """A message.

    Args:
        title: Its subject.
        body: Its time.
        tag: A value that is the same for every copy of it.
        buttons: The label of each button, and its path below the server's address.
        site: The server's address for a phone; empty if not set.
        topic: The ntfy topic that receives the buttons if `site` is empty.
    """

    title: str
    body: str
    tag: str = ""
    buttons: Sequence[tuple[str, str]] = ()
    site: str = ""
    topic: str = ""


def make_test() -> Message:
    """Return a message that shows how reminders arrive."""
    return Message(_("A test of ana's reminders"), _("Reminders will arrive like this."))


def send(address: str, message: Message, kinds: Sequence[str] | None = None) -> str:
    """Send a message, and wait for a limited time.

    Args:
        kinds: The allowed kinds of addresses; None for the owner, who may use all.

    Returns:
        Why it was not delivered, without secrets; empty on success.
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
        answers.put("it could not be sent, for an unexpected reason")


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
    messages = [entry.message for entry in result.logs()] if is_owner else []
    return messages[-1] if messages else NOT_TAKEN


def _add_buttons(address: str, message: Message) -> tuple[str, str]:
    """Return an address and a text with the buttons: as ntfy buttons or links in a mail; other kinds have none."""
    kind = read_kind(address)
    if kind in NTFY and (pressed := [*_list_actions(address, message)]):
        return f"{address}{'&' if '?' in address else '?'}actions={quote('; '.join(pressed))}", message.body
    if kind in MAIL and message.buttons:
        links = [f"{word}: {message.site}{path}" for word, path in message.buttons] if message.site else [_(NO_SITE)]
        return address, "\n".join([message.body, "", *links])
    return address, message.body


def _list_actions(address: str, message: Message) -> Iterator[str]:
    """Yield the buttons for ntfy: each calls ana's server or, without its address, publishes to the topic that ana
    reads.
    """
    server = find_ntfy_server(address)
    for word, path in message.buttons[:MOST_NTFY]:
        if message.site:
            yield f"http, {word}, {message.site}{path}, method=POST, clear=true"
        elif server and message.topic:
            body = path.removeprefix(PATH)
            yield f"http, {word}, {server}/{message.topic}, method=POST, body={body}, clear=true"
