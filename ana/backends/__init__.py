"""Where records are kept: one package or module per database."""
