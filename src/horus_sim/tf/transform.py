"""The rigid transform; its mathematics is native."""

from horus_sim._native import Transform

__all__ = ["Transform"]
