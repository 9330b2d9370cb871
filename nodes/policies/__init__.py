"""Policies: small pure checks of a draft answer against what really happened; `check` runs them all."""
