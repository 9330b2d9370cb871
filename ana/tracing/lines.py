"""Records as lines of JSON, in ASCII, the form in which every storage keeps them."""

import json
import logging
import re
from collections.abc import Iterator, Sequence
from typing import cast

from ana import __version__
from ana.errors import ConfigError, UserError
from ana.logs import hide_secrets
from ana.output import tell
from ana.tracing.schema import CORE, FOLLOWED, Record, find_fault
from ana.values import read_json_lines

_log = logging.getLogger(__name__)

FORMAT = 1

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
"""The id of a thread, or of a record."""


def check_id(id: str) -> str:
    """Return an id. Raises UserError if it is not an id."""
    if not ID.fullmatch(id):
        raise UserError(f"{id!r} is not an id.", "Ids are letters, digits, - and _.")
    return id


def format_line(record: Record, secrets: Sequence[str] = ()) -> str:
    """Return the line of a record, without its end and without secrets."""
    return hide_secrets(json.dumps(record, ensure_ascii=True, default=str), secrets)


def parse_lines(text: str, place: str, hint: str) -> Iterator[Record]:
    """Yield the records of lines; lines that are not records are left out.

    Args:
        text: The lines.
        place: The place of the lines, for an error.
        hint: The next step, for an error.

    Raises:
        ConfigError: A newer program wrote one.
    """
    for record in read_json_lines(text):
        if isinstance(format := record.get("format"), int) and format > FORMAT:
            raise ConfigError(
                f"The trace {place} was written by a newer ana in format {format}; this is ana {__version__}, "
                f"which reads up to {FORMAT}.",
                hint,
            )
        if isinstance(record.get("steps"), list) and not find_fault(record, CORE, CORE - {"steps"} | FOLLOWED):
            yield cast(Record, record)


def find_id(line: str, place: str, hint: str) -> str | None:
    """Return the id of the record in a line; None if the line is not a record. Arguments as of `parse_lines`."""
    id = next((record["id"] for record in parse_lines(line, place, hint)), "")
    return id if ID.fullmatch(id) else None


def tell_lost(why: str, hint: str) -> None:
    """Report that a record cannot be stored: a sentence, and the remedy."""
    text = f"{why} No record of the turn is kept."
    _log.warning(text)
    tell(f"{text} {hint}")
