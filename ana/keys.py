"""Keys that give access: a person's token, the key in the address of their calendar; and the secret that signs the
buttons under their reminders.
"""

import re
import secrets
from hashlib import sha256
from typing import Literal

from pydantic import SecretStr

PERSON = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""A person's name."""

OWNER = "owner"
"""Who has the deployment: the person who was there before there were several."""

KEY = re.compile(r"ana-(?:calendar|reminder|token)-[\w-]{43}")
"""So that every key is hidden wherever it is met, whoever's it is."""

_TOKEN = re.compile(r"[!-+\--~]{32,200}")


def make_key(kind: Literal["calendar", "reminder", "token"]) -> str:
    """Return a new key that cannot be guessed."""
    return f"ana-{kind}-{secrets.token_urlsafe(32)}"


def make_digest(key: str) -> str:
    """Return the digest that is stored instead of a key. A fast hash is enough: nobody can try 2^256 keys."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def split_tokens(written: SecretStr | None) -> list[tuple[str, str]]:
    """Return each name with its token, from ANA_API_TOKENS.

    Raises:
        ValueError: A part is not a name and a token.
    """
    text = written.get_secret_value() if written else ""
    pairs = [part.strip().partition(":")[::2] for part in text.split(",") if part.strip()]
    if not all(PERSON.fullmatch(name) and _TOKEN.fullmatch(token) for name, token in pairs):
        raise ValueError("write NAME:TOKEN, with commas between; a token has 32 to 200 characters")
    return pairs
