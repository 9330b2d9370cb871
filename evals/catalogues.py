"""`make catalogues`: brings the catalogues of ana/translation.py up to date with the source, and compiles them.

New sentences come in empty and are told, to be written into each .po; unused ones go. Dates are CLDR's, by Babel, which
only this needs: what runs reads the compiled .mo.
"""

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from ana.settings import PROJECT
from ana.translation import CATALOGUES, DOMAIN, LANGUAGES

PACKAGES = ("ana", "app", "graph", "nodes")
TEMPLATES: dict[str, Any] = {"_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
"""What says a sentence in a template."""

ERRORS = ("UserError", "NotFound", "WrongReply", "NotWaiting", "ModelFailed", "ContextTooLong", "HTTPException")
"""Errors that a person is shown: a catalogue has the sentences of those that have no values in them."""

PLACES = (
    *("ana/memory", "ana/models", "ana/people", "ana/reminders", "ana/transfer", "ana/workspace", "app/answering.py"),
    *("app/following.py", "app/forgetting", "app/outcome.py", "app/page", "app/repl/", "app/routines", "app/trial.py"),
    *("app/turn.py", "app/undo.py", "app/server/answers.py", "app/server/sign_in.py", "nodes"),
)
"""Where these are raised; the others are of commands and of the API, which speak English."""

WRITTEN = datetime(2026, 12, 1, tzinfo=UTC)
"""In the head of each file: one that says nothing new is not another file."""

_LETTERS = re.compile(r"'([^']*)'|E+|c+|[ML]+|d+|y+")
_FIELDS = {"E": "{weekday}", "c": "{weekday}", "M": "{month}", "L": "{month}", "d": "{day}", "y": "{year}"}
_FORMS = {
    "{weekday} {day} {month}": "MMMEd",
    "{weekday} {day} {month} {year}": "yMMMEd",
    "{weekday} {month} {day} {year}": "yMMMMEEEEd",
    "{day} {month}": "MMMd",
    "{day} {month} {year}": "yMMMd",
    "{month} {year}": "yMMMM",
}


def read_sentences() -> Catalog:
    """Return every sentence of the source that people read, without a translation."""
    found = Catalog()
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("*.py")):
            for context, message in _read_python(path):
                found.add(message, context=context)
        for path in sorted((PROJECT / package).rglob("*.html")):
            with path.open("rb") as source:
                for _line, message, _comments, context in extract("jinja2.ext:babel_extract", source, TEMPLATES):
                    found.add(message, context=context)
    for where, names in _list_dates(Locale("en")):
        for name in names:
            found.add(name, context=where)
    return found


def _read_python(path: Path) -> Iterator[tuple[str | None, str | tuple[str, ...]]]:
    """Yield the sentences of a module, each after what it is told apart by."""
    shows_errors = str(path.relative_to(PROJECT)).startswith(PLACES)
    for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        texts = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if name == "pgettext" and len(texts) == 2:
            yield texts[0], texts[1]
        elif name in ("ngettext", "mark_plural") and len(texts) == 2:
            yield None, tuple(texts)
        elif name == "mark_text":
            yield from ((None, text) for text in _list_strings(call.args[0]))
        elif name == "Command" and path.parent.name == "repl":
            yield None, texts[1]
        elif name == "_" or (name in ERRORS and shows_errors):
            yield from ((None, text) for text in texts if text)


def _list_strings(table: ast.expr) -> Iterator[str]:
    """Yield the texts of a table, but for the names of its rows."""
    inner = [*ast.walk(table)]
    names = {key for each in inner if isinstance(each, ast.Dict) for key in each.keys}
    for each in inner:
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each not in names:
            yield each.value


def _list_dates(locale: Locale) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the names and forms of dates of a language by their context, each by the English one."""
    english = Locale("en")
    for where, kind, form, width in (
        ("weekday", "days", "format", "wide"),
        ("short weekday", "days", "format", "abbreviated"),
        ("month", "months", "stand-alone", "wide"),
        ("month in a date", "months", "format", "wide"),
        ("short month", "months", "format", "abbreviated"),
    ):
        names, others = (getattr(each, kind)[form][width] for each in (english, locale))
        yield where, {names[key]: others[key] for key in names}
    yield "date", {form: _read_form(locale, skeleton) for form, skeleton in _FORMS.items()}


def _read_form(locale: Locale, skeleton: str) -> str:
    known = locale.datetime_skeletons
    pattern = str(known[skeleton].pattern if skeleton in known else locale.date_formats["full"].pattern)
    return _LETTERS.sub(lambda found: found[1] or _FIELDS[found[0][0]], pattern)


def find_file(language: str, kind: str) -> Path:
    """Return the catalogue of a language: `po` as it is written, `mo` as it is read."""
    return CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.{kind}"


def read_catalogue(language: str) -> Catalog:
    """Return a catalogue as it is written; empty without one."""
    path = find_file(language, "po")
    if not path.exists():
        return Catalog(locale=language, domain=DOMAIN)
    with path.open("rb") as written:
        return read_po(written, locale=language, domain=DOMAIN)


def compile_catalogue(catalogue: Catalog) -> bytes:
    """Return a catalogue as it is read."""
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    return compiled.getvalue()


def bring_up_to_date(language: str, sentences: Catalog) -> list[str]:
    """Write and compile a catalogue with these sentences, and return those that have no translation."""
    catalogue = read_catalogue(language)
    catalogue.update(sentences, no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    for where, names in _list_dates(Locale(language)):
        for name, told in names.items():
            if message := catalogue.get(name, context=where):
                message.string = told
    catalogue.fuzzy, catalogue.header_comment = False, f"# {LANGUAGES[language]}"  # type: ignore[index]
    catalogue.creation_date = catalogue.revision_date = WRITTEN
    catalogue.project, catalogue.version = DOMAIN, ""
    catalogue.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    path = find_file(language, "po")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as written:
        write_po(written, catalogue, width=110, no_location=True, sort_output=True)
    find_file(language, "mo").write_bytes(compile_catalogue(read_catalogue(language)))
    return [str(each.id) for each in catalogue if each.id and not (each.string and all(each.string))]


def main() -> None:
    sentences = read_sentences()
    for language in LANGUAGES:
        if language != "en":
            missing = bring_up_to_date(language, sentences)
            print(f"{language}: {len(sentences)} sentences, {len(missing)} without a translation", *missing, sep="\n  ")


if __name__ == "__main__":
    main()
