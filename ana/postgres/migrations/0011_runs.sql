-- A person's runs: what was asked for, and how they stand. Workers learn of them by the queue of procrastinate, whose jobs
-- hold a person's number and a run's id and no words.
CREATE TABLE runs (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    thread text COLLATE "C" NOT NULL,
    -- which of the person's queues it waits in
    lane smallint NOT NULL,
    asked json NOT NULL,
    size integer NOT NULL,
    is_kept boolean NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    -- nothing of it is to stay
    rollback boolean NOT NULL DEFAULT false,
    -- nothing of it works any more
    done boolean NOT NULL DEFAULT false,
    attempt integer NOT NULL DEFAULT 0,
    -- attempts that ended without a word
    failures integer NOT NULL DEFAULT 0,
    error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (person, id)
);
CREATE INDEX runs_by_thread ON runs (person, thread, seq);
CREATE INDEX runs_that_work ON runs (person) WHERE NOT done;

-- what runs have told
CREATE TABLE run_events (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer,
    run text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    name text NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (person, run, position),
    FOREIGN KEY (person, run) REFERENCES runs ON DELETE CASCADE
);

SELECT keep_people_apart(kept) FROM unnest(ARRAY['runs', 'run_events']::regclass[]) AS kept;
