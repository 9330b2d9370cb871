"""What a request to the model holds, by part, at the first and the 25th turn of recorded conversations.

`python -m evals.requests FILE...`: each file has one JSON object a line {person, ts, question, decisions, steps}, a
turn that a model answered. A person's turns are played as one conversation on the present program and an empty store,
with the decisions that were recorded; the ids in them become those of the present store. `--show PERSON` prints the
request itself.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.models.base import TYPED, StreamingModel, to_chunk
from ana.models.fence import unfence
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.values import read_object
from app.outcome import Waiting
from app.throwaway import open_throwaway
from tools.catalog import schemas

TURN = 25
THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b025"

Row = Mapping[str, Any]
Request = list[BaseMessage]


class Replier(StreamingModel):
    """Decides as was recorded, and keeps what it is sent.

    Args:
        rows: The turns of a person.
    """

    rows: list[Any]
    requests: list[list[Request]] = Field(default_factory=list)
    """Of each turn those that were sent."""
    _ids: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "recorded"

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        row, sent = self.rows[len(self.requests) - 1], self.requests[-1]
        sent.append(messages)
        self._learn_ids(row, messages)
        decision = row["decisions"][min(len(sent), len(row["decisions"])) - 1]
        calls = [
            {**call, "args": self._translate(call["args"]), "id": str(n)}
            for n, call in enumerate(decision["tool_calls"])
        ]
        yield ChatGenerationChunk(message=to_chunk(AIMessage(decision["text"], tool_calls=calls)))

    def _learn_ids(self, row: Row, messages: Request) -> None:
        seen = [step["observation"] for step in row["steps"] if step["tool"] == "create_item"]
        recorded = {each["content"]: each["id"] for each in seen if isinstance(each, dict) and "id" in each}
        for message in messages:
            told = read_object(unfence(message.text)) if isinstance(message, ToolMessage) else {}
            if told.get("content") in recorded and "id" in told:
                self._ids[recorded[told["content"]]] = str(told["id"])

    def _translate(self, args: Any) -> Any:
        text = json.dumps(args)
        for recorded, present in self._ids.items():
            text = text.replace(recorded, present)
        return json.loads(text)


def play_rows(rows: list[Row]) -> list[list[Request]]:
    """Play the turns of a person as one conversation and return the requests of each turn."""
    moment = datetime.now(UTC)
    settings = load_settings({"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "none", "ANA_AUTONOMY": "act"})
    model, backend = Replier(rows=rows, requests=[]), InMemoryBackend(WordLlamaEmbeddings())
    with open_throwaway(settings, model, backend, Clock(UTC, lambda: moment)) as assistant:
        for row in rows:
            moment = datetime.fromisoformat(row["ts"]).astimezone(UTC)
            model.requests.append([])
            outcome = assistant.ask(row["question"], THREAD)
            while isinstance(outcome, Waiting):
                approved = [{"type": "approve"}] * len(outcome.request["action_requests"])
                outcome = assistant.resume(THREAD, {"decisions": approved}, outcome.request_id)
    return model.requests


def measure(request: Request) -> Counter[str]:
    """Return the characters of a request as it is sent, by part."""
    body = _dump({"messages": convert_to_openai_messages(request), "tools": schemas()})
    parts = Counter({"schemas": len(_dump(schemas()))})
    last = max(n for n, each in enumerate(request) if TYPED in each.additional_kwargs)
    for n, message in enumerate(request):
        for part, text in _list_parts(message):
            parts[part if n in (0, last) else f"{part}, {'earlier' if n < last else 'this turn'}"] += len(text)
    parts["form"] = len(body) - parts.total()
    parts["all"] = len(body)
    return parts


def _dump(value: Any) -> str:
    """Return a value as JSON, as the provider's client writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _list_parts(message: BaseMessage) -> Iterator[tuple[str, str]]:
    if isinstance(message, HumanMessage):
        typed = str(message.additional_kwargs.get(TYPED, message.text))
        yield from (("words", typed), ("told with them", message.text.removesuffix(typed)))
    elif isinstance(message, AIMessage):
        yield "answers", message.text
        yield from (("calls", json.dumps(call["args"], ensure_ascii=False)) for call in message.tool_calls)
    else:
        yield "results" if isinstance(message, ToolMessage) else "prompt", message.text


def read_rows(files: Iterable[Path]) -> dict[str, list[Row]]:
    """Return the turns of each person who has enough of them, with what tools answered, in order."""
    people = defaultdict[str, list[Row]](list)
    for line in (line for file in files for line in file.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        if "steps" in row and "person" in row:
            people[row["person"]].append(row)
    rows = {person: sorted(each, key=lambda row: str(row["ts"])) for person, each in people.items()}
    return {person: each for person, each in rows.items() if len(each) >= TURN}


def main() -> None:
    """Print what the requests hold."""
    parser = argparse.ArgumentParser(prog="python -m evals.requests", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", default="", metavar="PERSON")
    args = parser.parse_args()
    for person, rows in read_rows(args.files).items():
        requests = play_rows(rows)
        if person == args.show:
            print(json.dumps(convert_to_openai_messages(requests[TURN - 1][0]), ensure_ascii=False, indent=1))
        for name, request in (
            ("turn 1", requests[0][0]),
            (f"turn {TURN}, first call", requests[TURN - 1][0]),
            (f"turn {TURN}, last call", requests[TURN - 1][-1]),
        ):
            parts = measure(request)
            told = "; ".join(f"{part} {size:,}" for part, size in parts.items() if size and part != "all")
            print(f"{person}, {name}: {parts['all']:,} characters ({told})")


if __name__ == "__main__":
    main()
