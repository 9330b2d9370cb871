"""Runs of the graph that a server begins: started, followed, cancelled, listed."""
