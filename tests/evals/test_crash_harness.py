"""The short form of `make crash`."""

from tests.forks import run_forked


def test_kills_at_random_moments_lose_nothing_and_leave_nothing_half_done() -> None:
    """In a process of its own, because its children are forks, and no fork survives a Chroma that was opened before."""
    done = run_forked("-m", "evals.crash", "--kills", "3", "--seed", "11", timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n3 kills (" in done.stdout
