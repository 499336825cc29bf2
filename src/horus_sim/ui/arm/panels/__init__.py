"""Panels of the arm page."""
