"""Prompts are Markdown files with {{slots}}; a missing file, a missing slot and an unknown slot all raise."""

import re
from functools import cache
from pathlib import Path

_SLOT = re.compile(r"\{\{(\w+)\}\}")


@cache
def read_template(name: str) -> str:
    """Return a prompt with its slots. Raises FileNotFoundError if there is none."""
    return (Path(__file__).parent / f"{name}.md").read_text(encoding="utf-8")


def render(name: str, **slots: str) -> str:
    """Fill a prompt. Slot values are put in as they are; slots inside them are not filled.

    Args:
        name: The file without `.md`.
        slots: A text for every slot of the file, and no other.

    Raises:
        FileNotFoundError: There is no such prompt.
        KeyError: A slot is missing or unknown.
    """
    return fill(name, read_template(name), **slots)


def fill(name: str, template: str, **slots: str) -> str:
    """Fill a prompt that is given as text.

    Args:
        name: What it is called in an error.
        template: The prompt.
        slots: As of `render`.

    Raises:
        KeyError: A slot is missing or unknown.
    """
    wanted = set(_SLOT.findall(template))
    if wanted != set(slots):
        raise KeyError(f"prompt {name} has slots {sorted(wanted)}, given {sorted(slots)}")
    return _SLOT.sub(lambda match: slots[match[1]], template).rstrip() + "\n"


def decision_prompt(tools: str) -> str:
    """Return the instructions for a model without tool calls.

    Args:
        tools: The tools it may call, one a line.
    """
    return render("decision", tools=tools)
