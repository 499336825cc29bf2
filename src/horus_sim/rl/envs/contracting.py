"""The contract of a policy, from the task that it learns."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import horus_sim
from horus_sim.errors import ContractError
from horus_sim.files.names import propose
from horus_sim.rl.contract.contract import Contract, ObservationPart, RobotFact
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.terms.term import Observation
from horus_sim.robots.finding.find import find_robot


def contract_of(
    envs: VectorEnv,
    task: str,
    settings: Mapping[str, Any] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Contract:
    """What a policy of these environments observes and does.

    Args:
        envs: The environments.
        task: Name of the task.
        settings: Settings with which the policy learns.
        origin: How it is made.
    """
    return Contract(
        task=task,
        settings=_plain(settings or {}),
        robot=_robot(envs.task.robot()),
        control_rate=1.0 / envs.task.dt,
        observations=tuple(map(_part, envs.observation_terms)),
        actions=envs.task.action_parts(),
        drives=envs.task.drives(),  # pyright: ignore[reportArgumentType] - one of its kinds
        arrival=envs.task.arrival(),
        origin=_plain(origin or {}),
        versions={
            "horus-sim": horus_sim.__version__,
            "mujoco": mujoco.__version__,
            "numpy": np.__version__,
        },
    )


def task_contract(task: str, settings: Mapping[str, Any] | None = None) -> Contract:
    """The contract of any policy of a task, by its name.

    Raises:
        TaskError: There is no such task, or the settings do not fit.
    """
    envs = make_vector(task, 1, 1, **(settings or {}))
    try:
        return contract_of(envs, task, settings)
    finally:
        envs.close()


def check_task(contract: Contract, owner: str) -> None:
    """Refuses a contract whose task observes or moves something else.

    Args:
        contract: That of a policy.
        owner: What the policy is called, for errors.

    Raises:
        ContractError: The first difference.
        TaskError: There is no such task, or its settings do not fit.
    """
    wanted = task_contract(contract.task, contract.settings)
    for what, mine, theirs in (
        ("observation", contract.observations, wanted.observations),
        ("action", contract.actions, wanted.actions),
    ):
        known = {part.name: part for part in theirs}
        for part in mine:
            if part.name not in known:
                text = propose(part.name, known, f"task '{contract.task}'", what)
                raise ContractError(f"the contract of {owner} does not fit its task: {text}")
            if part.size != known[part.name].size:
                raise ContractError(
                    f"the contract of {owner} gives {what} '{part.name}' {part.size} columns, and "
                    f"task '{contract.task}' gives it {known[part.name].size}; correct 'settings' "
                    "or 'size'"
                )
        names, own = [part.name for part in theirs], [part.name for part in mine]
        if names != own:
            raise ContractError(
                f"the contract of {owner} has the {what} {', '.join(own)}, and task "
                f"'{contract.task}' has {', '.join(names)}, in this order; correct the contract"
            )


def _part(term: Observation) -> ObservationPart:
    return ObservationPart(
        name=term.name,
        size=term.size,
        unit=term.unit,
        frame=term.frame,
        low=_finite(term.low),
        high=_finite(term.high),
        source=term.source,  # pyright: ignore[reportArgumentType] - of a layer above
    )


def _finite(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None


def _robot(robot: str | Path | None) -> RobotFact | None:
    if robot is None:
        return None
    path = find_robot(robot).path
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    return RobotFact(name=str(robot), sha256=digest)


def _plain(values: Any) -> Any:  # noqa: ANN401 - what JSON holds, with tuples
    """The same with lists for tuples, so that it is equal after it was read."""
    if isinstance(values, Mapping):
        return {str(key): _plain(value) for key, value in values.items()}
    return [_plain(value) for value in values] if isinstance(values, tuple | list) else values
