"""The PostgreSQL backend: tables of many people, and what of them is kept in memory."""
