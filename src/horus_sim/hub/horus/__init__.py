"""A bridge to the topics of the HORUS robotics framework."""

from __future__ import annotations

from horus_sim.hub.horus.bridge import HorusBridge

__all__ = ["HorusBridge"]
