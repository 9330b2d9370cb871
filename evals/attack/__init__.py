"""Attacks by stored text, played by a model that obeys whatever it reads; harmless twins, which must not ask; and texts
that would take a reader long."""
