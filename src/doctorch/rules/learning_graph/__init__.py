"""Faults of the graph from the loss to the parameters."""
