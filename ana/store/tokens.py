"""The words of a text, as the lexical leg counts them."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")


def tokens(text: str) -> list[str]:
    """Every word and number in order, without case or accents: "Zürich, 14:30" is zurich 14 30."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(c for c in folded if not unicodedata.combining(c)) if not folded.isascii() else folded)
