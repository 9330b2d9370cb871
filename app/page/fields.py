"""Values of any shape as fields of a form, in words, and the edited fields as values again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from starlette.datastructures import FormData

from ana.errors import UserError
from ana.memory.few_words import call_property
from ana.output import escape_controls, quote
from ana.time.repeats import DATE_KEYS
from ana.translation import _
from ana.values import Json, read_json

LONG = 60
"""Characters from which on a text has a field of several lines."""


@dataclass(frozen=True)
class Field:
    """A value in a form.

    Args:
        name: Its path, from the outermost name on: properties.due_date.
        label: Its label for people.
        written: The text in the field.
        hint: How to write the value, if that is not obvious.
    """

    name: str
    label: str
    written: str
    hint: str

    @property
    def is_long(self) -> bool:
        """Whether its field has several lines."""
        return len(self.written) > LONG or "\n" in self.written


def list_fields(values: Mapping[str, Json]) -> list[Field]:
    """Return a field for each value, including the values in nested objects."""
    return [_describe(path, value) for path, value in _walk(values, "")]


def fill_fields(fields: list[Field], form: FormData, prefix: str) -> list[Field]:
    """Return fields with the texts of a submitted form in place of the old ones."""
    return [replace(each, written=read_written(form, prefix + each.name, each.written)) for each in fields]


def read_fields(values: Mapping[str, Json], form: FormData, prefix: str, place: str = "") -> dict[str, Json]:
    """Return the values from the fields of a form; an emptied field is left out.

    Raises:
        UserError: One of them cannot be read.
    """
    read: dict[str, Json] = {}
    for name, value in values.items():
        path = f"{place}{name}"
        if isinstance(value, Mapping) and value:
            if inner := read_fields(value, form, prefix, f"{path}."):
                read[name] = inner
            continue
        shown = _describe(path, value).written
        written = read_written(form, prefix + path, shown)
        if written == shown:
            read[name] = value
        elif written.strip():
            read[name] = _read_value(written, value, call_property(name))
    return read


def read_new(written: str) -> Json:
    """Return the value of a text whose type is not given: a number, or a text."""
    try:
        value = read_json(written)
    except ValueError:
        return written
    return value if isinstance(value, int | float) else written


def _walk(values: Mapping[str, Json], place: str) -> Iterator[tuple[str, Json]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _walk(value, f"{place}{name}.")
        else:
            yield f"{place}{name}", value


def _describe(path: str, value: Json) -> Field:
    label = ": ".join(map(call_property, path.removeprefix("properties.").split(".")))
    is_date = path.rpartition(".")[2] in DATE_KEYS
    hint = _("a day, with a time or not, or words such as next tuesday") if is_date else ""
    if _is_plain(value):
        return Field(path, label, value, hint)
    if _is_plain_list(value):
        return Field(path, label, ", ".join(value), _("with commas between them"))
    return Field(path, label, json.dumps(value, ensure_ascii=_has_hidden(value)), "")


def _is_plain(value: Json) -> TypeGuard[str]:
    """Return whether a value is a text without hidden characters; any other value is written with escapes."""
    return isinstance(value, str) and not _has_hidden(value)


def _has_hidden(value: Json) -> bool:
    written = json.dumps(value, ensure_ascii=False)
    return escape_controls(written) != written


def _is_plain_list(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(_is_plain(each) and each and "," not in each for each in value)


def read_written(form: FormData, name: str, shown: str) -> str:
    """Return the text of a field; the shown one if the form has no such field."""
    return str(form.get(name, shown)).replace("\r\n", "\n")


def _read_value(written: str, was: Json, label: str) -> Json:
    if _is_plain(was):
        return written
    if _is_plain_list(was):
        return [each for part in written.split(",") if (each := part.strip())]
    try:
        value: Json = read_json(written)
    except ValueError as exc:
        message = _("{label}: {written} cannot be read.").format(label=label, written=quote(written, 40))
        raise UserError(message, _("It is written as {value} is.").format(value=json.dumps(was))) from exc
    return value
