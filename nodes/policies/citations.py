"""Ids and line numbers that a draft cites exist in the texts that the turn has seen."""

import re
from collections.abc import Iterator

from nodes.evidence import Evidence

_ID = re.compile(r"(?<![A-Za-z\d_@/#.-])(?=[a-z]{0,7}\d)(?=\d{0,7}[a-z])[a-z\d]{8}(?![A-Za-z\d_@/-]|\.[A-Za-z\d])")
_WORD_WITH_NUMBER = re.compile(r"[a-z]+\d+|\d+[a-z]+")
"""A name somebody made up: homerun7. As an id it is one of many, and counts as one only beside ids that were found."""
_LINE = re.compile(r"\bline (?P<n>\d{1,3})\b", re.IGNORECASE)
_ENTRY = re.compile(r"^[ \t*_-]*+line \d{1,3}[ \t*_]*+[:：]", re.IGNORECASE | re.MULTILINE)


def citations_exist(e: Evidence) -> Iterator[str]:
    """Require that an id or the number of a line occurs in the question, in a result or in the context."""
    for wrong in (*_find_ids(e), *_find_lines(e)):
        yield f"It cites {wrong}, which is in no result of this turn."


def _find_ids(e: Evidence) -> Iterator[str]:
    cited = _ID.findall(e.own_words)
    known = "\n".join(e.texts()) if cited else ""
    has_ids = '"id":' in known
    yield from (f"the id {id}" for id in cited if id not in known and (has_ids or not _WORD_WITH_NUMBER.fullmatch(id)))


def _find_lines(e: Evidence) -> Iterator[str]:
    """Yield the cited lines of Global Context that do not exist; "line" may also mean a line of a text or a tram."""
    is_named = "global context" in f"{e.draft} {e.question}".casefold()
    is_ours = is_named or any(call.tool.endswith("_context") for call in e.calls)
    if e.lines and (is_ours or _ENTRY.search(e.own_words)):
        known = {*map(str, e.lines), *re.findall(r"\d+", e.question)}
        known |= {n for call in e.calls for n in re.findall(r'"line": ?(\d+)', call.text)}
        yield from (f"line {match['n']}" for match in _LINE.finditer(e.own_words) if match["n"] not in known)
