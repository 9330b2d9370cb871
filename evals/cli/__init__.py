"""The commands of evals, which `ana` finds by their entry points."""
