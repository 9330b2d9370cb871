"""Answers as HTML."""

from typing import Any

from markupsafe import Markup

from ana.output import escape_controls
from app.show.markdown import LONGEST, find_reader


def draw_text(text: str) -> Markup:
    """Return an answer as HTML."""
    text = escape_controls(text)
    if len(text) > LONGEST:
        return Markup("<pre>{}</pre>").format(text)
    reader, env = find_reader(), dict[str, Any]()
    tokens = reader.parse(text, env)
    for token in tokens:
        if token.type.startswith("heading"):  # the page's own headings are its outline
            token.tag = "p"
            token.attrSet("class", "heading")
        if token.attrs.pop("style", ""):  # of a column that is aligned; no style may stand in the page
            token.attrSet("class", "aligned")
    return Markup(reader.renderer.render(tokens, reader.options, env))
