"""Faults of data files, seen while a script reads them."""
