"""Addresses for messages to a person, as Apprise writes them: any part of one may be a password or a token."""

import re
from collections.abc import Iterator

from pydantic import SecretStr

_NAMES = {
    "mailto": "mail",
    "mailtos": "mail",
    "ntfys": "ntfy",
    "tgram": "Telegram",
    "pover": "Pushover",
    "webpush": "a browser",
}
_BETWEEN = re.compile(r"(?<![\s,])[\s,]++(?=[\w+.-]++://)|\s++")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}|localhost|[\d.]+", re.IGNORECASE)


def split_addresses(written: SecretStr | None) -> list[str]:
    """Return the addresses of a setting, which are separated by spaces or commas; one may have commas in it."""
    text = written.get_secret_value().strip() if written else ""
    return [part for part in _BETWEEN.split(text) if part]


def read_kind(address: str) -> str:
    """Return an address's kind as Apprise calls it, such as ntfys."""
    return address.partition("://")[0].lower()


def name_kind(address: str) -> str:
    """Return what an address is, without anything that is in it: mail, ntfy."""
    kind = read_kind(address) if "://" in address else "an address"
    return _NAMES.get(kind, kind[:20])


def list_secret_parts(address: str) -> Iterator[str]:
    """Yield an address and what may be secret in it: any part but names of machines."""
    yield address
    _, _, rest = address.partition("://")
    yield from (part for part in re.split(r"[/:@?&=#+,]+", rest) if not _DOMAIN.fullmatch(part))
