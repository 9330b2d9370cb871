"""Measure speed."""

from evals.bench.measure import main

if __name__ == "__main__":
    main()
