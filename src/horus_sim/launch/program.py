"""The programs that a launch starts: commands, environments and order."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from horus_sim.hub.connect import NAME_VARIABLE, SESSION_VARIABLE, session_name
from horus_sim.hub.remapping import REMAP_VARIABLE, remap_text
from horus_sim.launch.config import WORLD, Launch, LaunchNode, Restart

# -P: what lies in the folder of the launch does not take the place of modules.
_OURS = (sys.executable, "-P", "-m", "horus_sim.cli")


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a launch, as it is started.

    Attributes:
        name: Its name.
        words: The command.
        shown: The command as people write it.
        folder: Where it runs.
        variables: What is set in its environment.
        after: Names of the programs before it.
        restart: Whether it is started again when it ends.
        restarts: How often in a row.
        required: Whether all ends when it ends for good.
        grace: How long [s] it may take to end before it is killed.
    """

    name: str
    words: tuple[str, ...]
    shown: str
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    restart: Restart = "never"
    restarts: int = 0
    required: bool = False
    grace: float = 5.0

    @property
    def what(self) -> str:
        """What it is, for texts: ``the world``, or ``node 'avoid'``."""
        return "the world" if self.name == WORLD else f"node '{self.name}'"

    def environment(self) -> dict[str, str]:
        """All of its environment: that of this process, with what is set."""
        kept = {name: value for name, value in os.environ.items() if name != REMAP_VARIABLE}
        # So that 'python' and 'horus-sim' in a command are those of this installation.
        path = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath)))
        # Otherwise lines would come late, as they go through a pipe.
        return {**kept, "PATH": path, "PYTHONUNBUFFERED": "1", **self.variables}


def world_name() -> str:
    """The name of the world's connection, which no other launch on this machine has."""
    return f"{WORLD}_{os.getpid()}"  # as it stands in the graph of ROS


def programs(launch: Launch, session: str | None = None) -> list[Program]:
    """The programs of a launch, each one behind those that it starts after.

    Args:
        launch: The launch.
        session: Session instead of that of the launch.
    """
    session = session_name(launch.session if session is None else session)
    folder = launch.folder.resolve()
    found: list[Program] = []
    if launch.world is not None:
        words = launch.world.words(session)
        found.append(
            Program(
                WORLD,
                (*_OURS, *words),
                shlex.join(("horus-sim", *words)),
                folder,
                {SESSION_VARIABLE: session, NAME_VARIABLE: world_name()},
                required=True,
                grace=launch.world.grace,
            )
        )
    left = dict(launch.nodes)
    while left:
        for name, node in tuple(left.items()):
            if not any(other in left for other in node.after):
                del left[name]
                found.append(_program(name, node, launch, folder, session))
    return found


def _program(name: str, node: LaunchNode, launch: Launch, folder: Path, session: str) -> Program:
    if isinstance(node.run, str):
        words: tuple[str, ...] = (sys.executable, str(folder / node.run), *node.args)
        shown = shlex.join(("python", node.run, *node.args))
    else:
        words = (*node.run, *node.args)
        shown = shlex.join(words)
    variables = {SESSION_VARIABLE: session, NAME_VARIABLE: name}
    if node.remap:
        variables[REMAP_VARIABLE] = remap_text(node.remap)
    before = () if launch.world is None else (WORLD,)
    return Program(
        name,
        words,
        shown,
        folder,
        {**variables, **node.env},
        tuple(dict.fromkeys((*before, *node.after))),
        node.restart,
        node.restarts,
        node.required,
        node.grace,
    )
