-- away: what the person has is in a data folder, and nobody works on what is here; of both columns the value is the id
-- of the move, out of the database or into it
ALTER TABLE people ADD COLUMN away text, ADD COLUMN moved text;

-- also for a process that has known the person's number for long
CREATE FUNCTION begin_work(known integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM people WHERE number = known AND away IS NOT NULL) THEN
        RAISE EXCEPTION 'what this person has is in a data folder';
    END IF;
    PERFORM set_config('ana.person', known::text, true);
END
$$;
