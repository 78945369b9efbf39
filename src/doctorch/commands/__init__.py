"""One file per command: parse, call, render. They import what they need only when they are called, so that ``--help`` is fast."""
