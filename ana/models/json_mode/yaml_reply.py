"""A decision written as YAML: block style, every scalar the text that was sent."""

import re
from typing import Any

from ana.models.json_mode.decision import Candidate, FailedAttempt
from ana.models.json_mode.segments import mark_all_text
from ana.models.json_mode.shapes import ResolveName, find_decisions
from ana.models.lenient_json import build_object
from ana.plain_yaml import check_yaml

LONGEST = 20_000
_BEGIN = re.compile(
    r"\A(?P<fence>```+(?:ya?ml)?[ \t]*\r?\n)?(?:tool|final):(?:[ \t]*\r?\n[ \t]+\w|[ \t]+\w+[ \t]*\r?\n)"
)


def read_yaml_decisions(text: str, resolve: ResolveName) -> list[Candidate] | None:
    """Return the decisions of a reply that is YAML as a whole; None when it is not."""
    begun = _BEGIN.match(text)
    if begun is None or len(text) > LONGEST:
        return None
    body, closed, rest = text[len(begun["fence"] or "") :].partition("```")
    if rest.strip():
        return None
    found = find_decisions(_parse(body), resolve)
    if found and begun["fence"] and not closed:
        return [FailedAttempt("truncated", "The reply was cut short.")]
    return list(mark_all_text(found)) or None


def _parse(body: str) -> Any:
    import yaml

    try:
        check_yaml(body)
        return _to_value(yaml.compose(body, Loader=yaml.BaseLoader))
    except (yaml.YAMLError, ValueError):
        return None


def _to_value(node: Any) -> Any:
    """The value of a node. PyYAML's own constructor would keep the last of two equal keys."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return build_object([(str(key.value), _to_value(value)) for key, value in node.value])
    if isinstance(node, yaml.SequenceNode):
        return [_to_value(value) for value in node.value]
    return node.value if node is not None else None
