"""A decision written as YAML: block style, every scalar the text that was sent."""

import re
from typing import Any

from ana.models.json_mode.decision import Broken, Found
from ana.models.json_mode.segments import texted
from ana.models.json_mode.shapes import Known, decisions
from ana.models.lenient_json import joined

LONGEST = 20_000
_BEGIN = re.compile(
    r"\A(?P<fence>```+(?:ya?ml)?[ \t]*\r?\n)?(?:tool|final):(?:[ \t]*\r?\n[ \t]+\w|[ \t]+\w+[ \t]*\r?\n)"
)
_SHARED = re.compile(r"(?m)(?:^|[:\-\[,{])[ \t]*[&*]\w")


def yaml_decisions(text: str, known: Known) -> list[Found] | None:
    """The decisions of a reply that is YAML as a whole; None when it is none."""
    begun = _BEGIN.match(text)
    if begun is None or len(text) > LONGEST or _SHARED.search(text):
        return None
    body, closed, behind = text[len(begun["fence"] or "") :].partition("```")
    if behind.strip():
        return None
    found = decisions(_parsed(body), known)
    if found and begun["fence"] and not closed:
        return [Broken("truncated", "The reply was cut short.")]
    return list(texted(found)) or None


def _parsed(body: str) -> Any:
    import yaml

    try:
        return _plain(yaml.compose(body, Loader=yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError):
        return None


def _plain(node: Any) -> Any:
    """A node as a value. PyYAML's own constructor would keep the last of two equal keys."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return joined([(str(key.value), _plain(value)) for key, value in node.value])
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return node.value if node is not None else None
