-- The records of a person's turns, each the line of JSON that a trace file would have.
CREATE TABLE turns (
    person integer NOT NULL DEFAULT current_setting('ana.person')::integer REFERENCES people ON DELETE CASCADE,
    number bigint GENERATED ALWAYS AS IDENTITY,
    thread text COLLATE "C" NOT NULL,
    id text COLLATE "C",
    written timestamptz NOT NULL DEFAULT now(),
    line text NOT NULL,
    PRIMARY KEY (person, number)
);
CREATE INDEX turns_by_thread ON turns (person, thread, number);
CREATE INDEX turns_by_id ON turns (person, id) WHERE id IS NOT NULL;
CREATE INDEX turns_by_moment ON turns (person, written);

SELECT keep_people_apart('turns');
