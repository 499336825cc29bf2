"""Constants of models that follow from masses, for many environments at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from horus_sim._native import RlMassConstants
from horus_sim.errors import TaskError
from horus_sim.rl.engines.interface import Ids
from horus_sim.robots.engine import mujoco

if TYPE_CHECKING:
    from mujoco.batch import Batch

# What the constants are made of here; a model that varies anything else is MuJoCo's matter.
_INPUTS = frozenset({"body_mass", "body_inertia", "body_ipos", "dof_armature"})
# Inputs of MuJoCo's constants that those of a tree of bodies do not depend on.
_IRRELEVANT = frozenset({"geom_pos", "geom_quat", "geom_size", "geom_margin", "geom_gap"})


class MassConstants:
    """What `mj_setConst` gives after a change of masses, at a fraction of its time.

    Inertia in the reference pose is summed over bodies and inverted, in compiled code; everything
    that does not depend on masses is taken once from MuJoCo.

    Args:
        batch: The simulations; fields that follow from masses become their own.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        model = batch.model
        data = mujoco.MjData(model)
        data.qpos[:] = model.qpos0
        mujoco.mj_kinematics(model, data)
        if batch.expanded("body_ipos") is not None:
            _part_frames(batch)
        slides, axes, anchors, groups = _degrees_of_freedom(model, data)
        fields = ("body_mass", "body_inertia", "body_ipos", "dof_armature")
        results = ("body_subtreemass", "body_invweight0", "dof_M0", "dof_invweight0")
        arrays = [batch.expand(name).reshape(batch.nsim, -1) for name in (*fields, *results)]
        self._native = RlMassConstants(
            parent=model.body_parentid.tolist(),
            position=data.xpos.ravel().tolist(),
            rotation=data.xmat.ravel().tolist(),
            inertial=data.ximat.ravel().tolist(),
            dof_body=model.dof_bodyid.tolist(),
            dof_slides=slides,
            dof_axis=axes,
            dof_anchor=anchors,
            dof_group=groups,
            mass=arrays[0],
            inertia=arrays[1],
            offset=arrays[2],
            armature=arrays[3],
            subtree_mass=arrays[4],
            body_invweight=arrays[5],
            dof_inertia=arrays[6],
            dof_invweight=arrays[7],
        )

    @staticmethod
    def fits(batch: Batch) -> bool:
        """Whether these are all the constants that can differ between the simulations."""
        model, gains, biases = batch.model, mujoco.mjtGain, mujoco.mjtBias
        if (
            model.ntendon
            or model.nflex
            or np.any(model.actuator_armature)
            or np.any(model.actuator_gaintype == int(gains.mjGAIN_MUSCLE))
            or np.any(model.actuator_biastype == int(biases.mjBIAS_MUSCLE))
        ):
            return False
        if batch.expanded("body_ipos") is not None and np.any(model.body_simple[1:]):
            return False  # MuJoCo refuses to move the centre of mass of such a body, and says so
        from mujoco.batch import MODEL_FIELDS

        inputs = mujoco.MjModel._setconst_inputs  # pyright: ignore[reportAttributeAccessIssue]
        others = (set(inputs) - _INPUTS - _IRRELEVANT) & set(MODEL_FIELDS)
        return all(batch.expanded(name) is None for name in others)

    def update(self, ids: Ids) -> None:
        """Computes the constants of these simulations.

        Raises:
            TaskError: Masses of one are not those of bodies that can move.
        """
        bad = self._native.update(ids)
        if bad >= 0:
            raise TaskError(
                f"the inertia of environment {bad} is not positive; make the randomization of "
                "masses and inertia smaller"
            )


def _part_frames(batch: Batch) -> None:
    """Lets kinematics look at centres of mass, also where the model was compiled without."""
    sames = mujoco.mjtSameFrame
    body, inertia = int(sames.mjSAMEFRAME_BODY), int(sames.mjSAMEFRAME_INERTIA)
    frames = batch.expand("body_sameframe")[:, 1:]
    frames[frames == body] = int(sames.mjSAMEFRAME_BODYROT)
    for name, count in (
        ("geom_sameframe", batch.model.ngeom),
        ("site_sameframe", batch.model.nsite),
    ):
        if count and np.any(getattr(batch.model, name) == inertia):
            fixed = batch.expand(name)
            fixed[fixed == inertia] = int(sames.mjSAMEFRAME_NONE)


def _degrees_of_freedom(
    model: mujoco.MjModel, data: mujoco.MjData
) -> tuple[list[int], list[float], list[float], list[int]]:
    """Whether each slides, its axis and a point of it, world, and the first of those like it."""
    kinds = mujoco.mjtJoint
    rows: list[tuple[bool, np.ndarray, np.ndarray, int]] = []
    for joint in range(model.njnt):
        body, first = int(model.jnt_bodyid[joint]), int(model.jnt_dofadr[joint])
        kind, anchor = int(model.jnt_type[joint]), data.xanchor[joint]
        if kind in (int(kinds.mjJNT_HINGE), int(kinds.mjJNT_SLIDE)):
            rows.append((kind == int(kinds.mjJNT_SLIDE), data.xaxis[joint], anchor, first))
            continue
        if kind == int(kinds.mjJNT_FREE):
            rows += [(True, axis, anchor, first) for axis in np.eye(3)]
            first += 3
        rows += [(False, axis, anchor, first) for axis in data.xmat[body].reshape(3, 3).T]
    return (
        [int(slides) for slides, _, _, _ in rows],
        [number for _, axis, _, _ in rows for number in axis.tolist()],
        [number for _, _, anchor, _ in rows for number in anchor.tolist()],
        [group for _, _, _, group in rows],
    )
