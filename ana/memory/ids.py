"""Ids of items: short, because models garble long ones."""

import base64
import hashlib
import secrets
from collections.abc import Iterator


def make_item_id() -> str:
    """Return a random item id: 8 characters of lower-case base32 (40 bits)."""
    return spell_id(secrets.token_bytes(5))


def spell_id(entropy: bytes) -> str:
    """Return the item id that 5 bytes spell."""
    return base64.b32encode(entropy[:5]).decode().lower()  # 40 bits are exactly 8 characters, without padding


def iter_candidate_ids(key: str) -> Iterator[str]:
    """Yield ids for a new item. The first follow from the call's key: a call that runs again gets the same id."""
    seed = hashlib.sha256(key.encode()).digest() if key else b""
    yield from (spell_id(seed[i : i + 5]) for i in range(0, len(seed) - 4, 5))
    while True:  # all ids of the call are in use
        yield make_item_id()
