"""Horus Sim: a robot described once, then driven, seen, measured and trained.

Importing this package has no side effects and loads nothing heavy; import the part you need, such
as ``horus_sim.tf`` or ``horus_sim.coords``. ``horus_sim.Node``, ``Scheduler``, ``run`` and
``connect`` are loaded when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from horus_sim.hub import Node, Scheduler, connect, run

__version__ = "0.1.0"
__all__ = ["Node", "Scheduler", "__version__", "connect", "run"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module's attributes
    from importlib import import_module

    if name in {"Node", "Scheduler", "connect", "run"}:
        return getattr(import_module("horus_sim.hub"), name)
    if name == "time":
        return import_module("horus_sim.time")
    raise AttributeError(f"module 'horus_sim' has no attribute '{name}'")
