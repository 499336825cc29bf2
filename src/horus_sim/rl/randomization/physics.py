"""Randomized fields of the model: nominal values times, or plus, what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.backend import Floats, Ids
from horus_sim.rl.randomization.base import Randomization, Range
from horus_sim.rl.settings import Config, unknown_name

if TYPE_CHECKING:
    from horus_sim.rl.task import Task

Kind = Literal["body", "geom", "pair", "joint", "actuator"]


class _ModelConfig(Config):
    """What all of them have.

    Attributes:
        names: Bodies, shapes, joints or actuators of the compiled model; all unless given.
        each: Whether each of them gets a number of its own.
    """

    names: tuple[str, ...] | None = None
    each: bool = False


class ScaleConfig(_ModelConfig):
    """A factor on nominal values.

    Attributes:
        kind: Mass (with inertia), inertia, friction, damping of joints, or gain of motors.
        scale: Least and largest factor.
    """

    kind: Literal["mass", "inertia", "friction", "damping", "motor_gain"]
    scale: Range

    def build(self, name: str, task: Task[Any]) -> Randomization:
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

    def build(self, name: str, task: Task[Any]) -> Randomization:
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

    def build(self, name: str, task: Task[Any]) -> Randomization:
        """The randomization of a task."""
        return CentreOfMass(self, name, task)


class RestitutionConfig(_ModelConfig):
    """How much contacts bounce.

    Attributes:
        kind: 'restitution'.
        restitution: Least and largest share of speed that comes back, from 0 to below 1.
    """

    kind: Literal["restitution"]
    restitution: Range

    def build(self, name: str, task: Task[Any]) -> Randomization:
        """The randomization of a task."""
        return Restitution(self, name, task)


def chosen(task: Task[Any], kind: Kind, names: tuple[str, ...] | None) -> npt.NDArray[np.int64]:
    """Ids of elements of the model; all, apart from the world, unless named.

    Raises:
        TaskError: A name is unknown.
    """
    model = task.sim.model
    count = {
        "body": model.nbody,
        "geom": model.ngeom,
        "pair": model.npair,
        "joint": model.njnt,
        "actuator": model.nu,
    }[kind]
    if names is None:
        return np.arange(1 if kind == "body" else 0, count)
    known = {getattr(model, kind)(i).name: i for i in range(count)}
    for name in names:
        if name not in known:
            raise TaskError(unknown_name(kind, name, tuple(known)))
    return np.array([known[name] for name in names], np.int64)


class _Field:
    """Columns of a field of the model, with their nominal values."""

    def __init__(
        self,
        task: Task[Any],
        field: str,
        ids: npt.NDArray[np.int64],
        column: Any,  # noqa: ANN401 - an index
    ) -> None:
        self._values = task.sim.expand(field)
        self._ids, self._column = ids, column
        self.nominal: Floats = np.array(getattr(task.sim.model, field)[ids, column])

    def write(self, envs: Ids, values: npt.NDArray[Any]) -> None:
        """Gives environments their values, shape (n, elements, ...) or broadcast to it."""
        self._values[envs[:, None], self._ids, self._column] = values


_ALL = slice(None)
_SCALED: dict[str, tuple[Kind, tuple[tuple[str, Any], ...]]] = {
    "mass": ("body", (("body_mass", ...), ("body_inertia", _ALL))),
    "inertia": ("body", (("body_inertia", _ALL),)),
    "friction": ("geom", (("geom_friction", 0),)),
    "damping": ("joint", (("dof_damping", ...),)),
    "motor_gain": ("actuator", (("actuator_gainprm", _ALL), ("actuator_biasprm", _ALL))),
}


class Scale(Randomization):
    """A factor on fields of the model."""

    _needs_constants: ClassVar[frozenset[str]] = frozenset({"mass", "inertia"})

    def __init__(self, config: ScaleConfig, name: str, task: Task[Any]) -> None:
        kind, fields = _SCALED[config.kind]
        model = task.sim.model
        if config.kind == "friction" and model.npair and config.names is None:
            # Explicit pairs have a friction of their own.
            ids, fields = chosen(task, "pair", None), (("pair_friction", slice(0, 2)),)
        else:
            ids = chosen(task, kind, config.names)
        if config.kind == "damping":
            ids = np.flatnonzero(np.isin(model.dof_jntid, ids)).astype(np.int64)
        super().__init__(name, task, len(ids) if config.each else 1)
        self._limits = config.scale
        self.changes_constants = config.kind in self._needs_constants
        self._fields = [_Field(task, field, ids, column) for field, column in fields]

    def begin(self, ids: Ids) -> Floats:
        """Draws factors and writes nominal values times them."""
        factors = self.draw(ids, self._limits, 1.0)
        for field in self._fields:
            nominal = field.nominal
            shaped = factors.reshape(*factors.shape, *[1] * (nominal.ndim - 1))
            field.write(ids, shaped * nominal)
        return factors


class Gravity(Randomization):
    """A factor on gravity."""

    def __init__(self, config: GravityConfig, name: str, task: Task[Any]) -> None:
        super().__init__(name, task)
        self._limits = config.scale
        self._values = task.sim.expand("opt.gravity")
        self._nominal = np.array(task.sim.model.opt.gravity)

    def begin(self, ids: Ids) -> Floats:
        """Draws a factor and writes gravity times it."""
        factors = self.draw(ids, self._limits, 1.0)
        self._values[ids] = factors * self._nominal
        return factors


class CentreOfMass(Randomization):
    """A shift of centres of mass."""

    changes_constants = True

    def __init__(self, config: CentreOfMassConfig, name: str, task: Task[Any]) -> None:
        bodies = chosen(task, "body", config.names)
        super().__init__(name, task, 3 * (len(bodies) if config.each else 1))
        self._limits = config.shift
        self._field = _Field(task, "body_ipos", bodies, _ALL)

    def begin(self, ids: Ids) -> Floats:
        """Draws shifts and writes nominal places plus them."""
        shifts = self.draw(ids, self._limits, 0.0)
        self._field.write(ids, self._field.nominal + shifts.reshape(len(ids), -1, 3))
        return shifts


class Restitution(Randomization):
    """Damping ratios of contacts from the share of speed that comes back.

    A damped oscillator that starts at the surface leaves it with the share
    exp(-pi zeta / sqrt(1 - zeta^2)) of its speed; zeta follows from the share.
    """

    def __init__(self, config: RestitutionConfig, name: str, task: Task[Any]) -> None:
        low, high = config.restitution
        if not 0 <= low <= high < 1:
            raise TaskError(f"'{name}': restitution is {low, high}; give numbers from 0 to below 1")
        pairs = bool(task.sim.model.npair) and config.names is None
        ids = chosen(task, "pair" if pairs else "geom", config.names)
        super().__init__(name, task, len(ids) if config.each else 1)
        self._limits = config.restitution
        self._field = _Field(task, "pair_solref" if pairs else "geom_solref", ids, 1)

    def begin(self, ids: Ids) -> Floats:
        """Draws shares and writes damping ratios."""
        shares = self.draw(ids, self._limits, 0.0)
        log = np.log(np.maximum(shares, 1e-9))
        self._field.write(ids, -log / np.sqrt(np.pi**2 + log * log))
        return shares
