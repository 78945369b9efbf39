"""Runs training scripts in forks of one process that has torch loaded."""
