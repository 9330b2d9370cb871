"""The ways in for people and programs: the command line, the REPL, HTTP."""
