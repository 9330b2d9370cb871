"""Text in Telegram's format: a few tags, everything else escaped, in messages of the allowed length."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape, unescape
from textwrap import wrap

from markdown_it.token import Token

from ana.output import escape_controls
from app.show.markdown import LONGEST as MOST_READ
from app.show.markdown import find_reader

LONGEST = 4096
"""Most UTF-16 units of a message."""

_CUT = 2000
"""Characters of a part of a split block: each has at most two UTF-16 units."""

_TAGS = {"heading": "b", "strong": "b", "em": "i", "blockquote": "blockquote", "table": "pre"}
_CELLS = dict.fromkeys(("td_open", "th_open"), "| ") | dict.fromkeys(("td_close", "th_close"), " ")
_BREAKS = dict.fromkeys(("softbreak", "hardbreak", "tr_close", "paragraph_close"), "\n")
_SIGNS = {"hr": "———", **_CELLS, **_BREAKS}
"""Replacement for a token without text."""

_MARKUP = re.compile(r"</?[a-z]+>")


def plain(text: str) -> str:
    """Return a text with all markup escaped."""
    return escape(escape_controls(text), quote=False)


def draw_text(text: str) -> list[str]:
    """Return the paragraphs, lists and tables of an answer, each as HTML."""
    if len(text) > MOST_READ:
        return [plain(text)]
    blocks, depth, block = [], 0, list[Token]()
    for token in find_reader().parse(text):
        block.append(token)
        depth += token.nesting
        if depth == 0:
            blocks.append("".join(_draw(block)).strip("\n"))
            block = []
    return [block for block in blocks if block]


def split_messages(blocks: Iterable[str]) -> list[str]:
    """Return blocks of HTML as messages of whole blocks; a block that is too long is split, without markup."""
    messages = [""]
    for block in blocks:
        for part in [block] if _measure(block) <= LONGEST else _cut(block):
            joined = f"{messages[-1]}\n\n{part}".lstrip("\n")
            if _measure(joined) <= LONGEST:
                messages[-1] = joined
            else:
                messages.append(part)
    return [message for message in messages if message]


def strip_markup(html: str) -> str:
    """Return the visible text of HTML."""
    return unescape(_MARKUP.sub("", html))


def _draw(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the HTML of tokens. Telegram has no lists and tables, so characters replace them."""
    numbers: list[int] = []
    """The next number in each open list; -1 in lists without numbers."""
    for token in tokens:
        name, _, edge = token.type.rpartition("_")
        if name in ("bullet_list", "ordered_list") and edge == "open":
            numbers.append(int(token.attrs.get("start", 1)) if name == "ordered_list" else -1)
        elif name in ("bullet_list", "ordered_list"):
            numbers.pop()
        elif token.type == "list_item_open":
            sign = "•" if numbers[-1] < 0 else f"{numbers[-1]}."
            numbers[-1] += numbers[-1] >= 0
            yield f"{'   ' * (len(numbers) - 1)}{sign} "
        elif edge in ("open", "close") and (tag := _TAGS.get(name)):
            yield f"<{'/' if edge == 'close' else ''}{tag}>"
        elif token.type in ("fence", "code_block"):
            yield f"<pre>{plain(token.content)}</pre>\n"
        elif token.type == "code_inline":
            yield f"<code>{plain(token.content)}</code>"
        elif token.type == "inline":
            yield from _draw(token.children or [])
        else:
            yield _SIGNS.get(token.type) or plain(token.content)


def _measure(html: str) -> int:
    return len(html.encode("utf-16-le")) // 2


def _cut(html: str) -> Iterator[str]:
    lines = strip_markup(html).split("\n")
    pieces = (piece for line in lines for piece in wrap(line, _CUT, drop_whitespace=False) or [""])
    part = ""
    for piece in pieces:
        if part and len(part) + len(piece) >= _CUT:
            yield plain(part)
            part = ""
        part = f"{part}\n{piece}" if part else piece
    yield plain(part)
