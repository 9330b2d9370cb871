"""Routines: questions that are asked at their times, each time as a turn, and the delivery of the answers."""
