-- What of a person's reminders has rung, and where: items in the form of to_name, addresses as digests.
CREATE TABLE rings (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    number bigint GENERATED ALWAYS AS IDENTITY,
    address text COLLATE "C" NOT NULL,
    item text COLLATE "C" NOT NULL,
    moment text COLLATE "C" NOT NULL,
    attempts integer NOT NULL DEFAULT 1,
    delivered boolean NOT NULL,
    PRIMARY KEY (person, number),
    UNIQUE (person, address, moment, item)
);

CREATE TABLE failing (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    address text COLLATE "C" NOT NULL,
    since text NOT NULL,
    failures integer NOT NULL DEFAULT 1,
    tried text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (person, address)
);

-- whoever delivers has locked this row
CREATE TABLE ringers (
    person integer PRIMARY KEY DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE
);

SELECT keep_people_apart(kept) FROM unnest(ARRAY['rings', 'failing', 'ringers']::regclass[]) AS kept;
