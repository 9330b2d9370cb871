-- What running calls keep of a day's budget stands in the row of the day.
ALTER TABLE spending ADD COLUMN held jsonb NOT NULL DEFAULT '[]';
DROP TABLE reservations;
