"""One family of environments."""
