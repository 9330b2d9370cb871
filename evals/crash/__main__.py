"""Kill it at random moments."""

from evals import long_runs
from evals.crash import kills

if __name__ == "__main__":
    raise SystemExit(long_runs.run(kills.play, kills.__doc__, kills=kills.KILLS))
