"""How people and programs come in: the command line, the REPL, HTTP."""
