"""The five nodes of the graph, each in its file, and their common parts; autonomy weighs calls, policies drafts."""
