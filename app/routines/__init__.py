"""Routines: what is asked at its times, each time as a turn, and where the answers go."""
