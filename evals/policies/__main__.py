"""Measure the policies; --wrong lists what is judged wrongly in the tuning half, --check asks a model that checks."""

import sys

from evals.policies.measure import main, print_wrong

if __name__ == "__main__":
    if "--check" in sys.argv:
        from evals.policies import checked

        checked.main()
    elif "--wrong" in sys.argv:
        print_wrong("tuning")
    else:
        main()
