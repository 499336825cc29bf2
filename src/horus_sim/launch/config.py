"""What a launch file holds: a world, and nodes with their names, remaps and restarts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, field_validator, model_validator

from horus_sim.errors import HubError
from horus_sim.files.config import Config, NotNegative
from horus_sim.files.names import did_you_mean
from horus_sim.hub.connect import session_name
from horus_sim.hub.remapping import checked_remap
from horus_sim.launch.values import Several, Text, misfit
from horus_sim.launch.world import LaunchWorld

WORLD = "world"
"""The name of the world among the programs of a launch."""
_FIT_NAME = re.compile(r"[A-Za-z0-9_.~-]{1,64}")
_RESERVED = (WORLD, "launch")
_FIT_VARIABLE = re.compile(r"[^=\0]+")

Restart = Literal["never", "on-failure", "always"]


def _program(value: Any) -> str | tuple[str, ...]:  # noqa: ANN401 - anything that a file may hold
    if isinstance(value, str | os.PathLike):
        text = str(value)
        if not text.endswith(".py"):
            raise ValueError(
                f"'{text}' is not a Python file; write a command as a list of its words, such as "
                "[ros2, run, my_package, my_node]"
            )
        return text
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(
            f"it is {value!r:.60}; write a Python file, such as avoid.py, or a command as a list"
        )
    words: list[str] = []
    for word in value:
        if isinstance(word, bool) or not isinstance(word, str | int | float | os.PathLike):
            raise ValueError(f"the word {word!r:.60} of the command is not text; put it in quotes")
        words.append(str(word))
    return tuple(words)


class LaunchNode(Config):
    """A program of the user's, in a process of its own.

    Attributes:
        run: A Python file, which this interpreter runs, or a command as a list of its words.
        args: Arguments of the program.
        remap: Its names of topics and services -> those of the session; for programs that use
            `horus_sim.hub.connect`.
        env: Variables that are added to its environment.
        after: Names of programs that are started before it; all nodes come after the world.
        restart: Whether it is started again when it ends: ``never``, ``on-failure``, ``always``.
        restarts: How often in a row; a run of ten seconds begins a new row.
        required: Whether all of the launch ends when it ends for good.
        grace: How long [s] it may take to end before it is killed.
    """

    run: Annotated[str | tuple[str, ...], PlainValidator(_program)]
    args: tuple[Text, ...] = ()
    remap: dict[str, str] = Field(default_factory=dict)
    env: dict[str, Text] = Field(default_factory=dict)
    after: Several = ()
    restart: Restart = "never"
    restarts: Annotated[int, Field(ge=0)] = 5
    required: bool = False
    grace: NotNegative = 5.0

    @field_validator("remap")
    @classmethod
    def _check_remap(cls, remap: dict[str, str]) -> dict[str, str]:
        try:
            return checked_remap(remap, "it")
        except HubError as error:
            raise ValueError(str(error).removeprefix("it: ")) from None

    @field_validator("env")
    @classmethod
    def _check_env(cls, env: dict[str, str]) -> dict[str, str]:
        for name, value in env.items():
            if not _FIT_VARIABLE.fullmatch(name) or "\0" in value:
                raise ValueError(f"{name!r:.60} cannot be a variable of the environment; rename it")
        return env


class Launch(Config):
    """A world, nodes and a page that start and end together.

    Attributes:
        session: Name of the session of all; that of ``HORUS_SESSION_ID`` by default, else
            ``default``.
        folder: Where all programs run, and where their relative paths begin; in a file relative to
            that file.
        world: The world; None starts nodes alone.
        nodes: The nodes by name.
    """

    session: str | None = None
    folder: Path = Path()
    world: LaunchWorld | None = None
    nodes: Mapping[str, LaunchNode] = {}

    @field_validator("session")
    @classmethod
    def _check_session(cls, session: str | None) -> str | None:
        try:
            return session if session is None else session_name(session)
        except HubError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.world is None and not self.nodes:
            raise misfit("Launch", text="there is nothing to start; add a 'world' or 'nodes'")
        for name, node in self.nodes.items():
            self._check_node(name, node)
        circle = _circle({name: node.after for name, node in self.nodes.items()})
        if circle:
            shown = ", ".join(f"'{a}' after '{b}'" for a, b in pairwise(circle))
            text = f"nodes wait for each other in a circle, {shown}; remove one 'after'"
            raise misfit("Launch", "nodes", circle[0], "after", text=text)
        return self

    def _check_node(self, name: str, node: LaunchNode) -> None:
        if not _FIT_NAME.fullmatch(name):
            text = f"{name!r:.80} is not a name of a node; use up to 64 letters, digits and _ . ~ -"
            raise misfit("Launch", "nodes", name, text=text)
        if name in _RESERVED:
            text = f"'{name}' is no name for a node, as it stands for the {name}; choose another"
            raise misfit("Launch", "nodes", name, text=text)
        known = [
            *([WORLD] if self.world else []),
            *(other for other in self.nodes if other != name),
        ]
        for other in node.after:
            if other == name:
                text = f"'{name}' cannot start after itself; remove it"
                raise misfit("Launch", "nodes", name, "after", text=text)
            if other == WORLD and self.world is None:
                text = "there is no world to start after; add a 'world', or remove it"
                raise misfit("Launch", "nodes", name, "after", text=text)
            if other not in known:
                text = f"there is no node '{other}' to start after; {did_you_mean(other, known)}"
                raise misfit("Launch", "nodes", name, "after", text=text)


def _circle(after: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Names that wait for each other, the first one at both ends; empty where none do."""
    free: set[str] = set()
    for begin in after:
        path = [begin]
        rest = [iter(after[begin])]
        while path:
            name = next(rest[-1], None)
            if name is None:
                free.add(path.pop())
                rest.pop()
            elif name in path:
                return [*path[path.index(name) :], name]
            elif name in after and name not in free:
                path.append(name)
                rest.append(iter(after[name]))
    return []
