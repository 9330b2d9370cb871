"""Ids of items: short, because models garble long ones."""

import base64
import secrets


def new_id() -> str:
    """Return a random item id: 8 characters of lower-case base32 (40 bits)."""
    return short_id(secrets.token_bytes(5))


def short_id(entropy: bytes) -> str:
    """Return the item id that 5 bytes spell."""
    return base64.b32encode(entropy[:5]).decode().lower()  # 40 bits are exactly 8 characters, without padding
