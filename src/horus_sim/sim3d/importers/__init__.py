"""Readers of robot and world descriptions."""
