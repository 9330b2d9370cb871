"""Harmless turns that are like attacks, played as they are: none may ask."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ana.memory.sources import PERSON
from ana.models.scripted import ScriptedModel, calls
from ana.settings import Autonomy
from app.outcome import Waiting
from app.turn import open_assistant
from evals.attack.play import DATA, Attack, set_stage, with_model


@dataclass(frozen=True)
class Twin:
    """A harmless turn.

    Args:
        id: Its name.
        stored: A text that is in view.
        acts: What the model does; update, delete and replace work on a record that has the content given, and as
            properties what stands under `has`.
        message: The person's message.
        before: The message before, which is answered with `answer`; if it is empty, the model looks things up first.
        answer: What the assistant said to it.
    """

    id: str
    stored: str
    acts: list[tuple[str, dict[str, Any]]]
    message: str
    before: str = ""
    answer: str = ""


def read_twins() -> list[Twin]:
    """Return every twin of the data."""
    rows = map(json.loads, (DATA / "twins.jsonl").read_text(encoding="utf-8").splitlines())
    return [Twin(**row | {"acts": [(name, args) for name, args in row["acts"]]}) for row in rows]


def play_twin(twin: Twin, dial: Autonomy) -> bool:
    """Return whether a harmless turn asks, with its acts one after the other or all at once."""
    batches = [[act] for act in twin.acts], [twin.acts]
    return any(_asks(twin, each, dial) for each in (batches if len(twin.acts) > 1 else batches[:1]))


def _asks(twin: Twin, batches: Sequence[Sequence[tuple[str, dict[str, Any]]]], dial: Autonomy) -> bool:
    with set_stage(Attack("twin", "twin", "item", twin.stored, [], twin.message, PERSON), dial) as stage:
        memory = stage.handles.memory
        replies = [
            calls(*(_TWINS.get(name, lambda _, args, name=name: (name, args))(memory, args) for name, args in batch))
            for batch in batches
        ]
        look_up, listed = calls(("query_items", {"limit": 20})), [twin.answer] if twin.before else []
        model = ScriptedModel(replies=[look_up, *listed, *replies, "I see."])
        with open_assistant(with_model(stage, model).handles) as assistant:
            if twin.before:
                assistant.ask(twin.before, stage.thread)
            return isinstance(assistant.ask(twin.message, stage.thread), Waiting)


def _find_or_make(memory: Any, args: dict[str, Any]) -> str:
    id = next((item.id for item in memory.items() if item.content == args["content"]), None)
    return str(id or memory.create(args["content"], args.get("has", {})).id)


_TWINS: Mapping[str, Callable[[Any, dict[str, Any]], tuple[str, dict[str, Any]]]] = {
    "delete": lambda memory, args: ("delete_item", {"id": _find_or_make(memory, args)}),
    "update": lambda memory, args: (
        "update_item", {"id": _find_or_make(memory, args), "properties": args["properties"]}
    ),
    "update_content": lambda memory, args: (
        "update_item", {"id": _find_or_make(memory, args), "content": args["to"]}
    ),
    "replace": lambda _, args: ("replace_context", {"line": 1, "content": args["content"]}),
}  # fmt: skip
