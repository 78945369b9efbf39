"""The user's source: parsed with ``ast``, resolved across files, changed by edits that are data."""
