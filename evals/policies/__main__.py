"""Measure the policies: the honest drafts that they send back, and the false ones that they miss."""

import argparse

from evals.policies import checked
from evals.policies.data import HALVES, SETS
from evals.policies.measure import judge_cases, print_wrong, show_counts


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.policies", description=__doc__)
    parser.add_argument("--half", choices=HALVES, action="append", help="only this half")
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS], help="only these sets of drafts")
    parser.add_argument("--wrong", action="store_true", help="list what is judged wrongly in the tuning half")
    parser.add_argument("--check", action="store_true", help="ask the model of the settings about what they let pass")
    parser.add_argument("--jobs", type=int, default=4, help="so many calls of the model at once")
    options = parser.parse_args()
    if options.wrong:
        print_wrong("tuning")
        return
    for half in options.half or (["held-out"] if options.check else HALVES):
        for name in options.sets:
            if options.check:
                checked.show_checked(name, half, options.jobs)
            else:
                show_counts(judge_cases(half, name), f"{name}, {half}")


if __name__ == "__main__":
    main()
