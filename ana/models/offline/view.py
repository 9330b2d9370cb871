"""The part of a conversation that the reader goes by, and the words by which it reads it."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from ana.models.base import PROMPT_DATA, TYPED
from ana.models.fence import unfence
from ana.phrases import Phrases, fold

_PHRASES = Phrases(Path(__file__).with_name("words.txt"))
pattern, words_of = _PHRASES.pattern, _PHRASES.words_of


class View(NamedTuple):
    """All that the reader knows.

    Args:
        text: What the person said; what they had said before is `asked`, and `answer` what they were answered.
        now: The person's moment; `lines` is Global Context.
        it: The items that the last answer may have named; `results` what tools answered now, and `why` it was found.
    """

    text: str
    asked: str
    answer: str
    now: datetime
    lines: Mapping[int, str]
    it: list[dict[str, Any]]
    results: list[dict[str, Any]]

    @property
    def wish(self) -> str:
        """Return the text after its politeness."""
        polite = pattern(r"(?:<polite>\W+)*").match(fold(self.text))
        return self.text[polite.end() if polite else 0 :]

    @property
    def low(self) -> str:
        """Return the wish, folded: the same places hold the same letters."""
        return fold(self.wish)


def read_messages(messages: Sequence[BaseMessage]) -> View | None:
    """Return what the messages hold; None where they tell no date, for the system's is not the person's."""
    data = next((m.additional_kwargs.get(PROMPT_DATA) for m in messages if isinstance(m, SystemMessage)), None)
    moment = pattern(r".*(\d{4}-\d\d-\d\d \d\d:\d\d)").match(data["now"]) if data else None
    starts = [i for i, m in enumerate(messages) if isinstance(m, HumanMessage)]
    if not data or not moment or not starts:
        return None
    # two turns are enough: a question back, and the reply
    turn, before = messages[starts[-1] :], messages[starts[-2] : starts[-1]] if len(starts) > 1 else []
    asked, text = ["", *(str(messages[i].additional_kwargs.get(TYPED, messages[i].text)).strip() for i in starts)][-2:]
    earlier, results = ([_read_result(m) for m in each if isinstance(m, ToolMessage)] for each in (before, turn))
    it = [item for result in earlier for item in result.get("items", [result]) if "id" in item]
    now, answer = datetime.fromisoformat(moment[1]), before[-1].text if before else ""
    return View(text, asked, answer, now, data["lines"], it, results)


def _read_result(message: ToolMessage) -> dict[str, Any]:
    try:
        value = json.loads(unfence(message.text))
    except (ValueError, RecursionError):
        value = None
    value = value if isinstance(value, dict) else {"error": unfence(message.text)}
    why = message.artifact.get("why", []) if isinstance(message.artifact, dict) else []
    return {**value, "why": {each["id"]: each for each in why}}
