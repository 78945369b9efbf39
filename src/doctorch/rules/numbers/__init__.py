"""Faults of numbers: values that are none, and the range of half precision."""
