"""The five nodes of the graph, each in its file, and what they share; `autonomy` weighs calls, `policies` drafts."""
