-- Who told what was written; those of a record's parts stand in its JSON: see ana/memory/sources.py.
ALTER TABLE entries ADD COLUMN source text NOT NULL DEFAULT 'person';
