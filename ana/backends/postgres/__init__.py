"""The PostgreSQL backend: tables of many people, and the part of them that is kept in memory."""
