"""A search for texts in every byte of a folder."""

import json
from collections.abc import Iterable
from pathlib import Path


def find_traces(folder: Path, texts: Iterable[str]) -> list[str]:
    """Return the files that hold a text or a word of it, whatever the case, as UTF-8 or as JSON writes it."""
    needles = {form for text in texts for part in (text, *text.split()) for form in _forms(part)}
    files = [each for each in sorted(folder.rglob("*")) if each.is_file()]
    held = {str(each.relative_to(folder)): each.read_bytes().lower() for each in files}
    return [f"{name}: {needle!r}" for name, data in held.items() for needle in sorted(needles) if needle in data]


def _forms(text: str) -> set[bytes]:
    forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], text.lower())
    return {form.encode().lower() for form in forms}
