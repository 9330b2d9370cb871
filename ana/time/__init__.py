"""The clock, dates, spans of time, and what a phrase such as "next Friday" means."""
