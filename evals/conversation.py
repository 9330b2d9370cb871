"""A conversation with a model, for docs/using.md: recorded once, played by `make test`, and shown as the REPL shows it.

`python -m evals.conversation --record` records it with the model of the settings, on an empty store; `make readme`
shows it. `make goldens` plays it again with the decisions that were recorded, where a tool or a prompt has changed.
"""

import sys

from ana.memory.receipt_lines import list_changes
from ana.models.providers import build_model
from ana.settings import PROJECT, load_settings
from ana.tracing.schema import Record
from app.show.calls import WRITES, describe_call
from app.show.text import wrap
from evals.goldens import Golden, list_differences, play_again, read_goldens, record_golden, write_goldens
from prompts import decision_prompt

FILE = PROJECT / "tests" / "data" / "conversation.jsonl"
WIDTH = 116
"""Columns, as of a terminal."""

MESSAGES = (
    "We redo the kitchen in March. Priya does the tiles, and I owe her the measurements by Friday.",
    "Nothing hard after four, please: I am useless by then.",
    "A bigger window would be lovely, one day.",
    "Priya has her measurements.",
    "What is next for the kitchen?",
)


def read_conversation() -> Golden:
    """Return the recorded conversation."""
    return read_goldens(FILE)[0]


def record_conversation() -> Golden:
    """Play the conversation with the model of the settings.

    Raises:
        ConfigError: The model cannot be built from the settings.
    """
    settings = load_settings()
    model = build_model(settings, decision_prompt)
    return record_golden("structure emerges", "act", [(message, (), ()) for message in MESSAGES], settings, model)


def render_conversation(golden: Golden | None = None) -> str:
    """Return it as the REPL prints it: what was said, the calls, the answers, what was changed.

    Args:
        golden: The conversation; None reads it.
    """
    golden = golden or read_conversation()
    lines = [line for record in golden.records for line in [*_tell(record), ""]][:-1]
    return "\n".join(["```", *(wrap(line, WIDTH) for line in lines), "```"])


def _tell(record: Record) -> list[str]:
    looked_up = (step for step in record["steps"] if step["tool"] not in WRITES)
    calls = [f"  {describe_call({**step, 'ok': True}, int(record['ts'][:4]))}" for step in looked_up]
    changes = [f"  {line}" for line in list_changes(record.get("changes", []), record.get("receipt"))]
    return [f"> {record['question']}", *calls, record["answer"], *changes]


def main() -> None:
    """Play the recorded conversation again and print what has changed; with --record, record one with a model."""
    if sys.argv[1:] == ["--record"]:
        write_goldens(FILE, [record_conversation()])
        print(render_conversation())
        return
    old = read_conversation()
    new = play_again(old)
    for line in list_differences([old], [new]):
        print(line)
    write_goldens(FILE, [new])


if __name__ == "__main__":
    main()
