"""Statements of messages read as facts of a task."""
