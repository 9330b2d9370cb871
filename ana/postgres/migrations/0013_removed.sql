-- whoever was removed has a name with a space: also for a process that has known their number for long
CREATE OR REPLACE FUNCTION begin_work(known integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    found people;
BEGIN
    SELECT * INTO found FROM people WHERE number = known;
    IF found.away IS NOT NULL THEN
        RAISE EXCEPTION 'what this person has is in a data folder';
    END IF;
    IF found.name LIKE '% %' THEN
        RAISE EXCEPTION USING ERRCODE = 'ANA02', MESSAGE = 'the person was removed';
    END IF;
    PERFORM set_config('ana.person', known::text, true);
END
$$;
