"""What knows nothing of graphs: settings, errors, the store, models, tracing."""

__version__ = "0.1.0"
