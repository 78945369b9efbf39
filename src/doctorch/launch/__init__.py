"""The parent process: starts the training as its child, lives through whatever ends it, and never imports torch."""
