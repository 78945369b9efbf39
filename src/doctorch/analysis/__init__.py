"""What several readers of a run need, computed once and without side effects."""
