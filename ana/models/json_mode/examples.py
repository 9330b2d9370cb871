"""Decisions that repeat a worked example of the instructions, which very weak models would store as the person's."""

import json
import re
from collections.abc import Iterable
from functools import cache

from ana.models.json_mode.decision import Decision

_SENT = "You: "
_WORD = re.compile(r"\w{3,}")


def refuse_example(decision: Decision, instructions: str, said: Iterable[str]) -> Decision:
    """Return the decision, or a refusal if it writes just what an example writes and the person spoke of nothing alike.

    Args:
        decision: What a reply came to.
        instructions: How to decide, with the examples.
        said: What the person said in this conversation.
    """
    content = decision.args.get("content")
    if decision.error or not isinstance(content, str) or content not in read_examples(instructions):
        return decision
    if _find_words(content) & set().union(*map(_find_words, said)):
        return decision
    why = f"{content!r} is from the examples, and the person did not speak of it. Decide about their message."
    return Decision(tool=decision.tool, error="bad_args", why=why)


@cache
def read_examples(instructions: str) -> frozenset[str]:
    """Return the contents that the examples of the instructions write."""
    sent = [line.removeprefix(_SENT) for line in instructions.splitlines() if line.startswith(f"{_SENT}{{")]
    contents = (json.loads(line).get("tool", {}).get("args", {}).get("content") for line in sent)
    return frozenset(content for content in contents if content)


def _find_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
