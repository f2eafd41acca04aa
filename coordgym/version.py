"""The version of the package, for records and replays."""

VERSION = "0.2.0"
"""The same as in ``pyproject.toml``."""
