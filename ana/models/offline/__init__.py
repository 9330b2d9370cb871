"""A small rule-based reader that works without a key: a chat model that sees messages and tool schemas only."""

from ana.models.offline.reader import OfflineReader

__all__ = ["OfflineReader"]
