"""Randomized fields of the model: nominal values times, or plus, what is drawn."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field, model_validator

from horus_sim._native import RlModelDraws
from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.randomization.base import Randomization, Randomized
from horus_sim.rl.randomization.random_streams import stream_of
from horus_sim.rl.settings import (
    Config,
    Names,
    NotNegativeRange,
    Range,
    ordered,
)

Share = Annotated[float, Field(ge=0, lt=1)]
Kind = Literal["body", "geom", "pair", "joint", "actuator"]


class _ModelConfig(Config):
    """What all of them have.

    Attributes:
        names: Bodies, shapes, joints or actuators of the compiled model; all unless given.
        each: Whether each of them gets a number of its own.
    """

    names: Names | None = None
    each: bool = False


class ScaleConfig(_ModelConfig):
    """A factor on nominal values.

    Attributes:
        kind: Mass (with inertia), inertia, friction, damping of joints, or gain of motors.
        scale: Least and largest factor, from 0 on; above 0 for mass and inertia.
    """

    kind: Literal["mass", "inertia", "friction", "damping", "motor_gain"]
    scale: NotNegativeRange

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind in Scale.needs_constants and not self.scale[0] > 0:
            raise ValueError(
                f"scale is {self.scale}; no {self.kind} can be 0, give factors above it"
            )
        return self

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        return Scale(self, name, task)


class GravityConfig(Config):
    """A factor on gravity.

    Attributes:
        kind: 'gravity'.
        scale: Least and largest factor.
    """

    kind: Literal["gravity"]
    scale: Range

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        return Gravity(self, name, task)


class CentreOfMassConfig(_ModelConfig):
    """A shift of centres of mass.

    Attributes:
        kind: 'centre_of_mass'.
        shift: Least and largest shift along each axis of the body [m].
    """

    kind: Literal["centre_of_mass"]
    shift: Range

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        return CentreOfMass(self, name, task)


class RestitutionConfig(_ModelConfig):
    """How much contacts bounce.

    Attributes:
        kind: 'restitution'.
        restitution: Least and largest share of speed that comes back, from 0 to below 1.
    """

    kind: Literal["restitution"]
    restitution: Annotated[tuple[Share, Share], AfterValidator(ordered)]

    def build(self, name: str, task: Randomized) -> Randomization:
        """The randomization of a task."""
        return Restitution(self, name, task)


def chosen(task: Randomized, kind: Kind, names: tuple[str, ...] | None) -> npt.NDArray[np.int64]:
    """Ids of elements of the model; all, apart from the world, unless named.

    Raises:
        TaskError: A name is unknown.
    """
    if names is None:
        return np.arange(1 if kind == "body" else 0, len(task.sim.names(kind)))
    return task.sim.ids(kind, names)


_ALL = slice(None)
_SCALED: dict[str, tuple[Kind, tuple[tuple[str, Any], ...]]] = {
    "mass": ("body", (("body_mass", ...), ("body_inertia", _ALL))),
    "inertia": ("body", (("body_inertia", _ALL),)),
    "friction": ("geom", (("geom_friction", 0),)),
    "damping": ("joint", (("dof_damping", ...),)),
    "motor_gain": ("actuator", (("actuator_gainprm", _ALL), ("actuator_biasprm", _ALL))),
}


class ModelRandomization(Randomization):
    """Fields of the model that follow numbers that are drawn; compiled code draws and writes.

    Args:
        name: Its name.
        task: The task, bound.
        size: How many numbers are drawn.
        law: 'scale', 'shift' or 'restitution'.
        limits: Least and largest number.
    """

    def __init__(self, name: str, task: Randomized, size: int, law: str, limits: Range) -> None:
        super().__init__(name, task, size)
        self._law, self._limits = law, limits
        self._targets: list[tuple[Floats, list[int], list[float], list[int]]] = []

    def follow(
        self,
        field: str,
        ids: npt.NDArray[np.int64],
        column: Any,  # noqa: ANN401 - an index
        drawn: npt.NDArray[np.int64] | None = None,
    ) -> None:
        """Lets elements of a field follow the numbers.

        Args:
            field: Of the model.
            ids: Rows of the field.
            column: Columns of these rows.
            drawn: Which number each element follows, broadcast to the elements; unless given, the
                only one, or that of its row.
        """
        sim = self.task.sim
        values = sim.expand(field)
        nominal = np.array(sim.nominal(field)[ids, column])
        numbers = np.arange(values[0].size).reshape(values.shape[1:])
        elements = numbers[ids, column]
        if drawn is None:
            rows = np.arange(len(ids)) if self.size > 1 else np.zeros(len(ids), np.int64)
            drawn = rows.reshape(-1, *[1] * (elements.ndim - 1))
        self._targets.append(
            (
                values.reshape(sim.num_envs, -1),
                elements.ravel().tolist(),
                nominal.ravel().tolist(),
                np.broadcast_to(drawn, elements.shape).ravel().tolist(),
            )
        )

    def enter(self, draws: RlModelDraws) -> None:
        """Adds it to those that compiled code draws."""
        neutral = 1.0 if self._law == "scale" else 0.0
        draws.add_draw(stream_of(self.name), self.size, *self._limits, neutral, self._law)
        for target in self._targets:
            draws.add_target(*target)


class Scale(ModelRandomization):
    """A factor on fields of the model."""

    needs_constants: ClassVar[frozenset[str]] = frozenset({"mass", "inertia"})

    def __init__(self, config: ScaleConfig, name: str, task: Randomized) -> None:
        kind, fields = _SCALED[config.kind]
        pairs = chosen(task, "pair", None)
        if config.kind == "friction" and len(pairs) and config.names is None:
            # Explicit pairs have a friction of their own.
            ids, fields = pairs, (("pair_friction", slice(0, 2)),)
        else:
            ids = chosen(task, kind, config.names)
        if config.kind == "damping":
            ids = np.flatnonzero(np.isin(task.sim.nominal("dof_jntid"), ids)).astype(np.int64)
        size = len(ids) if config.each else 1
        super().__init__(name, task, size, "scale", config.scale)
        self.changes_constants = config.kind in self.needs_constants
        for field, column in fields:
            self.follow(field, ids, column)


class Gravity(ModelRandomization):
    """A factor on gravity."""

    def __init__(self, config: GravityConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, 1, "scale", config.scale)
        values = task.sim.expand("opt.gravity")
        nominal = task.sim.nominal("opt.gravity").tolist()
        self._targets.append((values, [0, 1, 2], nominal, [0, 0, 0]))


class CentreOfMass(ModelRandomization):
    """A shift of centres of mass."""

    changes_constants = True

    def __init__(self, config: CentreOfMassConfig, name: str, task: Randomized) -> None:
        bodies = chosen(task, "body", config.names)
        _check_shiftable(name, task, bodies)
        count = len(bodies) if config.each else 1
        super().__init__(name, task, 3 * count, "shift", config.shift)
        self.follow("body_ipos", bodies, _ALL, np.arange(3 * count).reshape(count, 3))


def _check_shiftable(name: str, task: Randomized, bodies: npt.NDArray[np.int64]) -> None:
    # MuJoCo has no room for what such a centre of mass adds to the inertia.
    simple = bodies[task.sim.nominal("body_simple")[bodies] > 0]
    if len(simple):
        body = task.sim.names("body")[simple[0]]
        raise TaskError(
            f"randomization '{name}': the centre of mass of body '{body}' cannot move in "
            f'{type(task).__name__}\'s model; compile that with simple="false" at the body '
            f"(spec.body('{body}').simple = False), or choose others by names"
        )


class Restitution(ModelRandomization):
    """Damping ratios of contacts from the share of speed that comes back."""

    def __init__(self, config: RestitutionConfig, name: str, task: Randomized) -> None:
        pairs = bool(task.sim.names("pair")) and config.names is None
        ids = chosen(task, "pair" if pairs else "geom", config.names)
        size = len(ids) if config.each else 1
        super().__init__(name, task, size, "restitution", config.restitution)
        self.follow("pair_solref" if pairs else "geom_solref", ids, 1)
