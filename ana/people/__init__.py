"""The people of a deployment: their names, and the keys with which they sign in."""

from ana.people.people import People

__all__ = ["People"]
