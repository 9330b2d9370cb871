"""One node a file; policies stand beside reflect."""
