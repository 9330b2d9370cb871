"""Addresses for messages to a person, in the form of Apprise: any part of an address may be a password or a token."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

from ana.values import split_words

_NAMES = {
    "mailto": "mail",
    "mailtos": "mail",
    "ntfys": "ntfy",
    "tgram": "Telegram",
    "pover": "Pushover",
    "webpush": "a browser",
}
PRIVATE = "private"
"""The word among ANA_NOTIFY_KINDS that allows private networks."""

NTFY = ("ntfy", "ntfys")
MAIL = ("mailto", "mailtos")
_MAIL = ("smtp", "from", "to", "cc", "reply", "name", "user", "pass", "mode")
_NTFY = ("priority", "tags", "auth")
PARAMETERS: Mapping[str, Sequence[str]] = {
    "ntfy": _NTFY,
    "ntfys": _NTFY,
    "mailto": _MAIL,
    "mailtos": _MAIL,
    "tgram": ("topic", "silent", "preview"),
    "pover": ("priority", "sound", "expire", "interval"),
    "discord": ("thread",),
    "slack": (),
    "gotify": ("priority",),
    "gotifys": ("priority",),
    "json": (),
    "jsons": (),
    "webpush": (),
}
"""The kinds that others than the owner may use, and what may stand after the question mark of each.

Apprise takes much more there: files of this machine (template, keyfile, pgppub), headers (+name), other methods, and
whether certificates are checked. None of that is another person's to say.
"""

_BETWEEN = re.compile(r"(?<![\s,])[\s,]++(?=[\w+.-]++://)|\s++")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}|localhost|[\d.]+", re.IGNORECASE)

_MAIL_ADDRESS = re.compile(r"mailtos?://([^:@/]+)(?::[^/]*)?@([\w.-]+)", re.IGNORECASE)


def check_kind(name: str) -> str:
    """Return a kind that people other than the owner may be allowed. Raises ValueError for any other."""
    if name not in (*PARAMETERS, PRIVATE):
        raise ValueError(f"others cannot use {name!r}; possible are {', '.join((*PARAMETERS, PRIVATE))}")
    return name


Kinds = Annotated[tuple[Annotated[str, AfterValidator(check_kind)], ...], BeforeValidator(split_words)]


def split_addresses(written: SecretStr | None) -> list[str]:
    """Return the addresses of a setting, which are separated by spaces or commas; an address itself may contain
    commas.
    """
    text = written.get_secret_value().strip() if written else ""
    return [part for part in _BETWEEN.split(text) if part]


def read_kind(address: str) -> str:
    """Return an address's kind as Apprise calls it, such as ntfys."""
    return address.partition("://")[0].lower()


def find_fault(address: str, kinds: Sequence[str]) -> str:
    """Return the reason for refusing an address of a person other than the owner; empty if it may be used.

    Args:
        kinds: The kinds that the owner allows.
    """
    kind = read_kind(address)
    taken = PARAMETERS.get(kind)
    if kind not in kinds or taken is None:
        return f"addresses of the kind {kind:.20} are not allowed here (ANA_NOTIFY_KINDS)"
    names = [part.partition("=")[0] for part in re.split("[&;]", address.partition("?")[2])]
    if refused := next((name for name in names if name and name not in taken), ""):
        allowed = ", ".join(taken) or "none"
        return f"the parameter {refused:.20} is not allowed in a {kind} address here (only: {allowed})"
    # twice, as Apprise does
    if "\\" in address or not unquote(unquote(address)).isprintable():
        return "the address has a backslash, or a character that cannot be seen"
    return ""


def find_ntfy_server(address: str) -> str:
    """Return the server of an ntfy address that needs no login; empty for any other address."""
    kind = read_kind(address)
    if kind not in NTFY or "@" in address or re.search("[?&](auth|token)=", address):
        return ""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if not parts.path.strip("/"):  # a topic alone
        return "https://ntfy.sh"
    return f"{'https' if kind == 'ntfys' else 'http'}://{parts.netloc}"


def name_kind(address: str) -> str:
    """Return the kind of an address, such as mail or ntfy, without any of its contents."""
    kind = read_kind(address) if "://" in address else "an address"
    return _NAMES.get(kind, kind[:20])


def list_own_mail(written: SecretStr | None) -> frozenset[str]:
    """Return the mail addresses of the accounts in a setting; a calendar entry by one of them is the person's own."""
    matches = (_MAIL_ADDRESS.match(each) for each in split_addresses(written))
    return frozenset(unquote(f"{each[1]}@{each[2]}").lower() for each in matches if each)


def list_secret_parts(address: str) -> Iterator[str]:
    """Yield an address and its parts that may be secret: all but names of machines."""
    yield address
    _, _, rest = address.partition("://")
    yield from (part for part in re.split(r"[/:@?&=#+,]+", rest) if not _DOMAIN.fullmatch(part))
