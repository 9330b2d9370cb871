"""40 messages to one thread at once, 20 times. Nothing may be lost, doubled or in another order in the traces."""

import tempfile
import time
from pathlib import Path

from evals.faults import report
from evals.load.mixed import run_round
from evals.load.server import name_places, running

ROUNDS = 20
MOST_SECONDS = 900.0
"""No further round begins after this time; the rounds that are missing are a failure."""


def main() -> int:
    """Run the rounds on a server with the offline reader, in a folder of its own."""
    wrong, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        # a long history is cut, and then the state would no longer hold every message
        env = name_places(Path(name), ANA_HISTORY_TOKENS="100000")
        with running(env, Path(name) / "server.log") as server:
            for number in range(ROUNDS):
                if time.monotonic() - begun > MOST_SECONDS:
                    wrong.append(f"only {number} of {ROUNDS} rounds in {MOST_SECONDS:g} s")
                    break
                faults = run_round(server.url, env, f"round {number}")
                print(f"round {number + 1}: {'; '.join(faults) or 'every message answered once, in one order'}")
                wrong += faults
    print(f"{time.monotonic() - begun:.0f} s")
    return report(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
