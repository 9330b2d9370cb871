"""The tables of english.txt, and the normalized text that they are tried on."""

import re
from pathlib import Path

from ana.patterns import LatePattern, compile_later

_TABLES = Path(__file__).with_name("english.txt").read_text(encoding="utf-8")
_PART = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|\{(\w+)\}|([^\s\[\](){}]+)")


def read_rows(section: str, glue: str = "") -> list[tuple[str, str]]:
    """Return the rows of a section, each as its name and the text after the colon."""
    body = re.sub(r"^#.*\n", "", _TABLES.split(f"\n[{section}]\n")[1].partition("\n[")[0], flags=re.M)
    return [
        (name, rest) for name, _, rest in (row.partition(": ") for row in body.replace("\n  ", glue).split("\n") if row)
    ]


def read_words(name: str) -> list[str]:
    """Return a list of words."""
    return dict(read_rows("words", glue=" "))[name].split()


def read_pairs(name: str) -> dict[str, str]:
    """Return the words that stand for another, written other:word,word, each with that other."""
    return {
        word: other for other, _, each in (pair.partition(":") for pair in read_words(name)) for word in each.split(",")
    }


def read_patterns(section: str) -> dict[str, LatePattern]:
    """Return the patterns of a section, by name."""
    return {name: compile_later(_fill_names(pattern), re.I) for name, pattern in read_rows(section)}


def read_forms(section: str) -> list[tuple[str, LatePattern]]:
    """Return the forms of a section, each as its name and its pattern, which matches a sentence after a space."""
    return [
        (name, compile_later("".join(map(_compile_part, _PART.findall(form))) + "[.!? ]*$", re.I))
        for name, form in read_rows(section)
    ]


def _compile_part(part: tuple[str, str, str, str]) -> str:
    some, one, slot, word = part
    if slot:
        return rf" (?P<{slot}>\S.*?)"
    if re.fullmatch(r"[A-Z_]{2,}", word) and word not in _NAMES:
        raise ValueError(f"english.txt names {word} in a form, and nothing in [names].")
    other = _fill_names(_NAMES.get(word, word if word[:1] in ":,?" else f" {word}"))
    return f"(?: (?:{some}))*" if some else f" (?:{one})" if one else other


def _fill_names(pattern: str) -> str:
    return re.sub(r"<([A-Z]+)>", lambda name: _NAMES[name[1]], pattern)


_NAMES = dict(read_rows("names"))
PATTERNS = read_patterns("patterns")
"""Patterns for one trait of a text each, by name."""

VERBS = frozenset(read_words("verbs"))
_TYPOS = dict(pair.split(":") for pair in read_words("typos"))
_OFTEN_MISSPELT = read_words("spelt")


def normalize(text: str) -> str:
    """Return the text in one line without politeness, its frequent misspellings corrected."""
    text = re.sub(r"\s*\n\s*", "; ", text.translate(str.maketrans("‘’“”", "''\"\"")).strip())
    text = re.sub(r" @ (?=\d)", " at ", re.sub(r"\s+", " ", text))
    text = re.sub(r"\b(me|need|have|want) 2 (?=[a-z])", r"\1 to ", text, flags=re.I)
    text = re.sub(r"(?<![#@/\w])[\w']+", lambda match: _correct(match[0]), text)
    if re.match(r"(?:[\w ]+[,!.] )?(?:can|could|would|will) you\b", text, re.I):
        text = text.rstrip("? ")  # an order, however polite
    text = re.sub(r",? ?\bplease\b(?! )|\bplease\b,? ", "", text, flags=re.I) or text
    for _ in range(3):  # politeness comes in layers: "hi, could you maybe"
        shorter = PATTERNS["trailing"].sub("", PATTERNS["leading"].sub("", text))
        text = shorter if re.search(r"\w", shorter) else text
    return expand_contraction(text)


def expand_contraction(text: str) -> str:
    """Return the sentence with its first verb written out: I'm, I've."""
    return re.sub(r"^(i|we)'m\b", r"\1 am", re.sub(r"^(i|we)'ve\b", r"\1 have", text, flags=re.I), flags=re.I)


def _correct(word: str) -> str:
    low = word.lower()
    if low in _TYPOS or len(low) < 5 or low in _OFTEN_MISSPELT:
        return _TYPOS.get(low, word).replace("_", " ")
    # the first and last letters of a slip are mostly right; without them too many words are alike
    near = (right for right in _OFTEN_MISSPELT if right[0] == low[0] and right[-1] in low[-2:])
    return next((right for right in near if _is_one_slip(*sorted((low, right), key=len))), word)


def _is_one_slip(short: str, long: str) -> bool:
    """Two letters swapped, or one left out or doubled."""
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(1, len(long) - 1))
