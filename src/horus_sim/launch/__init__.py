"""One file that starts a world, nodes and a page, and ends them together.

`load_launch` reads such a file; a Python program makes a `Launch` of `LaunchWorld` and `LaunchNode`
itself. `run_launch` runs it, as ``horus-sim launch FILE`` does.
"""

from horus_sim.launch.config import Launch, LaunchNode
from horus_sim.launch.reading import load_launch
from horus_sim.launch.supervisor import Outcome, run_launch
from horus_sim.launch.world import LaunchPage, LaunchWorld

__all__ = [
    "Launch",
    "LaunchNode",
    "LaunchPage",
    "LaunchWorld",
    "Outcome",
    "load_launch",
    "run_launch",
]
