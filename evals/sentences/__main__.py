"""Measure the offline reader."""

from evals.sentences.measure import main

if __name__ == "__main__":
    main()
