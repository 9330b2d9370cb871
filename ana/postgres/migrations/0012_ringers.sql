-- whoever delivers is named here, until when: a lock of the row would hold a connection while messages are sent
ALTER TABLE ringers ADD holder text NOT NULL DEFAULT '', ADD until timestamptz NOT NULL DEFAULT '-infinity';
