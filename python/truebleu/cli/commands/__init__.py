"""One module for each command: a parser, an action, and `run(words)`, which returns the exit code."""
