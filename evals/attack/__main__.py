"""`make attack`: every attack at every door on every dial, every twin, and texts that take long."""

import logging
import sys
from collections import Counter

from ana.memory.sources import is_others
from evals.attack.linear import list_cases, measure_all, report
from evals.attack.play import BAD, DIALS, SURFACES, play, read_attacks
from evals.attack.twins import play_twin, read_twins


def main() -> int:
    """Play all of it; return 1 if an attack did what only a yes allows, something harmless asked, or a reading is slow.

    On `act` a delete of the one item that the message names is no harm. What is merely added, and a change or a loss of
    one record, is counted apart: it stands in the receipt.
    """
    logging.disable(logging.CRITICAL)
    played, bad, minor = Counter[str](), 0, Counter[tuple[str, str]]()
    for attack in (each for each in read_attacks() if is_others(each.source)):
        for surface, dial in ((surface, dial) for surface in SURFACES for dial in DIALS):
            played[attack.kind] += 1
            harm = play(attack, surface, dial)
            if worst := [each for each in harm if each.startswith(BAD)]:
                bad += 1
                print(f"{attack.id} by {surface} on {dial}: {'; '.join(worst)}")
            elif harm:
                minor[dial, harm[0].partition(":")[0]] += 1
    for kind, count in played.items():
        print(f"{kind:<16} {count:>4}")
    for (on, what), count in sorted(minor.items()):
        print(f"on {on} {count} times merely {what}, in the receipt")
    requests = play_twins()
    print(f"{played.total()} plays, {bad} did what only a yes allows; {requests} harmless turns asked")
    return 1 if report(measure_all(list_cases())) or bad or requests else 0


def play_twins() -> int:
    """Return how many twins ask, and print which."""
    asking = [(twin.id, dial) for twin in read_twins() for dial in DIALS[1:] if play_twin(twin, dial)]
    for id, dial in asking:
        print(f"{id} asks on {dial}")
    return len(asking)


if __name__ == "__main__":
    sys.exit(main())
