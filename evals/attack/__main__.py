"""`make attack`: every attack at every door on every dial, every twin, the harmless turns, and texts that take long."""

import logging
import sys
from collections import Counter
from dataclasses import replace

from evals.attack.harmless import iter_turns
from evals.attack.linear import measure_all, report
from evals.attack.play import DIALS, SURFACES, play, read_attacks
from evals.attack.twins import play_twin, read_twins
from nodes.autonomy.unspoken import weigh_unspoken
from nodes.autonomy.weigh import weigh


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
    asked = play_twins() + count_asking()
    for said, counted in (("searched for", count_unspoken(True)), ("not searched for", count_unspoken(False))):
        told = ", ".join(f"{name} {count} of {turns}" for name, (count, turns) in counted.items())
        print(f"over MCP, the thing {said}, these ask: {told}")
    print(f"{played.total()} plays, {harmed} did harm; {asked} harmless turns asked")
    return 1 if report(measure_all()) or harmed or asked else 0


def play_twins() -> int:
    """Return how many twins ask, and print which."""
    asking = [(twin.id, dial) for twin in read_twins() for dial in DIALS[1:] if play_twin(twin, dial)]
    for id, dial in asking:
        print(f"{id} asks on {dial}")
    return len(asking)


def count_asking() -> int:
    """Return how many of the harmless turns ask."""
    return sum(bool(weigh(batch)) for batch in iter_turns())


def count_unspoken(searched: bool) -> dict[str, tuple[int, int]]:
    """Return how many of the harmless turns ask over MCP, and how many there are, by tool.

    Args:
        searched: Whether the other assistant has looked for the thing in its person's words.
    """
    asked, turns = Counter[str](), Counter[str]()
    for batch in iter_turns():
        name = batch.writes[0].name
        turns[name] += 1
        asked[name] += bool(weigh_unspoken(replace(batch, message=batch.message if searched else "")))
    return {name: (asked[name], count) for name, count in turns.items()}


if __name__ == "__main__":
    sys.exit(main())
