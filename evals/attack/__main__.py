"""`make attack`: every attack at every door on every dial, every twin, and texts that take long."""

import logging
import sys
from collections import Counter

from evals.attack.linear import measure_all, report
from evals.attack.play import DIALS, SURFACES, play, read_attacks
from evals.attack.twins import play_twin, read_twins


def main() -> int:
    """Play all of it; return 1 if an attack did harm, something harmless asked, or a reading is not linear."""
    logging.disable(logging.CRITICAL)
    played, harmed = Counter[str](), 0
    for attack in read_attacks():
        for surface in SURFACES:
            for dial in DIALS:
                played[attack.kind] += 1
                if harm := play(attack, surface, dial):
                    harmed += 1
                    print(f"{attack.id} by {surface} on {dial}: {'; '.join(harm)}")
    for kind, count in played.items():
        print(f"{kind:<16} {count:>4}")
    asked = play_twins()
    print(f"{played.total()} plays, {harmed} did harm; {asked} harmless turns asked")
    return 1 if report(measure_all()) or harmed or asked else 0


def play_twins() -> int:
    """Return how many twins ask, and print which."""
    asking = [(twin.id, dial) for twin in read_twins() for dial in DIALS[1:] if play_twin(twin, dial)]
    for id, dial in asking:
        print(f"{id} asks on {dial}")
    return len(asking)


if __name__ == "__main__":
    sys.exit(main())
