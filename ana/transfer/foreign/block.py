"""The document of the original agent-native-app: content, delimiter, properties in words."""

import re
from collections.abc import Mapping
from datetime import datetime

from ana.time.dates import weekday
from ana.values import DELIMITER, Json, Properties

_LINE = re.compile(r"(?P<name>[^\s:][^:\n]{0,63}): ?(?P<value>.*)")
_GONE = "None"
"""The text that agent-native-app wrote for a removed property."""


def split_document(document: str, properties: Mapping[str, Json]) -> tuple[str, Properties]:
    """Split a document into content and properties.

    Args:
        document: The embedded text; the part after the last delimiter is content too, unless it looks like properties.
        properties: Those of the metadata; if there are any, those of the text do not count.
    """
    content, delimiter, block = document.rpartition(DELIMITER)
    if not delimiter or not _is_block(block, properties):
        return document, dict(properties)
    return content, dict(properties) or _read_block(block)


def _is_block(block: str, properties: Mapping[str, Json]) -> bool:
    lines = block.split("\n")
    if not properties:
        return all(_LINE.fullmatch(line) for line in lines)
    begins = tuple(f"{name.replace('_', ' ')}: " for name in properties)
    inside = {line for value in properties.values() for line in str(value).split("\n")[1:]}
    return _is_start(lines[0], begins) and all(line in inside or _is_start(line, begins) for line in lines)


def _is_start(line: str, begins: tuple[str, ...]) -> bool:
    """Return whether a known or a removed property starts on this line."""
    found = _LINE.fullmatch(line)
    return line.startswith(begins) or (found is not None and found["value"] == _GONE)


def _read_block(block: str) -> Properties:
    lines = (found for line in block.split("\n") if (found := _LINE.fullmatch(line)))
    return {line["name"].replace(" ", "_"): _read_value(line["value"]) for line in lines if line["value"] != _GONE}


def _read_value(text: str) -> str:
    """Return a value as it was before its date was spelled out."""
    for form in ("%A %B %d %Y", "%A %B %d %Y at %I:%M %p"):
        try:
            moment = datetime.strptime(text, form)
        except ValueError:
            continue
        if text.startswith(f"{weekday(moment)} "):  # strptime takes a wrong weekday
            return moment.isoformat(timespec="minutes") if " at " in form else moment.date().isoformat()
    return text
