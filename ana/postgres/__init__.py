"""PostgreSQL: connections, migrations, and transactions of one person. Other packages say what is in the tables."""
