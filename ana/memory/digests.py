"""Fingerprints that show whether a line has changed and whether two items say the same."""

import hashlib
import json

from ana.values import Json, Properties

_LONGEST = 400
"""Canonical text longer than this is hashed, so that an index of values stays small."""


def digest_line(text: str) -> str:
    """Return a short fingerprint of a Global Context line, which changes with its text."""
    # a line may have half a surrogate pair
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def digest_content(content: str, properties: Properties) -> str:
    """Return a digest that is the same for equal properties and for texts that differ only in case, white space or a
    final full stop.
    """
    text = " ".join(content.casefold().split())
    text = text.rstrip(" .!") or text  # a text of nothing but signs keeps them
    # null is the same as a missing key
    known: Json = {key: value for key, value in properties.items() if value is not None}
    return hashlib.sha256(json.dumps([text, to_canonical_text(known)]).encode()).hexdigest()[:32]


def to_canonical_text(value: Json) -> str:
    """Return the same text for equal values, and only for them: 1 and 1.0 are equal, 1 and true are not."""
    text = _spell_out(value)
    return text if len(text) <= _LONGEST else "#" + hashlib.sha256(text.encode()).hexdigest()


def _spell_out(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():  # 1.0 is written like 1
        return str(int(value))
    if isinstance(value, list):
        return f"[{','.join(map(_spell_out, value))}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{_spell_out(value[key])}" for key in sorted(value)) + "}"
    return json.dumps(value)
