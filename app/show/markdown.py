"""Markdown in answers: only paragraphs, lists, emphasis, code and tables.

An answer may quote text by anybody, so links, pictures and HTML stay plain text.
"""

from functools import cache

from markdown_it import MarkdownIt

LONGEST = 20_000
"""Most characters of Markdown; a longer text stays plain."""


@cache
def find_reader() -> MarkdownIt:
    """Return the Markdown parser for answers."""
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
    return reader.disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
