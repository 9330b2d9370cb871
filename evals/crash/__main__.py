"""Kill it at random moments."""

from evals.crash.kills import main

if __name__ == "__main__":
    raise SystemExit(main())
