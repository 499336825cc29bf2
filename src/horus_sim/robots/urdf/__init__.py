"""URDF and xacro: robots read from it and written to it."""
