"""Reading and writing of data that nobody has checked yet: JSON, JSON lines, YAML."""
