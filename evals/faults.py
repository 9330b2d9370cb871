"""What the long runs say at their end."""

from collections.abc import Sequence


def report(faults: Sequence[str]) -> int:
    """Print the faults that were found, and return the exit code."""
    print("\n".join([f"{len(faults)} faults", *(f"- {fault}" for fault in faults)]))
    return 1 if faults else 0
