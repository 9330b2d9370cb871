"""Checks of the state of a thread: the values that a client may write, and the parts of any state that can be used."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, cast, get_type_hints

from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.runnables.config import CONFIG_KEYS
from langgraph.graph import END
from langgraph.types import Command, Overwrite
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from ana.errors import UserError
from ana.recent import current
from ana.text import check_text
from graph.state import UNREADABLE, State, find_messages

KINDS = (HumanMessage, AIMessage, ToolMessage, SystemMessage, RemoveMessage)
"""The messages of a conversation, and the order to remove one; a provider may refuse others."""

DEFAULTS: dict[str, Any] = {"draft": "", "summary": "", "summary_source": "", "replies": {}}
"""What stands for a field that cannot be used, but for the turn: a new one begins without it."""

LONGEST = 100_000
"""Characters of a message. It is searched for days, orders and lists, and what takes long for one person slows all."""

EXAMPLE = 'Send {"messages": [{"role": "user", "content": "..."}]}.'

_OVERWRITE = "__overwrite__"
"""How langgraph spells a value, in JSON, that takes the place of the old one unseen by whatever adds the two."""

_MOST_NOTED = 100
_NONE = object()

_CONFIG_KINDS = {"tags": list, "metadata": dict, "configurable": dict, "recursion_limit": int}
_KIND_NAMES = {list: "a list", dict: "an object", int: "a whole number"}


def read_edit(values: Any, before: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read a client's edit of a state, and return the values to write: messages in any form that an input may have.

    Some clients send the whole state back, with fields of their own: unchanged and unknown fields are ignored.

    Args:
        before: The edited state, in the form that clients see.

    Raises:
        UserError: The edit cannot be read, would change another field, or would leave a state from which no turn can go
            on.
    """
    check_input(values)
    if values is None:
        return None
    others = {name: value for name, value in values.items() if name in State.__annotations__ and name != "messages"}
    if changed := [name for name, value in others.items() if value != before.get(name, DEFAULTS.get(name))]:
        raise UserError(f"An edit can write messages only, not {changed[0]!r:.60}.", EXAMPLE)
    return {name: value for name, value in values.items() if name == "messages"}


def check_messages(value: Any) -> None:
    """Check messages, as a client writes them.

    Raises:
        UserError: One of them cannot be read, is too long, or has invalid text.
    """
    if _is_overwrite(value):
        instead = 'Begin the list with {"type": "remove", "id": "__remove_all__", "content": ""}.'
        raise UserError("Messages cannot be overwritten.", instead)
    try:
        messages = convert_to_messages(value if isinstance(value, list) else [value])
    except UNREADABLE as exc:
        why = (_spell(exc) if isinstance(exc, ValidationError) else str(exc).partition("\n")[0]).rstrip(". ")
        raise UserError(f"The messages cannot be read: {why}.", EXAMPLE) from exc
    if odd := [message.type for message in messages if not isinstance(message, KINDS)]:
        raise UserError(f"Messages of the type {odd[0]!r:.60} cannot be read.", EXAMPLE)
    if any(isinstance(message, HumanMessage) and len(message.text) > LONGEST for message in messages):
        raise UserError(f"A message is longer than {LONGEST:,} characters.", "Send it in parts.")
    check_text([message.text for message in messages], UserError)


def check_input(inputs: Any) -> None:
    """Check the input of a run, as langgraph gets it; fields other than the messages are ignored.

    Raises:
        UserError: The input cannot be read, or would leave a state from which no turn can go on.
    """
    if isinstance(inputs, Command):
        check_command(inputs.update, inputs.goto)
    elif inputs is not None and not isinstance(inputs, dict):
        raise UserError("The input is not an object.", EXAMPLE)
    elif inputs and "messages" in inputs:
        check_messages(inputs["messages"])


