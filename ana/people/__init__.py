"""The people of a deployment: who they are, and what they sign in with."""

from ana.people.people import People

__all__ = ["People"]
