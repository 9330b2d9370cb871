"""The page, /app: the REPL and the commands in a browser, drawn by the server; it works without JavaScript."""
