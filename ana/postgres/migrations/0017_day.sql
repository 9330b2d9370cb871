-- What was spent on a day, and what running calls reserve of its budget, is a note like others. It is derived: without
-- one it is added up again.
DROP TABLE spending;
