"""A world in which nothing changes: the offline reader's calls are answered as if done, and only look-ups are done.

The effects of a sentence do not depend on the graph; without it a thousand sentences take seconds.
"""

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.errors import ToolError
from ana.memory.memory import Memory
from ana.models.providers import build_model
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.tracing.schema import Step
from app.outcome import Done
from evals.sentences.data import ZONE, Sentence, load_life, make_items
from evals.sentences.expected import Outcome, judge
from nodes.load_context import calendar
from nodes.reason import system_message
from tools.call import CallContext
from tools.catalog import READERS, TOOLS, schemas

MOST_CALLS = 20


class StillWorld:
    """The world of evals/data/sentences, as it is before anything is said.

    Args:
        memory: Its items.
        clock: Gives its present moment.
    """

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._call = CallContext(memory, clock)
        life = load_life()
        self._lines = dict(enumerate(life["context"]))
        self._items: dict[str, Any] = {item.id: self._call.show(item) for item in make_items(life)}
        self._model = build_model(load_settings({"LLM_PROVIDER": "offline"})).bind_tools(schemas(()))
        now = calendar(clock.now(), clock.zone_name)
        self._prompt = system_message({"now": now, "vocabulary": "", "lines": self._lines})

    def put(self, sentence: Sentence) -> Outcome:
        """Say a sentence to the reader and judge its answer."""
        messages: list[BaseMessage] = [self._prompt, HumanMessage(sentence.text)]
        steps: list[Step] = []
        for _ in range(MOST_CALLS):
            reply = self._model.invoke(messages)
            if not reply.tool_calls:
                break
            for call in reply.tool_calls:
                result = self._answer_call(call["name"], call["args"])
                steps.append({"tool": call["name"], "args": call["args"], "observation": result})
                messages += [reply, ToolMessage(json.dumps(result), tool_call_id=str(call["id"]))]
        answer = Done(reply.text, "t", "t", "p", steps, {}, 0.0, [], None)
        contents = {id: str(item["content"]) for id, item in self._items.items()}
        return judge(sentence, answer, contents)

    def _answer_call(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """Return what the tool answers, or would answer."""
        if tool in READERS:
            try:
                return dict(TOOLS[tool].invoke(args | ({} if tool == "calculator" else {"call": self._call})))
            except ToolError as exc:
                return {"error": exc.message}
        line = args.get("line", len(self._lines))
        match tool:
            case "create_item":
                return {"id": "new", "properties": {}} | args
            case "update_item":
                old = self._items[args["id"]]
                return dict(old | args | {"properties": old["properties"] | args.get("properties", {})})
            case "delete_item":
                return {"deleted": self._items[args["id"]]}
            case "append_context":
                return {"line": line, "content": args["content"]}
            case "replace_context":
                return {"line": line, "content": args["content"], "replaced": self._lines[line]}
            case "delete_context":
                return {"line": line, "deleted": self._lines[line]}
        return {"error": f"{tool} is not there."}


@contextmanager
def open_still_world() -> Iterator[StillWorld]:
    life = load_life()
    clock = Clock(ZONE, lambda: datetime.fromisoformat(life["now"]))
    with tempfile.TemporaryDirectory() as name:
        backend = ChromaBackend(Path(name) / "data", WordLlamaEmbeddings())
        memory = Memory(backend, clock)
        backend.fill(make_items(life))
        yield StillWorld(memory, clock)
        memory.close()


def put_all(sentences: Iterable[Sentence]) -> list[Outcome]:
    """Say sentences, each for itself, and judge what they would cause."""
    with open_still_world() as world:
        return [world.put(sentence) for sentence in sentences]
