"""The interactive prompt of `ana chat`."""
