"""Faults of the optimizer's step and what it moves."""
