"""Faults of the data, and symptoms in the loss."""
