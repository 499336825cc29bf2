"""Scenes as data: what stands where, and under which physics."""
