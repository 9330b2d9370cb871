"""Property embedding: the text that is embedded for an item.

The format (content, a delimiter, one `name: value` line a property) is that of the original
agent-native-app's store; dates are spelled out because vectors cannot tell digits apart. Only the beginning of a long
text is searched, because every word costs time in the index, in the embedder and in Chroma's own index of text.
"""

import json

from ana.memory.item import Item
from ana.time.dates import day_of, spell_day
from ana.translation import _
from ana.values import DELIMITER, Json, Properties

SEARCHED = 50_000
"""Characters of a content, and of its properties in words, that are embedded and searched; the rest is kept.

With all of it a million characters of random unicode took 10 s to store, 7 to change and 4 to delete, with this 1, .7
and .4; a million of made-up words 4 s to store, and .4.
"""


def render_text(item: Item, longest: int | None = SEARCHED) -> str:
    """Return the text to embed: the content, and the delimiter and the properties if there are any.

    `longest` is the greatest number of characters of each; None for all.
    """
    words = _spell_properties(item.properties)
    return item.content[:longest] + (DELIMITER + words[:longest] if words else "")


def describe_unsearched(content: str, properties: Properties) -> str:
    """Return a sentence if only the beginning of an item's text is searched; else nothing."""
    is_long = len(content) > SEARCHED, len(_spell_properties(properties)) > SEARCHED
    sentences = {
        (True, False): _("Of its content the first {n:,} characters are searched."),
        (False, True): _("Of its properties the first {n:,} characters are searched."),
        (True, True): _("Of its content and of its properties the first {n:,} characters are searched."),
    }
    return sentences.get(is_long, "").format(n=SEARCHED)


def _spell_properties(properties: Properties) -> str:
    return "\n".join(f"{key.replace('_', ' ')}: {_spell_value(v)}" for key, v in properties.items() if v is not None)


def _spell_value(value: Json) -> str:
    if isinstance(value, str):
        day = day_of(value)
        if day is None:
            return value
        return spell_day(day) + (f" {value[11:16]}" if len(value) > 10 else "")
    if isinstance(value, list) and not any(isinstance(v, list | dict) for v in value):
        return ", ".join(_spell_value(v) for v in value if v is not None)
    return json.dumps(value, ensure_ascii=False)
