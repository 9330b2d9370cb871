"""What all long runs do: each is played in a folder of its own, and says at its end what is wrong."""

import argparse
import random
import shutil
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

Play = Callable[[Path, Namespace], Sequence[str]]
"""Plays a run in an empty folder with what the command line asks for, and returns what is wrong."""


def run(play: Play, about: str | None, **counts: int) -> int:
    """Play a run, print how long it took and what is wrong, and return the exit code.

    Args:
        play: Plays it.
        about: What --help says of it.
        counts: The options that say how often something is done, each with what it is otherwise.
    """
    parser = argparse.ArgumentParser(description=about)
    for name, count in counts.items():
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--keep", type=Path, help="A new folder: where data and logs are kept after a fault.")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        faults = play(Path(name), options)
        if faults and options.keep:
            shutil.copytree(name, options.keep)
    print(f"{time.monotonic() - begun:.0f} s")
    print("\n".join([f"{len(faults)} faults", *(f"- {fault}" for fault in faults)]))
    return 1 if faults else 0
