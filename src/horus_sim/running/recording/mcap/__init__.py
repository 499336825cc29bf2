"""Recordings as MCAP files: written, read and repaired."""
