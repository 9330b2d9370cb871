"""PostgreSQL: connections, migrations, and a transaction of one person. What is kept in it stands elsewhere."""
