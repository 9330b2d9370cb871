"""How useful the offline reader is, and how often it writes what was not meant.

`python -m evals.sentences` puts the sentences of `people.jsonl` to a whole assistant in one small world, each for
itself, and names what was not useful; `--set tuning` and `--set traps` the others that it may be tuned on. Of
`held-out` only the figures are shown: whoever reads what is wrong there tunes on it.
"""

import argparse
from collections.abc import Iterator, Sequence

from evals.sentences.data import SETS, load_sentences
from evals.sentences.judge import Outcome
from evals.sentences.world import put_all

UNREAD = "held-out"


def score_sentences(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield for each meaning how many sentences were useful and how many were wrong writes, and the shares.

    The shares are of the English sentences; those in other languages are counted apart.
    """
    every, others = split_by_language(outcomes)
    for meaning in dict.fromkeys(outcome.sentence.means for outcome in every):
        each = [outcome for outcome in every if outcome.sentence.means == meaning]
        yield f"sentences, {meaning}", f"{_count(each, 'useful')} of {len(each)}, wrong {_count(each, 'wrong')}"
    for name, verdict in (("useful (goal 0.75)", "useful"), ("wrong writes (goal 0.02)", "wrong")):
        count = _count(every, verdict)
        yield f"sentences, {name}", f"{count} of {len(every)} = {count / len(every):.2f}"
    yield "sentences, other languages", f"{_count(others, 'useful')} of {len(others)}, wrong {_count(others, 'wrong')}"


def split_by_language(outcomes: Sequence[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
    """Return the outcomes of English sentences, and those of sentences in other languages."""
    english = [outcome for outcome in outcomes if not outcome.sentence.other_language]
    return english, [outcome for outcome in outcomes if outcome.sentence.other_language]


def _count(outcomes: Sequence[Outcome], verdict: str) -> int:
    return sum(outcome.verdict == verdict for outcome in outcomes)


def main() -> None:
    """Print what was not useful, and the score."""
    parser = argparse.ArgumentParser(prog="python -m evals.sentences", description=__doc__)
    parser.add_argument("--set", choices=SETS, default="people")
    chosen = parser.parse_args()
    outcomes = put_all(load_sentences(chosen.set))
    for outcome in outcomes if chosen.set != UNREAD else ():
        if outcome.verdict != "useful":
            text, id = outcome.sentence.text, outcome.sentence.id
            print(f"{id} {outcome.verdict}: {text}\n    {outcome.why}\n    answered {outcome.answer!r}")
    for name, figure in score_sentences(outcomes):
        print(f"{name:<40} {figure}")


if __name__ == "__main__":
    main()
