"""Diagnoses as text for people and as JSON for programs. Formats only; computes nothing."""
