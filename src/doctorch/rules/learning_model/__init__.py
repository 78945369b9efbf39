"""Faults of the model: initial values, activations, modes and normalisation."""
