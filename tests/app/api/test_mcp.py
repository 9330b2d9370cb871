"""Other assistants over HTTP, with the official client on loopback."""

from mcp_types import Implementation

RENT = {"content": "Pay the rent", "properties": {"due_date": "2026-01-30"}}
HELLO = {"client_info": Implementation(name="Claude Code", version="1"), "cache": None}
