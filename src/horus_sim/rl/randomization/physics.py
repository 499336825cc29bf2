"""Randomized fields of the model: nominal values times, or plus, what is drawn."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from horus_sim._native import RlModelDraws
from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Floats, Ids
from horus_sim.rl.randomization.base import KindConfig, Randomization, Randomized
from horus_sim.rl.randomization.random_streams import stream_of
from horus_sim.rl.settings import Names, NotNegativeRange, Range, ordered

Share = Annotated[float, Field(ge=0, lt=1)]
# Kinds of elements, and their fields.
_SCALED = {
    "mass": ("body", ("body_mass", "body_inertia")),
    "inertia": ("body", ("body_inertia",)),
    "damping": ("joint", ("dof_damping",)),
    "motor_gain": ("actuator", ("actuator_gainprm", "actuator_biasprm")),
}
_OF_WEIGHT = ("mass", "inertia")


class _ModelConfig(KindConfig):
    """What all of them have but gravity.

    Attributes:
        names: Bodies, shapes, joints or actuators of the compiled model; all unless given.
        each: Whether each of them gets a number of its own.
    """

    names: Names | None = None
    each: bool = False


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
        super().__init__(name, task, [limits] * size)
        self._law, self._limits = law, limits
        self._targets: list[tuple[Floats, list[int], list[float], list[int], Floats | None]] = []

    def follow(self, field: str, index: Any, drawn: Ids | None = None) -> None:  # noqa: ANN401 - as NumPy's
        """Lets elements of a field follow the numbers.

        Args:
            field: Name of a field of the model.
            index: Which elements of the field.
            drawn: Which number each element follows, broadcast to the elements; unless given, the
                only one, or that of its row.
        """
        sim = self.task.sim
        values = sim.expand(field)
        elements = np.arange(values[0].size).reshape(values.shape[1:])[index]
        if drawn is None:
            rows = np.arange(len(elements)) if self.size > 1 else np.zeros(len(elements), np.int64)
            drawn = rows.reshape(-1, *[1] * (elements.ndim - 1))
        base = sim.own_base(field)
        self._targets.append(
            (
                values.reshape(sim.num_envs, -1),
                elements.ravel().tolist(),
                sim.nominal(field)[index].ravel().tolist(),
                np.broadcast_to(drawn, elements.shape).ravel().tolist(),
                None if base is None else base.reshape(sim.num_envs, -1),
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

    def __init__(self, config: ScaleConfig, name: str, task: Randomized) -> None:
        if config.kind == "friction":
            kind, ids = _touching(task, config.names)
            fields, index = (f"{kind}_friction",), (ids, slice(0, 2 if kind == "pair" else 1))
        else:
            kind, fields = _SCALED[config.kind]
            index = ids = _chosen(task, kind, config.names)
        if config.kind == "damping":
            index = ids = np.flatnonzero(np.isin(task.sim.nominal("dof_jntid"), ids))
        super().__init__(name, task, len(ids) if config.each else 1, "scale", config.scale)
        self.changes_constants = config.kind in _OF_WEIGHT
        for field in fields:
            self.follow(field, index)


class ScaleConfig(_ModelConfig):
    """A factor on nominal values.

    Attributes:
        kind: Mass (with inertia), inertia, friction, damping of joints, or gain of motors.
        scale: Least and largest factor, from 0 on; above 0 for mass and inertia.
    """

    builds = Scale

    kind: Literal["mass", "inertia", "friction", "damping", "motor_gain"]
    scale: NotNegativeRange

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind in _OF_WEIGHT and not self.scale[0] > 0:
            raise ValueError(
                f"scale is {self.scale}; no {self.kind} can be 0, give factors above it"
            )
        return self


class Gravity(ModelRandomization):
    """A factor on gravity."""

    def __init__(self, config: GravityConfig, name: str, task: Randomized) -> None:
        super().__init__(name, task, 1, "scale", config.scale)
        self.follow("opt.gravity", ...)


class GravityConfig(KindConfig):
    """A factor on gravity.

    Attributes:
        kind: 'gravity'.
        scale: Least and largest factor.
    """

    builds = Gravity

    kind: Literal["gravity"]
    scale: Range


class CentreOfMass(ModelRandomization):
    """A shift of centres of mass."""

    changes_constants = True

    def __init__(self, config: CentreOfMassConfig, name: str, task: Randomized) -> None:
        bodies = _chosen(task, "body", config.names)
        # MuJoCo has no room for what such a centre of mass adds to the inertia.
        simple = bodies[task.sim.nominal("body_simple")[bodies] > 0]
        if len(simple):
            body = task.sim.names("body")[simple[0]]
            raise TaskError(
                f"randomization '{name}': the centre of mass of body '{body}' cannot move in "
                f'{type(task).__name__}\'s model; compile that with simple="false" at the body '
                f"(spec.body('{body}').simple = False), or choose others by names"
            )
        count = len(bodies) if config.each else 1
        super().__init__(name, task, 3 * count, "shift", config.shift)
        self.follow("body_ipos", bodies, np.arange(3 * count).reshape(count, 3))


class CentreOfMassConfig(_ModelConfig):
    """A shift of centres of mass.

    Attributes:
        kind: 'centre_of_mass'.
        shift: Least and largest shift along each axis of the body [m].
    """

    builds = CentreOfMass

    kind: Literal["centre_of_mass"]
    shift: Range


class Restitution(ModelRandomization):
    """Damping ratios of contacts from the share of speed that comes back."""

    def __init__(self, config: RestitutionConfig, name: str, task: Randomized) -> None:
        kind, ids = _touching(task, config.names)
        size = len(ids) if config.each else 1
        super().__init__(name, task, size, "restitution", config.restitution)
        self.follow(f"{kind}_solref", (ids, 1))


class RestitutionConfig(_ModelConfig):
    """How much contacts bounce.

    Attributes:
        kind: 'restitution'.
        restitution: Least and largest share of speed that comes back, from 0 to below 1.
    """

    builds = Restitution

    kind: Literal["restitution"]
    restitution: Annotated[tuple[Share, Share], AfterValidator(ordered)]


def _chosen(task: Randomized, kind: str, names: tuple[str, ...] | None) -> Ids:
    """Ids of elements of the model; all, apart from the world, unless named."""
    if names is None:
        return np.arange(1 if kind == "body" else 0, len(task.sim.names(kind)))
    return task.sim.ids(kind, names)


def _touching(task: Randomized, names: tuple[str, ...] | None) -> tuple[str, Ids]:
    """Explicit pairs, which have friction and softness of their own, or else shapes."""
    kind = "pair" if names is None and task.sim.names("pair") else "geom"
    return kind, _chosen(task, kind, names)
