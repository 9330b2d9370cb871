"""The examples in docs/studio.md."""

import re

from ana.settings import PROJECT

README_URL = "http://127.0.0.1:2024"
"""Where the examples look for the server."""


def read_example(language: str) -> str:
    """Return the only example in a language."""
    (example,) = re.findall(rf"```{language}\n(.*?)```", (PROJECT / "docs" / "studio.md").read_text(), re.DOTALL)
    assert README_URL in example
    return str(example)
