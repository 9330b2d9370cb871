"""Telegram: people write to a bot, which polls for messages and needs no public address."""
