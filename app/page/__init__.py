"""The page, /app: what the REPL and the commands do for a person, drawn by the server; works without JavaScript."""
