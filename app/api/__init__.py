"""Our own server: the part of the LangGraph API that front ends speak, for several people."""
