"""Moving all of a person's data from a data folder into PostgreSQL, and back: copy, compare, then switch over."""
