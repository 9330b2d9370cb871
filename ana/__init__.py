"""Everything that does not depend on the graph: settings, errors, the store, models, tracing."""

__version__ = "0.2.0"
