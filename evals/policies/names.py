"""`python -m evals.policies.names`: write the names of days and months that the policies know, from the CLDR."""

import json
import re
from collections.abc import Mapping
from typing import Any

from babel import Locale
from babel.core import get_cldr_version

from ana.settings import PROJECT

FILE = PROJECT / "nodes" / "policies" / "names.json"
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl", "pt", "sv", "tr", "ja")
"""Those whose days a message may name, too (`ana/time/when`). Babel gives languages after Japanese its months, too."""
SOURCE = f"Unicode CLDR {get_cldr_version()}, under the Unicode License v3; written by evals/policies/names.py"


def collect_names() -> dict[str, Any]:
    """Return where the names are from, and by language the weekdays from Monday, the months, and what marks an hour."""
    return {"source": SOURCE} | {language: _names_of(Locale(language)) for language in LANGUAGES}


def _names_of(locale: Locale) -> dict[str, str]:
    hour = re.findall(r"[^\W\dH]+", locale.datetime_skeletons["H"].pattern)
    periods = locale.day_periods["format"]["abbreviated"]
    return {
        "weekdays": _join(locale.days, range(7)),
        "months": _join(locale.months, range(1, 13)),
        "hour": "/".join([*hour, periods["am"], periods["pm"]]),
    }


def _join(names: Mapping[str, Any], numbers: range) -> str:
    """Return every form of each name, with slashes between the forms and commas between the names."""
    tables = [names[context][width] for context in ("format", "stand-alone") for width in ("wide", "abbreviated")]
    forms = [sorted({table[n].rstrip(".") for table in tables}, key=lambda name: (-len(name), name)) for n in numbers]
    return ", ".join(map("/".join, forms))


def render_names() -> str:
    """Return the text of the file."""
    return json.dumps(collect_names(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(render_names(), encoding="utf-8")
