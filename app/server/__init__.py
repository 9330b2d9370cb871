"""Our server: the part of the LangGraph API that front ends speak, and our routes beside it, for who has signed in."""
