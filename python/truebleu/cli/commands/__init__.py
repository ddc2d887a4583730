"""What the command does, a module each: each has `run(words)`, which returns the exit code."""
