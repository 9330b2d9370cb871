"""Our HTTP routes beside the LangGraph API's, and the guard before all."""
