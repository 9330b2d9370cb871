"""The initial text of a message: an example for an empty page, or text that another program shares."""

import json
from collections.abc import Mapping, Sequence

from ana.settings import Settings
from ana.translation import _, get_language, mark_text

EXAMPLES: Mapping[str, Sequence[str]] = mark_text(
    {
        "chat": ("Dentist on Friday at 14:30", "Note: the spare key is in the blue tin", "What is due this week?"),
        "today": ("Call the bank today at 16:00", "Buy bread today", "Water the plants every Saturday"),
        "calendar": ("Dinner with Ruth on Saturday at 19:00", "Football every Friday at 15:00"),
        "items": (
            "Note: the bike lock code is 4471",
            "Idea: a bigger window in the kitchen",
            "Renew the passport by 12 March",
        ),
        "about": ("Remember that I like tea", "Remember that I never have time on Wednesdays"),
        "turns": ("What can you do?", "What is due this week?"),
    }
)
"""By part of the page. A link names one by part and place: the words of a link that anybody can make are not theirs."""

SHARED = ("title", "text", "url")
"""The parts of an address in which a phone hands over what another program shares, as the manifest says."""


def reads_english(settings: Settings) -> bool:
    """Return whether only English is understood while the page is in another language, as with the offline reader."""
    return settings.provider == "offline" and get_language() != "en"


def list_examples(part: str, in_english: bool) -> list[str]:
    """Return example messages for a part of the page, in its language or in English."""
    return [each if in_english else _(each) for each in EXAMPLES.get(part, ())]


def read_initial_text(query: Mapping[str, str], in_english: bool) -> tuple[str, str]:
    """Return the initial text of a message, and its parts by others as JSON for the form; empty if there is none."""
    if shared := _read_shared(query):
        return shared, json.dumps([shared])
    part, _, place = query.get("example", "").partition(".")
    examples = list_examples(part, in_english)
    if place.isdecimal() and int(place) < len(examples):
        return examples[int(place)], ""
    return "", ""


def _read_shared(query: Mapping[str, str]) -> str:
    """Return the text that another program shares, in lines; programs often send the same text in two parts."""
    parts = [query.get(name, "").strip() for name in SHARED]
    different = dict.fromkeys(part for part in parts if part)
    return "\n".join(different).replace("\r\n", "\n")
