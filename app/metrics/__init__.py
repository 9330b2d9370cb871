"""Figures of a process for Prometheus: how often, how long and how much; never of whom, and never a word of anybody."""
