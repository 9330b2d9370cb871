"""Sending a message to an address, by Apprise, which is loaded when the first one is sent."""

import logging
import os
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import PurePath
from queue import Empty, Queue
from threading import Thread
from typing import Any

from ana.addresses import PRIVATE, find_fault, list_secret_parts, read_kind
from ana.logs import HIDDEN, choose_secrets
from ana.output import shorten
from ana.reminders.push import KIND, push

SECONDS = 15.0
"""How long a message may take, whatever its receiver does."""

TAG = "X-Ana-Reminder"
"""The header by which a receiver can tell that a message is a copy, where an address has headers."""

LONGEST_REASON = 200
NOT_TAKEN = "it was not taken; check the address, and whether its service works"
"""What others than the owner are told of a failure: what a library says may quote what it has seen of this machine."""

_GLOBAL_UNICAST = ip_network("2000::/3")
_NETRC = (".netrc", "_netrc")


@dataclass(frozen=True)
class Message:
    """What is sent.

    Args:
        title: What it is about.
        body: When that is.
        tag: The same for every copy of it.
    """

    title: str
    body: str
    tag: str = ""


TEST = Message("A test of ana's reminders", "They will arrive like this.")

_kinds: ContextVar[Sequence[str] | None] = ContextVar("kinds", default=None)
"""What another person than the owner may use, while a message of theirs is sent."""


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
        return f"it did not answer within {SECONDS:.0f} seconds"
    for secret in choose_secrets(list_secret_parts(address)):
        reason = reason.replace(secret, HIDDEN)
    return shorten(reason, LONGEST_REASON)


def _answer(answers: "Queue[str]", address: str, message: Message, kinds: Sequence[str] | None) -> None:
    try:
        answers.put(_send(address, message, kinds))
    finally:
        answers.put("it could not be sent, in a way that was not foreseen")


def _send(address: str, message: Message, kinds: Sequence[str] | None) -> str:
    if kinds is not None:
        _guard()
        _kinds.set(kinds)
    if read_kind(address) == KIND:
        return push(address, message.title, message.body, message.tag)
    return _send_by_apprise(address, message, is_owner=kinds is None)


def _send_by_apprise(address: str, message: Message, *, is_owner: bool) -> str:
    from apprise import Apprise, AppriseAsset, NotifyFormat

    log = logging.getLogger("apprise")
    log.propagate = False  # it quotes addresses; what went wrong is returned
    # without a time of its own: it would wait in a thread that keeps the program from ending
    asset = AppriseAsset(app_id="ana", app_desc="ana", service_timeout=0, async_mode=False, http_redirects=is_owner)
    service: Any = Apprise.instantiate(address, asset=asset)
    if service is None:
        return "Apprise does not understand the address, or needs a package for it that is not installed"
    if message.tag and isinstance(headers := getattr(service, "headers", None), dict):
        headers[TAG] = message.tag
    result = Apprise(service, asset=asset).notify(message.body, title=message.title, body_format=NotifyFormat.TEXT)
    if result:
        return ""
    told = [entry.message for entry in result.logs()] if is_owner else []
    return told[-1] if told else NOT_TAKEN


@cache
def _guard() -> None:
    sys.addaudithook(_refuse_for_others)  # for good: a second one would do no harm


def _refuse_for_others(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse to connect to a private address, whatever name or redirect leads there, and to read a .netrc.

    The library below Apprise looks there for a password to any host, and would send the owner's.
    """
    if event not in ("socket.connect", "socket.sendto", "open") or (kinds := _kinds.get()) is None:
        return
    if event == "open":
        if PurePath(str(arguments[0])).name in _NETRC or str(arguments[0]) == os.environ.get("NETRC"):
            raise PermissionError("this file is the owner's")
    elif PRIVATE not in kinds and not is_public(arguments[1]):
        raise PermissionError("addresses of private networks are not allowed here")


def is_public(where: object) -> bool:
    """Return whether an address of a socket is one of the public internet."""
    try:
        ip = ip_address(str(where[0]).partition("%")[0]) if isinstance(where, tuple) else None
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):  # one that stands for another, as a gateway reads it, is none of its own
        ip = ip.ipv4_mapped or ip.sixtofour or (ip if ip in _GLOBAL_UNICAST else None)
    return ip is not None and ip.is_global and not ip.is_multicast
