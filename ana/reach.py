"""Limits of the network for people other than the owner: the public internet, without the owner's passwords."""

import os
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import PurePath
from typing import Any

from ana.addresses import PRIVATE

_GLOBAL_UNICAST = ip_network("2000::/3")
_NETRC = (".netrc", "_netrc")

_kinds: ContextVar[Sequence[str] | None] = ContextVar("kinds", default=None)
"""What another person than the owner may use, while something is sent or read for them."""


def reach_as(kinds: Sequence[str] | None) -> None:
    """Limit the addresses that this thread or task can reach from now on.

    Args:
        kinds: The kinds of addresses that the person may use; without PRIVATE no private network. None for the owner,
            who may use all.
    """
    if kinds is not None:
        _guard()
    _kinds.set(kinds)


@cache
def _guard() -> None:
    sys.addaudithook(_refuse_for_others)  # for good: a second one would do no harm


def _refuse_for_others(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse to connect to a private address, whatever name or redirect leads there, and to read a .netrc.

    The library that Apprise uses looks in .netrc for a password to any host, and would send the owner's.
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
