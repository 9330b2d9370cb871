"""Keeping a Chroma folder healthy: probe, rebuild, repair, re-embed, back up, restore, migrate."""
