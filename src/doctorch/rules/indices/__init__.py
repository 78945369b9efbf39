"""Faults of indices outside their table."""
