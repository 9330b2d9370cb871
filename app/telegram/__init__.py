"""Telegram as a door: a person writes to a bot, which asks for what came and needs no public address."""
