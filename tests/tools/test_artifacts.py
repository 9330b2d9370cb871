"""What the readers of artifacts take for a receipt, and what for a refused copy."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from nodes.history import list_refused_copies, receipts
from tools.artifacts import Receipt, find_existing, receipts_of, refuse_copy

RECEIPT: Receipt = {"op": "delete", "kind": "item", "id": "a1", "before": {"content": "milk"}, "after": None}
REFUSED = '{"existing": {"id": "a1"}, "choice": "Nothing was stored."}'


def answered(text: str, artifact: Any) -> list[AnyMessage]:
    call = {"name": "create_item", "args": {"content": "milk"}, "id": "c1"}
    return [AIMessage("", tool_calls=[call]), ToolMessage(text, tool_call_id="c1", artifact=artifact)]


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        (RECEIPT, [RECEIPT]),
        ({"changes": [RECEIPT, RECEIPT]}, [RECEIPT, RECEIPT]),
        ({"changes": []}, []),
        ({"why": [{"id": "a1"}]}, []),
        (refuse_copy("a1", "milk"), []),
        (None, []),
        ("a text of another tool", []),
    ],
)
def test_only_receipts_are_receipts(artifact: Any, expected: list[Receipt]) -> None:
    messages = answered("{}", artifact)
    assert receipts_of(messages[-1]) == expected
    assert receipts(messages) == expected


def test_a_refused_copy_is_known_by_its_artifact_whatever_the_text_says() -> None:
    refused, worded = answered("{}", refuse_copy("a1", "milk")), answered(REFUSED, None)
    assert list_refused_copies(refused) == [{"content": "milk"}]
    assert list_refused_copies(worded) == []
    assert [find_existing(message) for message in refused] == [None, "milk"]
