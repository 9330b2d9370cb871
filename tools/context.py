"""The three primitives over Global Context."""

from langchain_core.tools import tool

from ana.memory.item import Item
from ana.memory.receipts import make_receipt
from ana.memory.similar import find_twins
from ana.memory.views import tell_source
from ana.values import Json
from tools.call import Injected, Result


@tool(parse_docstring=True, response_format="content_and_artifact")
def append_context(content: str, *, call: Injected) -> Result:
    """Add a line to Global Context: something lasting about the user.

    Args:
        content: One short line, in the person's words.
    """
    change = call.memory.append_line(content, call.cause)
    assert change.after is not None
    shown = _show(change.after)
    similar = [_show(line) for line in find_twins(call.memory.backend, "line", change.after, 1)]
    return shown | ({"similar": similar} if similar else {}), make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def replace_context(line: int, content: str, *, call: Injected) -> Result:
    """Rewrite a line of Global Context that has changed.

    Args:
        line: Its number.
        content: The line as it should read now.
    """
    change = call.memory.replace_line(line, content, call.cause, call.shown)
    assert change.before is not None
    assert change.after is not None
    told = {"replaced": change.before.content} | tell_source(change.before, change.after)
    return {"line": line, "content": change.after.content} | told, make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def delete_context(line: int, *, call: Injected) -> Result:
    """Delete a line of Global Context that is wrong or no longer wanted.

    Args:
        line: Its number.
    """
    change = call.memory.delete_line(line, call.cause, call.shown)
    assert change.before is not None
    return {"line": line, "deleted": change.before.content} | tell_source(change.before), make_receipt(change)


def _show(line: Item) -> dict[str, Json]:
    return {"line": int(line.id), "content": line.content, **tell_source(line)}
