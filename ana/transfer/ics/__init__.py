"""Calendar files (RFC 5545): what is read from them as items, and items written as such a file."""
