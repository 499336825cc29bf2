"""Horus Sim: a robot described once, then driven, seen, measured and trained.

Importing this package has no side effects and loads nothing heavy; import the part you need, such
as ``horus_sim.tf`` or ``horus_sim.coords``.
"""

__version__ = "0.1.0"
