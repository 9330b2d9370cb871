"""Markdown notes as rows: the note with its front matter, and each task of its lists.

Dates and the like in a task are those of Obsidian Tasks: https://publish.obsidian.md/tasks, Tasks Emoji Format, 2026.
"""

import re
from collections.abc import Iterator

from ana.values import Json

_TASK = re.compile(r"[ \t]*[-*+] \[(.)\][ \t]+(\S.*)")
_SIGNS = {"📅": "due", "⏳": "start", "🛫": "start", "🔁": "repeats", "➕": "created"}
_SIGN = re.compile(f"([{''.join(_SIGNS)}✅❌🆔⛔🔺⏫🔼🔽⏬])\ufe0f?")
_HEAD = re.compile(r"(?:---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z))?(?:\s*# +(\S.*)\n?)?")
"""Front matter and the first heading, if they are there."""
_QUOTES = " \"'"
_WORD = re.compile(r"\S+")


def read_notes(text: str, name: str) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the rows of a file, each with its line: the note, unless it is nothing but tasks, then its tasks.

    Args:
        name: Its title if it has none.
    """
    text = text.replace("\r\n", "\n")
    head = _HEAD.match(text)
    assert head, "each part of it may be missing"
    row = _read_front(head[1] or "")
    title = row.pop("title", "") or (head[2] or name).strip()
    body, tasks = [], []
    for number, line in enumerate(text[head.end() :].split("\n"), head[0].count("\n") + 1):
        if match := _TASK.fullmatch(line.rstrip()):
            context = {"list": title, "markdown": "task", "done": match[1].strip()}
            tasks.append((number, context | _read_task(match[2])))
        else:
            body.append(line)
    rest = "\n".join(body).strip()
    if row or rest or not tasks:
        yield 1, {"title": title, "text": rest, "markdown": "note", **row}
    yield from tasks


def _read_task(text: str) -> dict[str, Json]:
    words, *parts = _SIGN.split(text)
    signs = zip(parts[::2], parts[1::2], strict=True)
    content, tags = split_tags(words.strip(), "#")
    row: dict[str, Json] = {_SIGNS[sign]: value.strip() for sign, value in signs if sign in _SIGNS}
    return {"title": content or words.strip(), "tags": [*tags], **row}


def split_tags(text: str, sign: str) -> tuple[str, list[str]]:
    """Return a text without the tags at its end, and all tags that it has, each once: words that begin with a sign."""
    words = [*_WORD.finditer(text)]
    is_tag = [word[0].startswith(sign) and len(word[0]) > 1 for word in words]
    end = max((word.end() for word, is_one in zip(words, is_tag, strict=True) if not is_one), default=0)
    tags = (word[0][len(sign) :] for word, is_one in zip(words, is_tag, strict=True) if is_one)
    return text[:end], [*dict.fromkeys(tags)]


def _read_front(text: str) -> dict[str, str]:
    """Return the lines of front matter that are a name with a text; the parts of a list are one after another."""
    row, name = dict[str, str](), ""
    for line in text.splitlines():
        if (entry := line.strip()).startswith("- ") and name:
            row[name] += f", {entry[2:].strip(_QUOTES)}"
        elif ":" in line and not line.startswith((" ", "\t", "#")):
            name, _, value = (part.strip() for part in line.partition(":"))
            row[name] = (value[1:-1] if value.startswith("[") and value.endswith("]") else value).strip(_QUOTES)
    return {name: value.removeprefix(", ") for name, value in row.items() if value}
