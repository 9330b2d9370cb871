"""What each part of the ranking gains: `python -m evals.retrieval.ablation` writes the tables of docs/search.md.

With `--locomo FILE` it writes the one of LoCoMo instead (`make locomo FILE=...`), whose file is not in this repository.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ana.embedders import Embedder, build_embedder
from ana.memory.search.ranking import Weights
from ana.settings import PROJECT, load_settings
from evals.pages import draw_table, replace_parts
from evals.retrieval import locomo
from evals.retrieval.cached import KeptEmbeddings, PlainEmbeddings
from evals.retrieval.measure import SETS, Legs, Scores, open_legs, score_set
from evals.retrieval.scores import Score, score_queries

DOC = PROJECT / "docs" / "search.md"
NAMES = ("minilm", "wordllama")
LEGS: Legs = {
    "everything": Weights(),
    "without vectors": Weights(vector=0),
    "without words": Weights(words=0),
    "without words of like meaning": Weights(near=2),
    "without days": Weights(day=0),
    "without status": Weights(status=0),
}
PLAIN = {"minilm": "whole texts' vectors alone", "wordllama": "nothing subtracted from vectors"}
"""What is left of an embedder that embeds documents as they are."""


def measure(columns: Callable[[Embedder, Legs], dict[str, list[str]]]) -> list[list[str]]:
    """Return the rows of a table: what was left out, and its figures."""
    rows = []
    for name in NAMES:
        inner = build_embedder(load_settings({}), name)
        for leg, figures in columns(KeptEmbeddings(inner), LEGS).items():
            rows.append([f"{name}, {leg}", *figures])
        (plain,) = columns(KeptEmbeddings(PlainEmbeddings(inner)), {"plain": Weights()}).values()
        rows.append([f"{name}, {PLAIN[name]}", *plain])
    return rows


def compare_sets(embedder: Embedder, legs: Legs) -> dict[str, list[str]]:
    """Return for each leg recall@10 on the held-out halves: paraphrases, and the mean of all kinds, of each set."""
    every = [score_set(name, embedder, legs=legs) for name in SETS]
    return {leg: summarize(leg, every) for leg in legs}


def summarize(leg: str, every: Sequence[Scores]) -> list[str]:
    """Return the figures of one leg in the table."""
    figures: list[float] = []
    for scores in every:
        kinds = scores[leg]
        figures += [kinds["paraphrase"].recall10, sum(kind.recall10 for kind in kinds.values()) / len(kinds)]
    return [f"{figure:.2f}" for figure in figures]


def compare_conversations(path: Path) -> Callable[[Embedder, Legs], dict[str, list[str]]]:
    """Return what measures recall@10 on LoCoMo: the conversations on which weights were chosen, the others, and all."""

    def compare(embedder: Embedder, legs: Legs) -> dict[str, list[str]]:
        every: dict[str, list[dict[str, Score]]] = {leg: [] for leg in legs}
        for talk in locomo.read_conversations(path):
            with open_legs(talk.items, embedder, talk.clock, legs) as finders:
                for leg, find in finders.items():
                    every[leg].append(score_queries(find, talk.queries))
        return {leg: list(_split(parts)) for leg, parts in every.items()}

    return compare


def _split(parts: Sequence[dict[str, Score]]) -> Iterator[str]:
    for some in (parts[::2], parts[1::2], parts):
        yield f"{locomo.pool_recall(some):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval.ablation", description=__doc__)
    parser.add_argument("--locomo", type=Path, metavar="FILE")
    path: Path | None = parser.parse_args().locomo
    head = ["", *(f"{name}, {of}" for name in SETS for of in ("paraphrase", "all kinds"))]
    if path:
        head = ["", "tuning half", "held-out half", "all"]
    part, columns = ("locomo", compare_conversations(path)) if path else ("ablation", compare_sets)
    table = draw_table(head, measure(columns))
    DOC.write_text(replace_parts(DOC, {part: table}), encoding="utf-8")
    print(table)


if __name__ == "__main__":
    main()
