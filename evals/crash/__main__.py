"""Kill it at random moments, then many writers at once."""

from evals.crash.kills import main

if __name__ == "__main__":
    raise SystemExit(main())
