"""The stores of records, one package or module for each database."""
