"""Errors of pages, of launches and of reinforcement learning."""

from __future__ import annotations

from horus_sim.errors.base import HorusError, UnknownNameError


class UiError(HorusError, ValueError):
    """Something that a page was asked for does not fit."""


class LaunchError(HorusError, ValueError):
    """A launch that cannot be read or started: a file, a key or a program does not fit."""


class EditError(UiError):
    """An edit of a scenario that does not fit; nothing was changed.

    Attributes:
        place: Keys and indices of what is wrong, such as ``('world', 'bounds', 'max_x')``.
        problem: What is wrong, and what would be right.
    """

    def __init__(self, place: tuple[str | int, ...], problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem

    def __str__(self) -> str:
        return self.problem


class SimulationStoppedError(UiError):
    """A simulation was asked for something after its end."""

    def __str__(self) -> str:
        return "the simulation has ended; start the program again"


class RLError(HorusError):
    """Root of the errors of reinforcement learning."""


class TaskError(RLError, ValueError):
    """A task, or a setting of it, that cannot be built."""


class UnknownTaskError(TaskError, UnknownNameError):
    """A task, or something of a task, that does not exist under that name."""


class UnknownAttributeError(UnknownTaskError, AttributeError):
    """An attribute or a method that neither environments nor their task have."""


class ActionError(RLError, ValueError):
    """Actions that an environment cannot take.

    Attributes:
        environments: Ids of the environments whose action is at fault, or () when it is the array.
    """

    def __init__(self, problem: str, environments: tuple[int, ...] = ()) -> None:
        super().__init__(problem, environments)
        self.problem = problem
        self.environments = environments

    def __str__(self) -> str:
        return self.problem


class ResetError(RLError, RuntimeError):
    """An environment was stepped before its reset or used when closed, or a reset does not fit."""


class EnvSnapshotError(RLError, ValueError):
    """A snapshot of environments that cannot be read, or does not belong to these."""


class ForkError(RLError, RuntimeError):
    """Environments were used in a process that was forked from the one that made them."""


class PolicyError(RLError, ValueError):
    """A policy that cannot be read, or does not fit what it is used for."""


class UnknownPolicyError(PolicyError, UnknownNameError):
    """A policy that is not shipped."""


class ContractError(PolicyError):
    """A contract that cannot be read, or does not fit the policy or the task that it is for."""


class DeployError(RLError):
    """A policy that cannot act on a robot: a topic is absent, or does not hold what it observes."""


class TrainingError(RLError):
    """A training that cannot begin or go on."""
