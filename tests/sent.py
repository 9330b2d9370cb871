"""Messages as a model was sent them."""

import re

_NOW = re.compile(r"<now (\w+)>\n.*?\n</now \1>\n\n", re.DOTALL)


def typed(text: str) -> str:
    """Return what the person typed of a message: without what the model is told before it."""
    return _NOW.sub("", text, count=1)
