"""Conversations: the storage of their states, names and trash, their owners, and runs; ports, and the implementation in
files.
"""
