"""What can be said where nothing is yet, and what another program shares: with it a message begins."""

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
        "turns": ("What can you do?", "What is 15% of 80?"),
    }
)
"""By part of the page. A link names one by part and place: the words of a link that anybody can make are not theirs."""

SHARED = ("title", "text", "url")
"""The parts of an address in which a phone hands over what another program shares, as the manifest says."""


def reads_english(settings: Settings) -> bool:
    """Return whether what answers reads English alone, and the page speaks another language."""
    return settings.provider == "offline" and get_language() != "en"


def list_examples(part: str, in_english: bool) -> list[str]:
    """Return what can be said in a part of the page, in its language or in English."""
    return [each if in_english else _(each) for each in EXAMPLES.get(part, ())]


def read_begun(query: Mapping[str, str], in_english: bool) -> tuple[str, str]:
    """Return the text with which a message begins, and the parts of it that are of others, as the form keeps them."""
    if shared := "\n".join(dict.fromkeys(filter(None, (query.get(name, "").strip() for name in SHARED)))):
        shared = shared.replace("\r\n", "\n")
        return shared, json.dumps([shared])
    part, _, place = query.get("example", "").partition(".")
    known = dict(enumerate(list_examples(part, in_english)))
    return known.get(int(place) if place.isdecimal() else -1, ""), ""
