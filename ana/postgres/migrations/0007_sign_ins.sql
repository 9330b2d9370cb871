-- Who is let in with what, as digests. It is everybody's: whose request it is, is known only after it was read.
CREATE TABLE sign_ins (
    name text PRIMARY KEY,
    tokens text[] NOT NULL,
    code text NOT NULL,
    until double precision NOT NULL
);
