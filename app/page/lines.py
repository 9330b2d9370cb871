"""Texts as the page shows them: what nobody sees as escapes, each value in a line of ours as an element, answers."""

import re
from typing import Any

from markupsafe import Markup, escape

from ana.output import escape_controls
from app.show.markdown import LONGEST, find_reader

_QUOTED = re.compile("“[^“”]*”")


def show(value: Any) -> Any:
    """Return a value as a template shows it. Markup, such as the content of a field, stays as it is."""
    return escape_controls(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def draw_line(line: str) -> Markup:
    """Return one of ana's lines as HTML: whatever direction a value is written in, nothing around it moves."""
    return Markup(_QUOTED.sub(r'<bdi class="value">\g<0></bdi>', str(escape(escape_controls(line)))))


def draw_receipt(line: str) -> Markup:
    """Return a receipt as a paragraph, with its sign as an element."""
    sign, _, rest = line.partition(" ")
    if len(sign) != 1:
        return Markup('<p class="receipt">{}</p>').format(draw_line(line))
    shown = Markup('<p class="receipt" data-sign="{}"><span class="sign">{}</span> {}</p>')
    return shown.format(sign, sign, draw_line(rest))


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
