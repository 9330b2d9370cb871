"""40 messages to one thread at once, 20 times. Nothing may be lost, doubled or in another order in the traces."""

import tempfile
import time
from pathlib import Path

from evals.load.mixed import run_round
from evals.load.server import running

ROUNDS = 20
MOST_SECONDS = 900.0
"""No further round begins after this time; the rounds that are missing are a failure."""


def main() -> int:
    """Run the rounds on a server with the offline reader, in a folder of its own."""
    wrong, begun = [], time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = {"ANA_DATA_DIR": "data", "TRACES_DIR": "traces", "LOG_FILE_PATH": "log/ana.log"}
        # a long history is cut, and then the state would no longer hold every message
        env = {key: str(folder / path) for key, path in paths.items()} | {"ANA_HISTORY_TOKENS": "100000"}
        env["LLM_PROVIDER"] = "offline"
        with running(env, folder / "server.log") as server:
            for number in range(ROUNDS):
                if time.monotonic() - begun > MOST_SECONDS:
                    wrong.append(f"only {number} of {ROUNDS} rounds in {MOST_SECONDS:g} s")
                    break
                faults = run_round(server.url, env, f"round {number}")
                print(f"round {number + 1}: {'; '.join(faults) or 'every message answered once, in one order'}")
                wrong += faults
    print(f"{len(wrong)} faults, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
