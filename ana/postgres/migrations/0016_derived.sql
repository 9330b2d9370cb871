-- What finds a person's records is derived in the memory of whoever asks: see ana/backends/postgres/derived.py.
DROP TABLE IF EXISTS terms, properties, zones, item_dates, property_dates;
ALTER TABLE records DROP COLUMN IF EXISTS date, DROP COLUMN IF EXISTS repeats, DROP COLUMN IF EXISTS words;
ALTER TABLE entries DROP COLUMN IF EXISTS row;
ALTER TABLE stores DROP COLUMN IF EXISTS term, DROP COLUMN IF EXISTS zone;

CREATE OR REPLACE FUNCTION empty_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM records WHERE person = OLD.person;
    DELETE FROM entries WHERE person = OLD.person;
    RETURN NULL;
END
$$;

-- A run is stopped and then deleted, so nothing notes any more that it is to be rolled back.
ALTER TABLE runs DROP COLUMN IF EXISTS rollback;
