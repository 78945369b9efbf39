"""Faults of the time of the training loop."""
