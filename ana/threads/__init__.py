"""Conversations: what keeps their states, names and trash, who owns one, and runs; ports, and files in a folder."""
