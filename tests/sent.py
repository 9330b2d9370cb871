"""Messages as a model was sent them."""

import re

_NOW = re.compile(r"<now (\w+)>\n.*?\n</now \1>\n\n", re.DOTALL)
_RECORDED = re.compile(r"\A\[recorded \w{8}: [^\]\n]*\]\n")


def typed(text: str) -> str:
    """Return what the person typed of a message: without what the model is told before it."""
    return _NOW.sub("", _RECORDED.sub("", text), count=1)
