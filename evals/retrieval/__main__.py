"""Measure retrieval."""

from evals.retrieval.measure import main

if __name__ == "__main__":
    main()
