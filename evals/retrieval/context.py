"""Whether a line that decides a question reaches the model: from the prompt, or as one of many items."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder
from ana.memory.changes import Cause, Change
from ana.memory.memory import Memory
from evals.retrieval.measure import CLOCK, DATA, load_items
from nodes.reason import system_prompt

CROWD = 200
"""Other items among which the lines are looked for."""

LIMIT = 10
"""How many items a search returns unless more are asked for."""

WIDER = "What do I know about this person's preferences, habits and limits that matters for: {}"
"""What a model might search for that knows that it should look."""


@dataclass(frozen=True)
class Deciding:
    """A question, and the line without which an answer to it is a bad one."""

    line: str
    question: str


@dataclass(frozen=True)
class Presence:
    """The share of questions whose deciding line reaches the model.

    Args:
        in_prompt: The lines stand in the system prompt.
        by_question: They are items, and the question is searched for.
        by_preference: They are items, and preferences that bear on the question are searched for.
        characters: How much longer all the lines together make the prompt.
    """

    in_prompt: float
    by_question: float
    by_preference: float
    characters: int


def load_questions() -> list[Deciding]:
    lines = (DATA / "context" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Deciding(**json.loads(line)) for line in lines]


def measure_presence(embedder: Embedder) -> Presence:
    """Measure both ways on the same questions."""
    questions = load_questions()
    lines = [each.line for each in questions]
    prompt, empty = system_prompt(dict(enumerate(lines))), system_prompt({})
    memory = _fill(embedder, lines)
    in_prompt = sum(json.dumps(each.line, ensure_ascii=False) in prompt for each in questions)
    reaches = partial(_finds, memory)
    return Presence(
        in_prompt=in_prompt / len(questions),
        by_question=sum(reaches(each.question, each.line) for each in questions) / len(questions),
        by_preference=sum(reaches(WIDER.format(each.question), each.line) for each in questions) / len(questions),
        characters=len(prompt) - len(empty),
    )


def _fill(embedder: Embedder, lines: Sequence[str]) -> Memory:
    """Return a memory with the lines as items among the crowd."""
    memory = Memory(InMemoryBackend(embedder), CLOCK)
    memory.put_back([Change("item", item.id, None, item) for item in load_items()[:CROWD]], Cause("", "", "crowd"))
    for line in lines:
        memory.create(line, {"type": "preference"})
    return memory


def _finds(memory: Memory, text: str, line: str) -> bool:
    return line in [item.content for item in memory.find(text, limit=LIMIT).items]
