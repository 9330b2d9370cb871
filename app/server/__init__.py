"""ana's server: the part of the LangGraph API that front ends use, and ana's own routes, for everybody who has signed
in.
"""
