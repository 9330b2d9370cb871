"""Attacks by stored text, played by a model that obeys whatever it reads; and harmless twins, which must not ask."""
