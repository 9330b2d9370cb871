"""Measure the policies, or with --wrong list what is judged wrongly in the tuning half."""

import sys

from evals.policies.measure import main, print_wrong

if __name__ == "__main__":
    print_wrong("tuning") if "--wrong" in sys.argv else main()
