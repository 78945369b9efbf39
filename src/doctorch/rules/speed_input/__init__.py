"""Faults of the time of the input pipeline."""
