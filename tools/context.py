"""The three primitives over Global Context."""

from langchain_core.tools import tool

from ana.errors import DuplicateItem
from ana.memory.receipts import make_receipt
from ana.memory.views import tell_source
from tools.alike import show_line, tell_alike
from tools.artifacts import refuse_copy
from tools.call import Injected, Result

THERE = "Nothing was stored: this line is there already."


@tool(parse_docstring=True, response_format="content_and_artifact")
def append_context(content: str, *, call: Injected) -> Result:
    """Add a line to Global Context: something lasting about the user.

    Args:
        content: One short line, in the person's words.
    """
    try:
        change = call.memory.append_line(content, call.cause, copy=False)
    except DuplicateItem as exc:
        same = call.memory.lines()[int(exc.id)]
        return {"line": int(exc.id), "content": same, "note": THERE}, refuse_copy(exc.id, same)
    assert change.after is not None
    return show_line(change.after) | tell_alike(call, "line", change.after, 1), make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def replace_context(line: int, content: str, *, call: Injected) -> Result:
    """Rewrite a line of Global Context.

    Args:
        line: Its number.
        content: Its new text.
    """
    change = call.memory.replace_line(line, content, call.cause, call.line_digests)
    assert change.before is not None
    assert change.after is not None
    facts = {"replaced": change.before.content} | tell_source(change.before, change.after)
    return {"line": line, "content": change.after.content} | facts, make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def delete_context(line: int, *, call: Injected) -> Result:
    """Delete a line of Global Context.

    Args:
        line: Its number.
    """
    change = call.memory.delete_line(line, call.cause, call.line_digests)
    assert change.before is not None
    return {"line": line, "deleted": change.before.content} | tell_source(change.before), make_receipt(change)
