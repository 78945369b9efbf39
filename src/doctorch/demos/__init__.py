"""Small sick trainings for ``doctorch demo``. Each imports torch only when it is run, as any script of a user's."""

STORIES = {
    "stuck.py": "A classifier whose loss stays at 0.693, whatever one tries.",
    "tokens.py": "A text model that dies with «index out of range in self».",
    "slow.py": "A training that takes its time, and nobody knows where.",
}
"""Script and the line before it, in the order in which they are shown."""
