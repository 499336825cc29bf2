"""Wrappers of vector environments; they know where episodes begin in every autoreset mode."""

from horus_sim.rl.wrappers.action_delay import ActionDelay
from horus_sim.rl.wrappers.frame_stack import FrameStack
from horus_sim.rl.wrappers.goals import GoalEnv, GoalObservations
from horus_sim.rl.wrappers.named import FlattenObservations, NamedObservations
from horus_sim.rl.wrappers.normalize import NormalizeObservations
from horus_sim.rl.wrappers.time_limit import TimeLimit
from horus_sim.rl.wrappers.video import RecordVideo

__all__ = [
    "ActionDelay",
    "FlattenObservations",
    "FrameStack",
    "GoalEnv",
    "GoalObservations",
    "NamedObservations",
    "NormalizeObservations",
    "RecordVideo",
    "TimeLimit",
]
