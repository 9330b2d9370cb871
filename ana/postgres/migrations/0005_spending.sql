-- What a person spends on models: the day's total, what is reserved for calls that run, bills of turns without a trace.
CREATE TABLE spending (
    person integer PRIMARY KEY DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    day text NOT NULL DEFAULT '',
    usd double precision NOT NULL DEFAULT 0,
    most double precision
);

CREATE TABLE reservations (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    id text NOT NULL,
    usd double precision NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (person, id)
);

CREATE TABLE bills (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    number bigint GENERATED ALWAYS AS IDENTITY,
    written timestamptz NOT NULL DEFAULT now(),
    line text NOT NULL,
    PRIMARY KEY (person, number)
);

SELECT keep_people_apart(kept) FROM unnest(ARRAY['spending', 'reservations', 'bills']::regclass[]) AS kept;
