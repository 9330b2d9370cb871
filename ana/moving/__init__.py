"""Moving all that a person has from a data folder into PostgreSQL, and back: copied, compared, then changed over."""
