"""How many sentences the offline reader understands.

`python -m evals.sentences` measures the held-out half: each sentence is put alone to a whole assistant on a fresh copy
of one small world. `--half tuning` names what is wrong in the other, on which the reader was tuned; there nothing is
really changed (evals/sentences/still.py).
"""

import argparse
from collections.abc import Iterator

from evals.sentences.data import load_sentences
from evals.sentences.expected import Outcome
from evals.sentences.still import put_all
from evals.sentences.world import open_world


def score_sentences(outcomes: list[Outcome] | None = None) -> Iterator[tuple[str, str]]:
    """Yield how many sentences of each kind are understood, and how many writes were wrong.

    Args:
        outcomes: What to count; None puts the held-out half to a whole assistant first.
    """
    every = put_held_out() if outcomes is None else outcomes
    for kind in dict.fromkeys(outcome.sentence.kind for outcome in every):
        each = [outcome for outcome in every if outcome.sentence.kind == kind]
        yield f"sentences, {kind}", f"{sum(not o.wrong for o in each)} of {len(each)}"
    right = sum(not outcome.wrong for outcome in every)
    yield "sentences understood (goal 0.85)", f"{right} of {len(every)} = {right / len(every):.2f}"
    yield "wrong writes (goal 0)", str(sum(len(outcome.wrong_writes) for outcome in every))


def put_held_out() -> list[Outcome]:
    with open_world() as world:
        return [world.put(sentence) for sentence in load_sentences("held-out")]


def main() -> None:
    """Print the score of a half; of the tuning half also what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m evals.sentences", description=__doc__)
    parser.add_argument("--half", choices=["tuning", "held-out"], default="held-out")
    outcomes = None
    if parser.parse_args().half == "tuning":  # only there: whoever reads what is wrong in the other half tunes on it
        outcomes = put_all(load_sentences("tuning"))
        for outcome in outcomes:
            if outcome.wrong:
                print(f"{outcome.sentence.id}: {outcome.sentence.text}\n    " + "\n    ".join(outcome.wrong))
    for name, figure in score_sentences(outcomes):
        print(f"{name:<40} {figure}")
