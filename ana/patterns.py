"""Regular expressions that are compiled when they are first used: a process uses few of those that its modules hold."""

import re
from functools import cached_property
from typing import Any, cast


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when it is first used; arguments and methods are those of `re.compile`."""
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))


class _LatePattern:
    def __init__(self, *source: Any) -> None:
        self._source = source

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        # kept with the object, so that the next use costs as much as a compiled pattern's
        value = self.__dict__[name] = getattr(self._compiled, name)
        return value
