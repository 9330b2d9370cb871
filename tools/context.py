"""The three primitives over Global Context."""

from langchain_core.tools import tool

from ana.memory.receipts import make_receipt
from ana.memory.similar import find_twins
from tools.call import Injected, Result


@tool(parse_docstring=True, response_format="content_and_artifact")
def append_context(content: str, *, call: Injected) -> Result:
    """Add a line to Global Context: something lasting that was learned about the user.

    Args:
        content: One short line.
    """
    change = call.memory.append_line(content, call.cause)
    assert change.after is not None
    shown = {"line": int(change.id), "content": change.after.content}
    twins = find_twins(call.memory.backend, "line", change.after, 1)
    similar = [{"line": int(line.id), "content": line.content} for line in twins]
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
    return {"line": line, "content": change.after.content, "replaced": change.before.content}, make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def delete_context(line: int, *, call: Injected) -> Result:
    """Delete a line of Global Context that is wrong or no longer wanted.

    Args:
        line: Its number.
    """
    change = call.memory.delete_line(line, call.cause, call.shown)
    assert change.before is not None
    return {"line": line, "deleted": change.before.content}, make_receipt(change)
