"""The tables of english.txt, and the plain text that they are tried on."""

import re
from pathlib import Path

_TABLES = Path(__file__).with_name("english.txt").read_text(encoding="utf-8")
_PART = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|\{(\w+)\}|([^\s\[\](){}]+)")


def rows(section: str, glue: str = "") -> list[tuple[str, str]]:
    """The rows of a section, each as its name and what stands behind the colon."""
    body = re.sub(r"^#.*\n", "", _TABLES.split(f"\n[{section}]\n")[1].partition("\n[")[0], flags=re.M)
    return [
        (name, rest) for name, _, rest in (row.partition(": ") for row in body.replace("\n  ", glue).split("\n") if row)
    ]


def words(name: str) -> list[str]:
    """A list of words."""
    return dict(rows("words", glue=" "))[name].split()


def pairs(name: str) -> dict[str, str]:
    """A list of words that stand for another, written other:word,word; each by itself."""
    return {word: other for other, _, each in (pair.partition(":") for pair in words(name)) for word in each.split(",")}


def patterns(section: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a section, by name."""
    return {name: re.compile(_filled(pattern), re.I) for name, pattern in rows(section)}


def forms(section: str) -> list[tuple[str, re.Pattern[str]]]:
    """The forms of a section, each as its name and its pattern, which matches a sentence with a space before it."""
    return [
        (name, re.compile("".join(map(_part, _PART.findall(form))) + "[.!? ]*$", re.I)) for name, form in rows(section)
    ]


def _part(part: tuple[str, str, str, str]) -> str:
    some, one, slot, word = part
    if slot:
        return rf" (?P<{slot}>\S.*?)"
    if re.fullmatch(r"[A-Z_]{2,}", word) and word not in _NAMES:
        raise ValueError(f"english.txt names {word} in a form, and nothing in [names].")
    other = _filled(_NAMES.get(word, word if word[:1] in ":,?" else f" {word}"))
    return f"(?: (?:{some}))*" if some else f" (?:{one})" if one else other


def _filled(pattern: str) -> str:
    return re.sub(r"<([A-Z]+)>", lambda name: _NAMES[name[1]], pattern)


_NAMES = dict(rows("names"))
LIKE = patterns("patterns")
"""What a text is like, by name."""

VERBS = frozenset(words("verbs"))
_TYPOS = dict(pair.split(":") for pair in words("typos"))
_SPELT = words("spelt")


def plain(text: str) -> str:
    """The text in one line without politeness, its frequent misspellings corrected."""
    text = re.sub(r"\s*\n\s*", "; ", text.translate(str.maketrans("‘’“”", "''\"\"")).strip())
    text = re.sub(r" @ (?=\d)", " at ", re.sub(r"\s+", " ", text))
    text = re.sub(r"\b(me|need|have|want) 2 (?=[a-z])", r"\1 to ", text, flags=re.I)
    text = re.sub(r"(?<![#@/\w])[\w']+", lambda match: _spelt(match[0]), text)
    if re.match(r"(?:[\w ]+[,!.] )?(?:can|could|would|will) you\b", text, re.I):
        text = text.rstrip("? ")  # an order, however polite
    text = re.sub(r",? ?\bplease\b(?! )|\bplease\b,? ", "", text, flags=re.I) or text
    for _ in range(3):
        shorter = LIKE["trailing"].sub("", LIKE["leading"].sub("", text))
        text = shorter if re.search(r"\w", shorter) else text
    return whole(text)


def whole(text: str) -> str:
    """A sentence whose first verb is not contracted: I'm, I've."""
    return re.sub(r"^(i|we)'m\b", r"\1 am", re.sub(r"^(i|we)'ve\b", r"\1 have", text, flags=re.I), flags=re.I)


def _spelt(word: str) -> str:
    low = word.lower()
    if low in _TYPOS or len(low) < 5 or low in _SPELT:
        return _TYPOS.get(low, word).replace("_", " ")
    near = (right for right in _SPELT if right[0] == low[0] and right[-1] in low[-2:])
    return next((right for right in near if _is_one_slip(*sorted((low, right), key=len))), word)


def _is_one_slip(short: str, long: str) -> bool:
    """Two letters swapped, or one left out or doubled."""
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(1, len(long) - 1))
