"""Calendar files (RFC 5545): reading them as items, and writing items as such a file."""
