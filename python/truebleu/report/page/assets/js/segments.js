// Empty as yet.
