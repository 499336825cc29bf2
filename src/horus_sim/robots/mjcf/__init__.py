"""MJCF: robots read from it."""
