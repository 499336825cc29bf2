"""Meshes: files read, weighed, simplified and kept in a cache."""
