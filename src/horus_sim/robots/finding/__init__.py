"""Robots found by name, in folders and in archives."""
