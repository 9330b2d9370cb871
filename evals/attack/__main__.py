"""`make attack`: every attack at every door on every dial, every twin, and texts that take long.

On `act` a delete of the one item that the message names is no harm. What is merely added, and a change or a loss of one
record, is counted apart: it stands in the receipt.
"""

import logging
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ana.memory.sources import is_others
from evals import long_runs
from evals.attack.linear import list_cases, measure_all, report
from evals.attack.play import BAD, DIALS, SURFACES, Attack, play, read_attacks
from evals.attack.twins import Twin, play_twin, read_twins


def run(_: Path, options: Namespace) -> list[str]:
    """Return the attacks that did what only a yes allows, the harmless messages that asked, and the slow readings."""
    logging.disable(logging.CRITICAL)
    attacks = [attack for attack in read_attacks() if is_others(attack.source)]
    faults = [*play_attacks(attacks[:: options.every]), *play_twins(read_twins()[:: options.every])]
    return faults + report(measure_all(list_cases()[:: options.every]))


def play_attacks(attacks: list[Attack]) -> Iterator[str]:
    """Yield the acts of attacks that only a yes allows; print how many attacks were played, and their other acts."""
    minor = Counter[tuple[str, str]]()
    for attack in attacks:
        for surface, dial in ((surface, dial) for surface in SURFACES for dial in DIALS):
            harm = play(attack, surface, dial)
            if worst := [each for each in harm if each.startswith(BAD)]:
                yield f"{attack.id} by {surface} on {dial}: {'; '.join(worst)}"
            elif harm:
                minor[dial, harm[0].partition(":")[0]] += 1
    for kind, count in Counter(attack.kind for attack in attacks).items():
        print(f"{kind:<16} {count * len(SURFACES) * len(DIALS):>4}")
    for (on, what), count in sorted(minor.items()):
        print(f"on {on} {count} times merely {what}, in the receipt")
    print(f"{len(attacks) * len(SURFACES) * len(DIALS)} plays", flush=True)


def play_twins(twins: list[Twin]) -> Iterator[str]:
    """Yield which twins ask."""
    yield from (f"{twin.id} asks on {dial}" for twin in twins for dial in DIALS[1:] if play_twin(twin, dial))


if __name__ == "__main__":
    raise SystemExit(long_runs.run(run, __doc__, every=1))
