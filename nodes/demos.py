"""Worked examples that `ana optimize` saved: those nearest to the question are sent before the conversation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ana.errors import ConfigError
from ana.values import read_json
from ana.workspace import Workspace

if TYPE_CHECKING:
    from ana.embedders import Embedder

NEAREST = 4
"""How many are shown."""

MARK = "[example from another conversation]"


@dataclass(frozen=True)
class Demo:
    """A turn that went well.

    Args:
        question: The person's message.
        calls: The calls, each as [tool, arguments, result].
        answer: The assistant's answer.
    """

    question: str
    calls: Sequence[Sequence[Any]]
    answer: str


def choose_demos(workspace: Workspace, question: str) -> list[AnyMessage]:
    """Return the saved examples nearest to a question as messages, the nearest last; none for the offline reader.

    Raises:
        ConfigError: The file of examples cannot be read; the message names the file.
    """
    settings = workspace.settings
    path = settings.compiled_demos_path
    if settings.provider == "offline" or not path.exists():
        return []
    demos: Sequence[Demo] = load_demos(path)
    if len(demos) > NEAREST:
        inner, once = _require_embedders(workspace)
        (wanted,), vectors = inner.embed_documents([question]), once.embed_documents([demo.question for demo in demos])
        near = [sum(a * b for a, b in zip(wanted, vector, strict=True)) for vector in vectors]
        demos = [demos[n] for n in sorted(range(len(demos)), key=lambda n: -near[n])[:NEAREST]]
    return [message for n, demo in enumerate(reversed(demos)) for message in _to_messages(demo, n)]


def load_demos(path: Path) -> tuple[Demo, ...]:
    """Return the examples of a file.

    Raises:
        ConfigError: The file cannot be read; the message names it.
    """
    try:
        demos = tuple(Demo(**each) for each in read_json(path.read_text(encoding="utf-8"))["demos"])
        for demo in demos:
            _to_messages(demo, 0)
    except (OSError, ValueError, TypeError, KeyError) as exc:
        raise ConfigError(
            f"The examples in {path} cannot be read: {exc!r:.100}.",
            "Delete the file, make it again with `ana optimize`, or set COMPILED_DEMOS_PATH.",
        ) from exc
    return demos


def demos_to_json(demos: Sequence[Demo], facts: Mapping[str, Any]) -> str:
    """Return the text of a file of examples, with facts about them."""
    return json.dumps({**facts, "demos": [asdict(demo) for demo in demos]}, ensure_ascii=False, indent=1) + "\n"


_embedders: dict[str, tuple["Embedder", "Embedder"]] = {}
"""Each embedder, and one that makes the vectors of the examples once."""


def _require_embedders(workspace: Workspace) -> tuple["Embedder", "Embedder"]:
    """Return this process's embedders for questions and for the examples; ANA_EMBEDDINGS selects them."""
    from ana.embedders.build import choose_embedder
    from ana.embedders.known import OnceEmbeddings

    name = choose_embedder(workspace.settings)
    if name not in _embedders:
        embedder = workspace.build_embedder(name)
        _embedders[name] = embedder, OnceEmbeddings(embedder)
    return _embedders[name]


def _to_messages(demo: Demo, place: int) -> list[AnyMessage]:
    """Return an example as a conversation; a model without tool calls sees it as JSON decisions, as always."""
    messages: list[AnyMessage] = [HumanMessage(f"{MARK} {demo.question}")]
    for n, (tool, args, result) in enumerate(demo.calls):
        id = f"demo-{place}-{n}"
        messages.append(AIMessage("", tool_calls=[{"name": tool, "args": args, "id": id}]))
        messages.append(ToolMessage(json.dumps(result, ensure_ascii=False), tool_call_id=id, name=tool))
    return [*messages, AIMessage(demo.answer)]
