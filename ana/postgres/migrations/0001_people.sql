CREATE TABLE people (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);

-- A second wall between people, whatever a statement forgets: rows are those of the person that the transaction has
-- named. Without one every statement fails. The owner of the tables stands before it too, a superuser does not.
CREATE FUNCTION keep_people_apart(kept regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', kept);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', kept);
    EXECUTE format('CREATE POLICY own_rows ON %s USING (person = current_setting(''ana.person'')::integer)', kept);
END
$$;
