"""Patterns that are compiled when they are first used."""

import re

import pytest

from ana.patterns import compile_later


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    broken = compile_later("(")
    with pytest.raises(re.error):
        broken.search("text")


def test_it_does_what_a_compiled_one_does() -> None:
    late, compiled = compile_later("(?P<day>mon)day", re.IGNORECASE), re.compile("(?P<day>mon)day", re.IGNORECASE)
    for text in ("on Monday", "on MONDAY, Monday", "none"):
        assert late.findall(text) == compiled.findall(text)
        assert late.sub("x", text) == compiled.sub("x", text)
        assert late.split(text, 1) == compiled.split(text, 1)
        assert [found.span() for found in late.finditer(text)] == [found.span() for found in compiled.finditer(text)]
        for one, other in ((late.search, compiled.search), (late.match, compiled.match)):
            assert str(one(text, 3)) == str(other(text, 3))
        assert str(late.fullmatch(text, 3)) == str(compiled.fullmatch(text, 3))
