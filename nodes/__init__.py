"""The nodes of the graph, one in each file; the policies are next to reflect."""
