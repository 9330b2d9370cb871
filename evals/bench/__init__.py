"""`make bench`: speed, as ratios inside one run."""
