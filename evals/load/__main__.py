"""40 messages to one thread at once, 20 times. Nothing may be lost, doubled or in another order in the traces."""

import time
from argparse import Namespace
from pathlib import Path

from evals import long_runs
from evals.load.mixed import run_round
from evals.load.server import name_places, running

MOST_SECONDS = 900.0
"""No further round begins after this time; the rounds that are missing are a failure."""


def play(folder: Path, options: Namespace) -> list[str]:
    """Return what is wrong after the rounds, on a server with the offline reader in an empty folder."""
    wrong, begun = list[str](), time.monotonic()
    # a long history is cut, and then the state would no longer hold every message
    env = name_places(folder, ANA_HISTORY_TOKENS="100000")
    with running(env, folder / "server.log") as server:
        for number in range(options.rounds):
            if time.monotonic() - begun > MOST_SECONDS:
                return [*wrong, f"only {number} of {options.rounds} rounds in {MOST_SECONDS:g} s"]
            faults = run_round(server.url, env, f"round {number}")
            print(f"round {number + 1}: {'; '.join(faults) or 'every message answered once, in one order'}", flush=True)
            wrong += faults
    return wrong


if __name__ == "__main__":
    raise SystemExit(long_runs.run(play, __doc__, rounds=20))
