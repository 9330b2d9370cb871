"""Pasted text in terminals that do not mark it: there a line of it ends as if Enter had been pressed."""

import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.key_binding.key_processor import KeyPress

PAUSE = 0.05
"""How long the parts of a paste may be apart, in seconds; nobody types that fast."""


def bind_enter() -> "KeyBindings":
    """Return bindings in which Enter sends the message, unless more text is waiting: then all of that was pasted."""
    from prompt_toolkit.enums import DEFAULT_BUFFER
    from prompt_toolkit.filters import has_focus
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()

    @bindings.add("enter", filter=has_focus(DEFAULT_BUFFER))
    @bindings.add("c-j", filter=has_focus(DEFAULT_BUFFER))
    def _enter(event: "KeyPressEvent") -> None:
        if pasted := _take_waiting(event):
            lines = f"{event.data}{pasted}".replace("\r\n", "\n").replace("\r", "\n")
            event.current_buffer.insert_text(lines)
        else:
            event.current_buffer.validate_and_handle()

    return bindings


def _take_waiting(event: "KeyPressEvent") -> str:
    """Return the text that is waiting, line ends included; other keys, such as Ctrl-C, keep waiting."""
    keys, terminal = event.key_processor.input_queue, event.app.input
    while not terminal.closed and select.select([terminal.fileno()], [], [], PAUSE)[0]:
        keys.extend(terminal.read_keys())
    waiting = list(keys)
    keys.clear()
    keys.extend(key for key in waiting if not _is_text(key))
    return "".join(key.data for key in waiting if _is_text(key))


def _is_text(press: "KeyPress") -> bool:
    from prompt_toolkit.keys import Keys

    return not isinstance(press.key, Keys) or press.key in (Keys.Enter, Keys.ControlJ, Keys.Tab)
