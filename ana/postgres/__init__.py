"""PostgreSQL: connections, migrations, and transactions of one person. Other packages define the contents of the
tables.
"""