def check_config(config: Mapping[str, Any] | None, thread: str | None = None) -> None:
    """Check the config of a run: langchain would take any other field as an option, such as another thread's id.

    Args:
        thread: The thread that the run owns; None if that is not known yet.

    Raises:
        UserError: The config has an unknown field, one of a wrong kind, or names another thread.
    """
    hint = "A run is begun in the thread of its address."
    if unknown := [name for name in config or () if name not in CONFIG_KEYS]:
        raise UserError(f"The config has no field {unknown[0]!r:.60}.", hint)
    for name, kind in _CONFIG_KINDS.items():
        if (value := (config or {}).get(name)) is not None and type(value) is not kind:
            raise UserError(
                f"The {name} of the config is {value!r:.40}.", f"Give {_KIND_NAMES[kind]}, or leave it out."
            )
    limit = (config or {}).get("recursion_limit")
    if limit is not None and limit < 1:
        raise UserError(f"The recursion_limit of the config is {limit!r:.40}.", "Give one from 1 on, or leave it out.")
    named = (config or {}).get("configurable", {}).get("thread_id") if thread else None
    if named is not None and str(named) != thread:
        raise UserError("The config is for another thread.", hint)


def check_command(update: Any, goto: Any) -> None:
    """Check the update of a command beside its reply: it is applied in addition to the writes of the run's nodes.

    Raises:
        UserError: It would leave a state from which no turn can go on.
    """
    for field, value in _list_pairs(update):
        if field != "messages":
            raise UserError(f"A command can update messages only, not {field!r:.60}.", EXAMPLE)
        check_messages(value)
    if any(each != END for each in (goto if isinstance(goto, list | tuple) else [goto]) if each):
        raise UserError("A run is sent to no node.", "Let it go on from a checkpoint, or edit the state as the node.")


def keep_usable(state: Mapping[str, Any]) -> State:
    """Return a state without unusable values, which a client or another version may have written.

    An unusable turn becomes None; an absent one stays absent.
    """
    usable = {name: value for name, value in state.items() if name not in _readers() or _is_usable(name, value)}
    lost = {"turn": None} if "turn" in state else {}
    return cast("State", DEFAULTS | lost | usable | {"messages": find_messages(state.get("messages"))})


def note_usable(name: str, value: Any) -> None:
    """Remember that a field's value is usable, so that it is not checked again at each node."""
    usable = current.get().checked  # by field and place in memory
    if len(usable) >= _MOST_NOTED:
        usable.clear()
    usable[name, id(value)] = value


def _is_usable(name: str, value: Any) -> bool:
    # what is noted is kept, so that nothing else gets its id
    if current.get().checked.get((name, id(value)), _NONE) is value:
        return True
    if _find_fault(name, value):
        return False
    note_usable(name, value)
    return True


def _find_fault(name: str, value: Any) -> str | None:
    """Return the fault in the value of a field; None if it has none."""
    if _is_overwrite(value):
        return f"{name} cannot be overwritten"
    try:
        # as JSON: it comes as such, and there a list may stand for a tuple
        _readers()[name].validate_json(to_json(value, fallback=str), strict=True)
    except ValidationError as exc:
        return _spell(exc, name)
    except ValueError as exc:  # JSON cannot hold it
        return f"{name}: {exc}"
    return None


def _spell(exc: ValidationError, *within: str) -> str:
    """Return the first fault, with its place."""
    first = exc.errors()[0]
    return f"{'.'.join(map(str, (*within, *first['loc'])))}: {first['msg']}"


@cache
def _readers() -> dict[str, TypeAdapter[Any]]:
    """Return the readers of a state's fields other than the messages."""
    types = get_type_hints(State)
    return {name: TypeAdapter(types[name]) for name in ("turn", *DEFAULTS)}


def _list_pairs(update: Any) -> Iterable[tuple[Any, Any]]:
    """Return the fields and values of a command's update."""
    if isinstance(update, dict):
        return update.items()
    pairs = update if isinstance(update, list) else [update] if update else []
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise UserError("The update of a command is not an object.", 'Send {"messages": [...]}.')
    return pairs


def _is_overwrite(value: Any) -> bool:
    marked = isinstance(value, dict) and (_OVERWRITE in value or value.get("type") == _OVERWRITE)
    return marked or isinstance(value, Overwrite)
