"""The run on disk: one schema, one writer, one reader (docs/records.md)."""
