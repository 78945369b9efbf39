"""A doctor for PyTorch training."""

__version__ = "0.1.0"
