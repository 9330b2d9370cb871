"""Answers read as Markdown: paragraphs, lists, emphasis, code and tables, and nothing else.

An answer may quote what anybody stored. So it has no links, no pictures and no markup: those stay as they were written.
"""

from functools import cache

from markdown_it import MarkdownIt

LONGEST = 20_000
"""Characters of a text that are read as Markdown; a longer one stays as it is."""


@cache
def find_reader() -> MarkdownIt:
    """Return what reads an answer."""
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return reader.disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
