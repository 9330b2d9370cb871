"""A model is shown a schema without what it learns nothing from; nothing that it may send is lost."""

import pytest

from ana.models.tool_schema import Tools, shorten_schema

TEXT_OR_NOTHING = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def tool(required: tuple[str, ...] = (), **parameters: object) -> dict[str, object]:
    return {"type": "function", "function": {"name": "t", "parameters": _object(parameters, required)}}


def _object(properties: object, required: object) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": required}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (TEXT_OR_NOTHING | {"default": None, "description": "D"}, {"type": "string", "description": "D"}),
        (TEXT_OR_NOTHING | {"default": "local"}, TEXT_OR_NOTHING | {"default": "local"}),
        ({"type": "integer", "default": 10}, {"type": "integer", "default": 10}),
        ({"type": "string", "title": "Name"}, {"type": "string"}),
        (_object({"title": {"type": "string", "title": "Title"}}, []), _object({"title": {"type": "string"}}, [])),
        ({"default": {"title": "as it is"}}, {"default": {"title": "as it is"}}),
    ],
)
def test_an_argument_that_may_be_left_out_is_shown_without_titles_and_null(given: object, shown: object) -> None:
    assert shorten_schema(tool(a=given)) == tool(a=shown)


def test_an_argument_that_must_be_sent_may_still_be_null() -> None:
    assert shorten_schema(tool(("a",), a=TEXT_OR_NOTHING)) == tool(("a",), a=TEXT_OR_NOTHING)


def test_null_for_an_argument_that_was_shortened_counts_as_left_out() -> None:
    tools = Tools([shorten_schema(tool(a=TEXT_OR_NOTHING | {"default": None}))])
    assert tools.check("t", {"a": None}) == {}
