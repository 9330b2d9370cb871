"""Conversations: what keeps their states, names and trash, and who owns one; ports, and files in a folder."""
