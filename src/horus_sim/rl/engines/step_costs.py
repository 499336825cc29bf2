"""What the time of a physics step goes to, and what would make it less.

Each change is tried: steps are made from the same states on a copy of the model that has it.
"""

from __future__ import annotations

import copy
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.robots.engine import mujoco

_MOST_ENVS = 16
_ROUNDS = 5
# Below this a change is not worth what it takes away from physics.
_WORTH = 1.15
_TOLERANCE = 1e-8
_BITS = 30
_SPECULATIVE = int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)
_ISLANDS = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change to a model that makes it faster.

    Attributes:
        cause: What costs time as it is.
        option: What to write.
        gain: How many times as many steps a second it makes.
    """

    cause: str
    option: str
    gain: float


@dataclass(frozen=True, slots=True)
class StepCosts:
    """What a physics step of one simulation costs.

    Attributes:
        step: CPU time of it [s].
        contacts: Contacts, in the mean.
        remedies: What helps, the most first.
        together: Gain of all of them together; 1 where there are none.
    """

    step: float
    contacts: float
    remedies: tuple[Remedy, ...]
    together: float

    def lines(self) -> list[str]:
        """A line that sums it up, and one for each remedy."""
        whole = (
            f"a physics step of one environment takes {1e6 * self.step:.1f} us of processor time "
            f"and has {self.contacts:.1f} contacts"
        )
        lines = [whole]
        lines += [
            f"  {each.gain:.1f} times as fast: {each.option} ({each.cause})"
            for each in self.remedies
        ]
        if len(self.remedies) > 1:
            lines.append(f"  {self.together:.1f} times as fast: all of these")
        return lines


def step_costs(sim: MujocoBackend, steps: int) -> StepCosts:
    """Costs of a step from the states that simulations are in, with their controls.

    Args:
        sim: The simulations; they stay as they are.
        steps: How many steps are made from each state.
    """
    starts = [sim.snapshot(env) for env in range(min(_MOST_ENVS, sim.num_envs))]
    pairs = _touching([data for _, data in starts])
    tried = _changes(starts[0][0], pairs)
    changed = [[_with(model, [change]) for model, _ in starts] for _, _, change in tried]
    times = _times(starts, [[model for model, _ in starts], *changed], steps)
    remedies, chosen = [], []
    for (cause, option, change), spent in zip(tried, times[1:], strict=True):
        gain = times[0] / spent
        if gain >= _WORTH:
            remedies.append(Remedy(cause, option, gain))
            chosen.append(change)
    together = 1.0
    if chosen:
        best = [_with(model, chosen) for model, _ in starts]
        before, after = _times(starts, [[model for model, _ in starts], best], steps)
        together = before / after
    contacts = sum(pairs.values()) / len(starts)
    remedies.sort(key=lambda remedy: -remedy.gain)
    return StepCosts(times[0], contacts, tuple(remedies), together)


def _touching(states: Sequence[mujoco.MjData]) -> Counter[tuple[int, int]]:
    """How many contacts each pair of shapes has."""
    found: Counter[tuple[int, int]] = Counter()
    for data in states:
        found.update((int(c.geom1), int(c.geom2)) for c in data.contact if c.geom1 >= 0)
    return found


_Change = Callable[[mujoco.MjModel], None]


def _changes(
    model: mujoco.MjModel, pairs: Mapping[tuple[int, int], int]
) -> list[tuple[str, str, _Change]]:
    """Cause, option and change of what may help this model."""
    tree = model.body_rootid[model.geom_bodyid]
    total = sum(pairs.values())
    within = {pair: n for pair, n in pairs.items() if tree[pair[0]] == tree[pair[1]]}
    touches = (model.geom_contype | model.geom_conaffinity) != 0
    meshes = np.flatnonzero(touches & (model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)))
    found: list[tuple[str, str, _Change]] = []
    if within:
        first, second = max(within, key=lambda pair: within[pair])
        cause = (
            f"{sum(within.values())} of {total} contacts are between links of one robot, most "
            f"between {_name(model, first)} and {_name(model, second)}"
        )
        found.append((cause, "robot_spec(self_collision=False)", _part_trees))
    if len(meshes):
        corners = int(model.mesh_vertnum[model.geom_dataid[meshes]].max())
        cause = f"meshes touch: {len(meshes)}, of up to {corners:,} corners"
        found.append((cause, "robot_spec(meshes='box')", _box_meshes))
    if total and model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC:
        cause = "friction cones are round"
        found.append((cause, "PhysicsConfig(cone='pyramidal', impratio=1.0)", _pyramids))
    if model.opt.tolerance < _TOLERANCE:
        cause = f"the solver goes on until {model.opt.tolerance:g}"
        found.append((cause, f"PhysicsConfig(tolerance={_TOLERANCE:g})", _tolerate))
    if model.opt.enableflags & _SPECULATIVE:
        cause = "contacts are foreseen"
        found.append((cause, "PhysicsConfig(contact={'speculative': False})", _blind))
    if not model.opt.disableflags & _ISLANDS:
        cause = "independent groups of contacts are looked for"
        option = "spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND"
        found.append((cause, option, _no_islands))
    return found


def _name(model: mujoco.MjModel, geom: int) -> str:
    return f"'{model.geom(geom).name or model.body(int(model.geom_bodyid[geom])).name}'"


def _part_trees(model: mujoco.MjModel) -> None:
    """Shapes of one tree miss each other and touch all else."""
    tree = model.body_rootid[model.geom_bodyid]
    touches = (model.geom_contype | model.geom_conaffinity) != 0
    bit = np.left_shift(1, np.where(tree > 0, 1 + tree % _BITS, 0))
    model.geom_contype[touches] = bit[touches]
    model.geom_conaffinity[touches] = (2**31 - 1) & ~np.where(tree > 0, bit, 0)[touches]


def _box_meshes(model: mujoco.MjModel) -> None:
    """The box about each mesh touches in its place."""
    meshes = np.flatnonzero(model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH))
    for geom in meshes.tolist():
        middle, half = np.split(model.geom_aabb[geom], 2)
        moved = np.empty(3)
        mujoco.mju_rotVecQuat(moved, middle, model.geom_quat[geom])
        model.geom_pos[geom] += moved
        model.geom_aabb[geom, :3] = 0.0
        model.geom_size[geom] = half
        model.geom_rbound[geom] = np.linalg.norm(half)
    model.geom_type[meshes] = int(mujoco.mjtGeom.mjGEOM_BOX)
    model.geom_dataid[meshes] = -1


def _pyramids(model: mujoco.MjModel) -> None:
    model.opt.cone, model.opt.impratio = int(mujoco.mjtCone.mjCONE_PYRAMIDAL), 1.0


def _tolerate(model: mujoco.MjModel) -> None:
    model.opt.tolerance = _TOLERANCE


def _blind(model: mujoco.MjModel) -> None:
    model.opt.enableflags &= ~_SPECULATIVE


def _no_islands(model: mujoco.MjModel) -> None:
    model.opt.disableflags |= _ISLANDS


def _with(model: mujoco.MjModel, changes: Sequence[_Change]) -> mujoco.MjModel:
    changed = copy.copy(model)
    for change in changes:
        change(changed)
    return changed


def _times(
    starts: Sequence[tuple[mujoco.MjModel, mujoco.MjData]],
    candidates: Sequence[Sequence[mujoco.MjModel]],
    steps: int,
) -> list[float]:
    """Least CPU time of a step of each candidate, in turns so that all see the same machine [s]."""
    size = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    model = starts[0][0]
    states = [np.empty(mujoco.mj_stateSize(model, size)) for _ in starts]
    for (own, data), state in zip(starts, states, strict=True):
        mujoco.mj_getState(own, data, state, size)
    spent = [np.inf] * len(candidates)
    spaces = [mujoco.MjData(models[0]) for models in candidates]
    for _ in range(_ROUNDS):
        for place, (models, data) in enumerate(zip(candidates, spaces, strict=True)):
            used = 0.0
            for own, state in zip(models, states, strict=True):
                mujoco.mj_setState(own, data, state, size)
                begin = time.thread_time()
                mujoco.mj_step(own, data, steps)
                used += time.thread_time() - begin
            spent[place] = min(spent[place], used / (len(models) * steps))
    return spent
