"""The sentences of a message, and which of them tell in plain English to store something."""

import re


def any_of(*patterns: str) -> re.Pattern[str]:
    """Join patterns into one that ignores case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_SENTENCE = re.compile(r"(?<=[.?!。？！])\s+(?=[^\W\d_]|[\"“'¿¡])|(?<=[^\W\d][.?!])\s+(?=\d)|\n+")
_FILLER = r"(?:(?:please|hey|hi|ana|also|and|then|ok(?:ay)?|so|now|(?:can|could|would|will) you)[,\s]+)*"
_ORDER = re.compile(
    rf"^{_FILLER}(?:i need you to |i want you to |make sure to )?"
    r"(?:add(?! (?:up )?\d)|create|remind|note|save|store|remember|record|log|(?:re)?schedule|put|jot|write|keep"
    r"|track|"
    r"call|book|buy|pay|mark|move|update|change|set|complete|finish|cross|tick|delete|erase|remove|drop|forget|clear|"
    r"rename|cancel|postpone|archive)\b",
    re.IGNORECASE,
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, with straight apostrophes."""
    parts = _SENTENCE.split(text.replace("’", "'").replace("‘", "'"))
    return [part.strip() for part in parts if part.strip()]


def is_order(sentence: str) -> bool:
    """Whether a sentence tells the assistant to store, change or delete something."""
    return bool(_ORDER.search(sentence))
