"""The keyframes of an MJCF file as poses of its joints."""

# mujoco is a binary module without type stubs.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from horus_sim.robots.mjcf.file import MjcfFile
from horus_sim.robots.report import NoteKind, Report
from horus_sim.robots.stance.named_pose import NamedPose

if TYPE_CHECKING:
    import mujoco

_FREE, _BALL = 0, 1


def read_keyframes(file: MjcfFile, model: mujoco.MjModel, report: Report) -> tuple[NamedPose, ...]:
    """The poses of the keyframes that give one.

    Args:
        file: The file.
        model: What MuJoCo made of it, with a name for each joint.
        report: Gets a remark for each keyframe that does not fit.
    """
    found: list[NamedPose] = []
    for section in file.root.find_all("keyframe"):
        for key in section.find_all("key"):
            text = key.get("qpos")
            if text is None:
                continue
            name = key.get("name") or ""
            try:
                qpos = np.array([float(word) for word in text.split()])
            except ValueError:
                qpos = np.empty(0)
            if qpos.shape != (model.nq,) or not np.isfinite(qpos).all():
                text = f"left out: its qpos is not {model.nq} finite numbers"
                report.add(NoteKind.WARNING, f"<key> '{name}'", text, key.line)
                continue
            positions, rotations = {}, {}
            for joint, values in _by_joint(model, qpos):
                if len(values) == 1:
                    positions[joint] = float(values[0])
                else:
                    w, x, y, z = map(float, values)
                    rotations[joint] = (x, y, z, w)
            found.append(NamedPose(name, "keyframe", positions, rotations))
    return tuple(found)


def _by_joint(model: mujoco.MjModel, qpos: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers of each joint that is not free."""
    for joint in range(model.njnt):
        kind, first = int(model.jnt_type[joint]), int(model.jnt_qposadr[joint])
        if kind != _FREE:
            yield model.joint(joint).name, qpos[first : first + (4 if kind == _BALL else 1)]
