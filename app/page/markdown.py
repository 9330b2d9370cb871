"""Answers as HTML: paragraphs, lists, emphasis, code and tables of Markdown, and nothing else.

An answer may quote what anybody stored. So it has no links, no pictures and no markup: those stay as they were written.
"""

from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

from ana.output import escape_controls

LONGEST = 20_000
"""Characters of a text that are read as Markdown; a longer one stays as it is."""


def draw_text(text: str) -> Markup:
    """Return an answer as HTML."""
    text = escape_controls(text)
    if len(text) > LONGEST:
        return Markup("<pre>{}</pre>").format(text)
    reader, env = _reader(), dict[str, Any]()
    tokens = reader.parse(text, env)
    for token in tokens:
        if token.type.startswith("heading"):  # the page's own headings are its outline
            token.tag = "p"
            token.attrSet("class", "heading")
        if token.attrs.pop("style", ""):  # of a column that is aligned; no style may stand in the page
            token.attrSet("class", "aligned")
    return Markup(reader.renderer.render(tokens, reader.options, env))


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return reader.disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
