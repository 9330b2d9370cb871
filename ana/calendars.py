"""The calendars that a person follows, as a setting names them: a name and an address each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, SecretStr

from ana.urls import is_http, read_host

MOST = 10
"""How many one person follows."""

LONGEST_NAME = 40


@dataclass(frozen=True)
class Calendar:
    """A calendar that is followed.

    Args:
        name: What it is called here, a word.
        url: Where it is read; whoever knows that can read it.
    """

    name: str
    url: str

    @property
    def host(self) -> str:
        """The machine that it is read from."""
        return read_host(self.url)


def make_calendar(name: str, url: str) -> Calendar:
    """Return a calendar by a name in any words, and an address as programs hand it on.

    Raises:
        ValueError: It is no address of a calendar, or nothing is left of the name.
    """
    kind, colon, rest = url.strip().partition("://")
    url = f"{'https' if kind.lower() == 'webcal' else kind}{colon}{rest}"
    word = "-".join("".join(c if c.isalnum() or c in "-_." else " " for c in name).split())[:LONGEST_NAME]
    if not is_http(url):
        raise ValueError("its address begins with https:// or webcal://")
    if not word:
        raise ValueError("it has no name of letters or digits")
    return Calendar(word, url)


def read_calendars(written: SecretStr | None) -> list[Calendar]:
    """Return the calendars of a setting. Raises ValueError if one is not NAME=ADDRESS, or they are too many."""
    parts = [part.partition("=") for part in written.get_secret_value().split()] if written else []
    found = {name: make_calendar(name, url) for name, _, url in parts}
    if len(found) < len(parts) or len(found) > MOST:
        raise ValueError(f"each calendar has its own name, and {MOST} are followed at most")
    return [*found.values()]


def check_calendars(written: SecretStr) -> SecretStr:
    """Return a setting of calendars. Raises ValueError as `read_calendars` does."""
    read_calendars(written)
    return written


Calendars = Annotated[SecretStr, AfterValidator(check_calendars)]


def write_calendars(calendars: Iterable[Calendar]) -> str:
    """Return calendars as the setting holds them."""
    return " ".join(f"{each.name}={each.url}" for each in calendars)
