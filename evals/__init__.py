"""Measurements of the assistant, and the generated parts of its documentation."""
