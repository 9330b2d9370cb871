"""Translation: texts for people go through `_` where the sentence is built. A catalogue has it in their language; the
source is English. `python -m evals.catalogues` keeps the catalogues up to date. Texts for models are in English.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Literal, TypeVar, get_args

Texts = TypeVar("Texts")
Language = Literal["en", "de", "es", "fr"]

LANGUAGES: Mapping[Language, str] = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
"""What each language calls itself."""

CATALOGUES = Path(__file__).parent / "catalogues"
DOMAIN = "ana"

_spoken: ContextVar[Language] = ContextVar("language", default="en")


@cache
def _load(language: Language) -> NullTranslations:
    # gettext looks for the file at each call: 0.05 to 0.1 ms for a sentence
    return NullTranslations() if language == "en" else translation(DOMAIN, CATALOGUES, [language])


def _(text: str) -> str:
    """Return a sentence in the present language; unchanged if no catalogue has it."""
    return _load(_spoken.get()).gettext(text) if text else ""


def pgettext(where: str, text: str) -> str:
    """Return ambiguous words in the present language; a context says which meaning is right."""
    return _load(_spoken.get()).pgettext(where, text)


def ngettext(one: str, many: str, n: int, **values: object) -> str:
    """Return a sentence about n things, with {n} and the other values filled in."""
    return _load(_spoken.get()).ngettext(one, many, n).format(n=n, **values)


def show_number(value: float, digits: int) -> str:
    """Return a number with this many digits after the decimal sign of the language: 0.25, in German 0,25."""
    return f"{value:.{digits}f}".replace(".", pgettext("decimal sign", "."))


def mark_text(texts: Texts) -> Texts:
    """Return a sentence, or a container of sentences, unchanged: it marks them for the catalogues, and `_` translates
    them when they are shown.

    In a dictionary the values are the sentences.
    """
    return texts


def mark_plural(one: str, many: str) -> tuple[str, str]:
    """Return both forms of a sentence unchanged, for `ngettext`."""
    return one, many


def get_language() -> Language:
    """Return the present language."""
    return _spoken.get()


def speak(language: Language) -> None:
    """Use a language from now on, in this context."""
    _spoken.set(language)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Use a language while the context is open."""
    before = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(before)


def choose_language(accepted: str) -> Language:
    """Return the language that a browser prefers among ana's, by its Accept-Language; English if none fits."""
    choices: list[tuple[float, Language]] = []
    for part in accepted.split(","):
        name, _sign, quality = part.replace(" ", "").partition(";q=")
        language = next((each for each in get_args(Language) if each == name.lower().partition("-")[0]), None)
        if language and (not quality or quality.replace(".", "", 1).isdecimal()):
            choices.append((float(quality or 1), language))
    liked = [each for each in choices if each[0] > 0]
    return max(liked, key=lambda each: each[0])[1] if liked else "en"
