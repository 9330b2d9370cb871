"""Arguments as `key: value` lines that a person edits: YAML, in which all values outside JSON are texts."""

import re
from collections.abc import Sequence
from typing import Any

import yaml

from ana.output import escape_controls
from ana.values import DEEP, is_deeper

BETWEEN = "---"
_SCALARS = (
    ("bool", "true|false", "tf"),
    ("null", "null|", ["n", ""]),
    ("int", "-?(?:0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", "-0123456789"),
)
"""What is no text when it is not quoted. YAML would also take a day, a time and the word no for something else."""


class _Reader(yaml.SafeLoader):
    """Reads values, but no references to other values, which could make a short text grow without end."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a * at the beginning of a value has to be quoted")
        return super().compose_node(parent, index)


class _Writer(yaml.SafeDumper):
    """Writes a text of several lines as lines."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind in (_Reader, _Writer):
    _kind.yaml_implicit_resolvers = {}
    for _name, _pattern, _first in _SCALARS:
        _kind.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(f"(?:{_pattern})$"), list(_first))


def _write_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # what nobody sees is written as the escapes of a text in quotes
    style = '"' if escape_controls(text) != text else "|" if "\n" in text else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _write_text)


def write_values(titles: Sequence[str], values: Sequence[Any]) -> str:
    """Return values as text for an editor, each below its title, with a line between them.

    Args:
        titles: A title for each, in one line.
    """
    written = [yaml.dump(each, None, _Writer, allow_unicode=True, sort_keys=False, width=10_000) for each in values]
    parts = [f"# {title}\n{escape_controls(text)}" for title, text in zip(titles, written, strict=True)]
    return f"{BETWEEN}\n".join(parts)


def read_values(text: str) -> list[Any]:
    """Return the values that a person left in the editor.

    Raises:
        ValueError: It is not YAML, or nested too deep.
    """
    try:
        values = list(yaml.load_all(text, _Reader))
    except RecursionError:
        raise ValueError(f"it is nested more than {DEEP} deep") from None
    except yaml.YAMLError as exc:
        raise ValueError(" ".join(str(exc).split())) from exc
    if is_deeper(values, DEEP):
        raise ValueError(f"it is nested more than {DEEP} deep")
    return values
