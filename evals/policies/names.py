"""`python -m evals.policies.names`: write the names of days and months that the policies know, from the CLDR."""

import json

from babel import Locale

from ana.settings import PROJECT
from evals.policies.data import LANGUAGES

FILE = PROJECT / "nodes" / "policies" / "names.json"
WIDTHS = ("wide", "abbreviated")
CONTEXTS = ("format", "stand-alone")


def collect_names() -> dict[str, dict[str, list[list[str]]]]:
    """Return by language the names of each weekday, from Monday, and of each month."""
    return {language: _names_of(Locale(language)) for language in LANGUAGES}


def _names_of(locale: Locale) -> dict[str, list[list[str]]]:
    return {
        "weekdays": [_spellings(locale.days, number) for number in range(7)],
        "months": [_spellings(locale.months, number) for number in range(1, 13)],
    }


def _spellings(names: object, number: int) -> list[str]:
    found = {names[context][width][number].rstrip(".") for context in CONTEXTS for width in WIDTHS}  # type: ignore[index]  # babel's own mapping type has no parameters
    return sorted(found, key=lambda name: (-len(name), name))


def render_names() -> str:
    """Return the text of the file."""
    return json.dumps(collect_names(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(render_names(), encoding="utf-8")
