"""Regular expressions that are compiled when they are first used: a process uses few of those that its modules hold."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any


def compile_later(source: str, flags: int = 0) -> "LatePattern":
    """Return a pattern that is compiled when it is first used; arguments are those of `re.compile`."""
    return LatePattern(source, flags)


class LatePattern:
    """A pattern that is compiled when it is first used; its methods are those of `re.Pattern`."""

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.search(text, start, end)

    def match(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.match(text, start, end)

    def fullmatch(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self._compiled.fullmatch(text, start, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text)

    def findall(self, text: str) -> list[Any]:
        return self._compiled.findall(text)

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        return self._compiled.split(text, maxsplit)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self._compiled.sub(replacement, text, count)
