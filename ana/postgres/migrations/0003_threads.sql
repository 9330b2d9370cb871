-- A person's conversations. Their ids are UUIDs, or of one in the trash; what a person or a client has written is in
-- columns that take any text.

-- seq is the order in which they were saved: ids are times, and a clock can go back
CREATE TABLE checkpoints (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    parent text COLLATE "C",
    begins_turn boolean NOT NULL,
    run text COLLATE "C",
    type text NOT NULL,
    state bytea NOT NULL,
    metadata json NOT NULL,
    PRIMARY KEY (person, thread, namespace, id)
);
CREATE INDEX checkpoints_in_order ON checkpoints (person, thread, seq);
CREATE INDEX checkpoints_by_run ON checkpoints (person, run) WHERE run IS NOT NULL;

-- without a foreign key: what a task writes may arrive before the checkpoint that it belongs to
CREATE TABLE writes (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text COLLATE "C" NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    checkpoint text COLLATE "C" NOT NULL,
    task text COLLATE "C" NOT NULL,
    idx integer NOT NULL,
    path text NOT NULL,
    channel text NOT NULL,
    type text NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (person, thread, namespace, checkpoint, task, idx)
);

-- threads that have lost all their checkpoints with their runs
CREATE TABLE emptied (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text COLLATE "C" NOT NULL,
    PRIMARY KEY (person, thread)
);

-- runs that a person has stopped
CREATE TABLE stopped (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    run text COLLATE "C" NOT NULL,
    PRIMARY KEY (person, run)
);

CREATE TABLE thread_names (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text COLLATE "C" NOT NULL,
    name json NOT NULL,
    PRIMARY KEY (person, thread)
);

CREATE TABLE last_thread (
    person integer PRIMARY KEY DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text NOT NULL
);

-- threads that a client has created
CREATE TABLE created (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    thread text COLLATE "C" NOT NULL,
    ts text NOT NULL,
    metadata json NOT NULL,
    PRIMARY KEY (person, thread)
);

CREATE TABLE trash (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    number bigint GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    thread text NOT NULL,
    ts text NOT NULL,
    name json NOT NULL,
    trace text NOT NULL,
    PRIMARY KEY (person, id)
);

SELECT keep_people_apart(kept) FROM unnest(ARRAY[
    'checkpoints', 'writes', 'emptied', 'stopped', 'thread_names', 'last_thread', 'created', 'trash'
]::regclass[]) AS kept;
