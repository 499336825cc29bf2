"""Robots and their surroundings as models that step fast."""
