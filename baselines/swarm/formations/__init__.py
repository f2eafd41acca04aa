"""Formations in which a fleeing prey runs into a trap by itself."""
