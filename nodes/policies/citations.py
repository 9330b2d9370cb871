"""Ids and line numbers that a draft cites exist in what the turn has seen."""

import re
from collections.abc import Iterator

from nodes.policies.evidence import Evidence, Violation
from nodes.policies.texts import blank_quotes, is_composed

_ID = re.compile(r"(?<![\w@/#.-])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{8}(?![\w@/-]|\.\w)", re.ASCII)
_WORD_WITH_NUMBER = re.compile(r"[a-z]+\d+|\d+[a-z]+")
"""A name somebody made up: homerun7. As an id it is one of many, and counts as one only beside ids that were found."""
_NAME = r"lines?|zeilen?|l[ií]neas?|lignes?"
_LINE = re.compile(
    rf"\b(?:{_NAME})\s+(?:no\.?\s*|nº\s*|#)?(?P<n>\d{{1,3}})\b|(?P<kanji>\d{{1,3}})\s*行目", re.IGNORECASE
)
_ASKED = re.compile(rf"\b(?:{_NAME})\b|行", re.IGNORECASE)


def citations_exist(e: Evidence) -> Violation | None:
    """Require that an id or the number of a line stands in what was asked, found or shown."""
    wrong = next(iter([*_find_ids(e), *_find_lines(e)]), None)
    if wrong is None:
        return None
    return Violation(
        "citation",
        f"It cites {wrong}, which is in no result of this turn. Look it up with query_items or in Global Context "
        "and cite what is there, or leave it out.",
        "I was going to name an entry that I cannot find.",
    )


def _find_ids(e: Evidence) -> Iterator[str]:
    cited = _ID.findall(e.draft)
    known = "\n".join(e.texts()) if cited else ""
    found = _FOUND.search(known)
    yield from (f"the id {id}" for id in cited if id not in known and (found or not _WORD_WITH_NUMBER.fullmatch(id)))


_FOUND = re.compile(r'"id": ?"')


def _find_lines(e: Evidence) -> Iterator[str]:
    """Yield the lines of Global Context that there are not; a message may be about lines of something else."""
    names_one = _ASKED.search(e.question) and not re.search(r"\d", e.question)
    is_about_another = "\n" in e.question.strip() or "```" in e.question or names_one
    if not e.lines or is_about_another or is_composed(e.draft):
        return
    known = {*e.lines, *(int(n) for n in re.findall(r"\d+", e.question))}
    known |= {int(n) for call in e.calls for n in re.findall(r'"line": ?(\d+)', call.text)}
    for match in _LINE.finditer(blank_quotes(e.draft)):
        if int(match["n"] or match["kanji"]) not in known:
            yield f"line {match['n'] or match['kanji']}"
