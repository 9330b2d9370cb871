"""Texts in a form that PostgreSQL can store and compare."""

import hashlib
import json

LONGEST = 400
"""How many characters of a name are kept as they are: an entry of a B-tree ends at 2.7 kB."""


def to_name(text: str) -> str:
    """Return a text in ASCII, equal for equal texts only; the beginning of a long text is kept."""
    escaped = json.dumps(text)[1:-1]  # also NUL and half a surrogate pair, which no column of text takes
    if len(escaped) <= LONGEST:
        return escaped
    return f"{escaped[:LONGEST]}#{hashlib.sha256(escaped.encode()).hexdigest()}"


def from_name(name: str) -> str:
    """Return the text of a name; for a long text, whose end is lost, return the name itself."""
    return str(json.loads(f'"{name}"'))
