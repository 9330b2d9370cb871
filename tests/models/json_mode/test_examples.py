"""A decision that repeats a worked example is not run, unless the person spoke of the same."""

import pytest

from ana.models.json_mode.shapes import ParsedReply, read_examples, refuse_example
from prompts import decision_prompt

PROMPT = decision_prompt("")


def test_the_examples_of_the_prompt_are_known() -> None:
    assert set(read_examples(PROMPT)) == {"Buy oat milk", "No calls before ten in the morning"}


@pytest.mark.parametrize("content", sorted(set(read_examples(PROMPT))))
def test_what_only_an_example_says_is_refused(content: str) -> None:
    copied = ParsedReply(tool="append_context", args={"content": content})
    refused = refuse_example(copied, PROMPT, ["What is 2^35?", "Wie spät ist es?"])
    assert refused == ParsedReply(error=refused.error)
    assert content in refused.error


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (ParsedReply(tool="create_item", args={"content": "Buy oat milk"}), ["We are out of MILK", "yes, please"]),
        (ParsedReply(tool="create_item", args={"content": "Buy stamps"}), ["I need some for the letters"]),
        (ParsedReply(tool="create_item", args={"content": {"message": "this"}}), ["hm"]),
        (ParsedReply(tool="query_items", args={"text": "oat milk"}), ["hm"]),
        (ParsedReply(answer="Buy oat milk"), ["hm"]),
        (ParsedReply(error="cut short"), ["hm"]),
    ],
)
def test_every_other_decision_is_left_as_it_is(decision: ParsedReply, said: list[str]) -> None:
    assert refuse_example(decision, PROMPT, said) is decision
