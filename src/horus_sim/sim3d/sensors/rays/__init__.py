"""Sensors that send rays: lidars, laser scanners and range finders, and how rays are cast."""
