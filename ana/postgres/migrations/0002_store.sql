-- A person's items and Global Context lines, what finds them, and the journal. Names (of records, calls, turns, threads,
-- words, properties) are in the form of to_name: ASCII, and short enough for an index.

-- whoever writes has locked this row, so that numbers are given in the order of commits
CREATE TABLE stores (
    person integer PRIMARY KEY DEFAULT current_setting('ana.person')::integer
        REFERENCES people (number) ON DELETE CASCADE,
    entries bigint NOT NULL DEFAULT 0,
    line bigint NOT NULL DEFAULT 0,
    row integer NOT NULL DEFAULT 0,
    term integer NOT NULL DEFAULT 0,
    zone integer NOT NULL DEFAULT 0
);

-- a foreign key of each table would be looked up for each of its rows, of which an item has many
CREATE FUNCTION empty_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM records WHERE person = OLD.person;
    DELETE FROM terms WHERE person = OLD.person;
    DELETE FROM properties WHERE person = OLD.person;
    DELETE FROM zones WHERE person = OLD.person;
    DELETE FROM item_dates WHERE person = OLD.person;
    DELETE FROM property_dates WHERE person = OLD.person;
    DELETE FROM entries WHERE person = OLD.person;
    RETURN NULL;
END
$$;
CREATE TRIGGER empty_store AFTER DELETE ON stores FOR EACH ROW EXECUTE FUNCTION empty_store();

-- json and not jsonb: it takes NUL and halves of surrogate pairs, and keeps numbers and the order of keys as they are
CREATE TABLE records (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    row integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    date text COLLATE "C",
    digest text COLLATE "C" NOT NULL,
    repeats boolean NOT NULL,
    words bytea NOT NULL,
    vector bytea NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (person, row)
);
CREATE UNIQUE INDEX records_by_id ON records (person, kind, id);
CREATE INDEX records_by_digest ON records (person, digest);

CREATE TABLE terms (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    number integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (person, number)
);
CREATE UNIQUE INDEX terms_by_term ON terms (person, term);

CREATE TABLE properties (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    row integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    element smallint NOT NULL,
    value text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    num numeric,
    part bytea,
    tag text COLLATE "C"
);
CREATE INDEX properties_by_row ON properties (person, row);
CREATE INDEX properties_by_value ON properties (person, key, element, folded, row);
CREATE INDEX properties_by_number ON properties (person, key, element, num, row) WHERE num IS NOT NULL;

-- dates as spans of microseconds, once for each zone that queries came from
CREATE TABLE zones (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    number integer NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (person, number),
    UNIQUE (person, name)
);

CREATE TABLE item_dates (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    zone integer NOT NULL,
    row integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    date text COLLATE "C",
    status text COLLATE "C",
    start bigint,
    stop bigint,
    PRIMARY KEY (person, row, zone)
);
CREATE INDEX item_dates_in_order ON item_dates (person, zone, start, date, created_at DESC, id);

CREATE TABLE property_dates (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    zone integer NOT NULL,
    row integer NOT NULL,
    key text COLLATE "C" NOT NULL,
    element smallint NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL
);
CREATE INDEX property_dates_by_row ON property_dates (person, row);
CREATE INDEX property_dates_by_start ON property_dates (person, zone, key, element, start, stop, row);

CREATE TABLE entries (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    seq bigint NOT NULL,
    ts text COLLATE "C" NOT NULL,
    key text COLLATE "C",
    thread text COLLATE "C" NOT NULL,
    turn text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    row integer,
    names json NOT NULL,
    before json,
    after json,
    PRIMARY KEY (person, seq)
);
CREATE INDEX entries_by_key ON entries (person, key) WHERE key IS NOT NULL;
CREATE INDEX entries_by_turn ON entries (person, turn, seq);
CREATE INDEX entries_by_record ON entries (person, kind, id, seq);
CREATE INDEX entries_of_deletion ON entries (person, kind, id, seq) WHERE after IS NULL;

SELECT keep_people_apart(kept) FROM unnest(ARRAY[
    'stores', 'records', 'terms', 'properties', 'zones', 'item_dates', 'property_dates', 'entries'
]::regclass[]) AS kept;
