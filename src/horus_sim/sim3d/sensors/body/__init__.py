"""Sensors that feel their body: motion, place, joints, forces and touch."""
