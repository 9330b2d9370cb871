"""Content and properties of the original agent-native-app's documents are separated, or all is content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.transfer.foreign.agent_native import split_document
from ana.values import DELIMITER, Properties

BLOCK = f"{DELIMITER}type: task\ndue date: Tuesday January 13 2026"
KNOWN: Properties = {"due_date": "2026-01-13", "type": "task"}


def test_a_block_of_the_properties_is_no_content() -> None:
    assert split_document("Review" + BLOCK, KNOWN) == "Review"
    assert split_document("Review", KNOWN) == "Review"
    assert split_document("Review", {}) == "Review"


@pytest.mark.parametrize("after", ["", "prose", "\ntype: task", "Dear Bob: hi\n: x"])
def test_text_unlike_properties_is_content(after: str) -> None:
    document = f"How it is kept:{DELIMITER}{after}"
    assert split_document(document, KNOWN) == document


def test_without_properties_all_is_content() -> None:
    assert split_document("Review" + BLOCK, {}) == "Review" + BLOCK


def test_only_the_last_delimiter_parts() -> None:
    content = f"How it is kept:{BLOCK}"
    assert split_document(content + BLOCK, KNOWN) == content


def test_a_property_that_was_removed_is_still_in_the_block() -> None:
    assert split_document(f"Review{DELIMITER}old: None\ntype: task", {"type": "task"}) == "Review"


def test_other_properties_than_the_known_are_content() -> None:
    document = f"Review{DELIMITER}colour: red"
    assert split_document(document, {"type": "task"}) == document


names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8).map(lambda name: f"a_{name}")
values = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.integers(), st.booleans(), st.floats())


@given(st.text(), st.dictionaries(names, values, min_size=1, max_size=4))
def test_documents_of_that_program_are_separated(content: str, properties: Properties) -> None:
    block = "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in properties.items())
    assert split_document(content + DELIMITER + block, properties) == content
