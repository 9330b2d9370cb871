"""Leases: a turn holds one on its conversation, and everything that it writes in a database is checked by it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Token = tuple[int, int]
"""A lease of this person, and its number, of which it has another each time that it is taken."""

tokens: ContextVar[tuple[Token, ...]] = ContextVar("tokens", default=())
"""The leases that this code works under; none where only locks of this machine keep others out."""


def work_under(token: Token | None) -> None:
    """From now on, make a lease, if there is one, check every write in this context."""
    if token is not None:
        tokens.set((*tokens.get(), token))


@contextmanager
def working_under(token: Token | None) -> Iterator[None]:
    """Make a lease, if there is one, check every write in the context."""
    before = tokens.set(tokens.get())
    work_under(token)
    try:
        yield
    finally:
        tokens.reset(before)
