"""Texts for the page: hidden characters as escapes, each value in one of ana's lines as an element, and answers."""

import re
from typing import Any

from markupsafe import Markup, escape

from ana.output import escape_controls, quote
from ana.translation import _
from app.show.markdown import LONGEST, find_reader

_STEP = " -&gt; "
_MARKED = re.compile(f"“[^“”]*”|{_STEP}")


def show(value: Any) -> Any:
    """Return a value for a template. Markup, such as the content of a field, stays unchanged."""
    return escape_controls(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def draw_line(line: str) -> Markup:
    """Return one of ana's lines as HTML; the writing direction of a value does not affect the text around it."""
    return Markup(_MARKED.sub(_draw_mark, str(escape(escape_controls(line)))))


def _draw_mark(mark: re.Match[str]) -> str:
    return " → " if mark[0] == _STEP else f'<bdi class="value">{draw_quote(mark[0][1:-1])}</bdi>'


def draw_quote(text: str, most: int | None = None) -> str:
    """Return a text in the quotes of the page's language; if it has more than `most` characters, only the beginning."""
    return _("“{text}”").format(text=quote(text, most)[1:-1])


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
