"""The transforms of a running world, written into a tree when somebody looks."""

from __future__ import annotations

import functools
import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.sim3d.compile.mujoco_types import transform_of
from horus_sim.sim3d.scene.base import WORLD_FRAME as WORLD_FRAME
from horus_sim.tf import TFTree, Transform

if TYPE_CHECKING:
    from horus_sim.robots.engine import mujoco


def _fresh(name: str) -> Any:  # noqa: ANN401 - a method of TFTree
    """A method of `TFTree` that first writes what is waiting."""
    method = getattr(TFTree, name)

    @functools.wraps(method)
    def refreshed(self: WorldTF, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        self.refresh()
        return method(self, *arguments, **options)

    return refreshed


class WorldTF(TFTree):
    """A tree that a running world fills: poses of every step, written when somebody looks.

    Look-ups see the state of the world at that moment, also from other threads. While somebody
    waits for a change, every step is written at once.
    """

    def __init__(self, buffer_duration: float = 10.0) -> None:
        super().__init__(buffer_duration)
        self._refill: Callable[[], None] | None = None
        self.is_watched = False

    def refresh(self) -> None:
        """Writes the samples that are waiting."""
        if self._refill is not None:
            self._refill()

    def _set_change_hook(self, hook: Callable[[], object] | None) -> None:
        self.is_watched = hook is not None
        super()._set_change_hook(hook)

    lookup_transform = _fresh("lookup_transform")
    lookup_transforms = _fresh("lookup_transforms")
    lookup_many = _fresh("lookup_many")
    lookup_stamped = _fresh("lookup_stamped")
    can_transform = _fresh("can_transform")
    transform_points = _fresh("transform_points")
    latest_common_time = _fresh("latest_common_time")
    chain = _fresh("chain")
    has_frame = _fresh("has_frame")
    get_all_frames = _fresh("get_all_frames")
    _frame_records = _fresh("_frame_records")
    _frame_record = _fresh("_frame_record")
    _copy_to = _fresh("_copy_to")


@dataclass(frozen=True, slots=True)
class BodyFrame:
    """A body that is a frame of the tree.

    Attributes:
        body: Index in the MuJoCo model.
        frame: Name in the tree.
        parent_body: Body of the frame above; 0 is the world.
        parent: Name of the frame above.
        is_static: Whether it never moves in the frame above, unless somebody places it.
    """

    body: int
    frame: str
    parent_body: int
    parent: str
    is_static: bool


class FrameRecorder:
    """Keeps the poses of each step until they are written.

    Args:
        tree: Gets the transforms.
        timestep: Between two steps [s].
    """

    def __init__(self, tree: WorldTF, timestep: float) -> None:
        self._tree = tree
        # A step early or late in the buffer does not matter; memory without bounds would.
        self._most = math.ceil(tree.buffer_duration / timestep) + 2
        self._waiting: deque[tuple[int, npt.NDArray[np.float64], npt.NDArray[np.float64]]] = deque(
            maxlen=self._most
        )
        self._moving: tuple[BodyFrame, ...] = ()
        self._bodies = np.zeros(0, dtype=int)
        self._static: dict[str, Transform] = {}
        self._mocap = np.zeros((0, 7))
        self._is_placed = False
        self._lock = threading.RLock()
        tree._refill = self.flush

    def bind(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        frames: tuple[BodyFrame, ...],
        extra: dict[str, tuple[str, Transform]],
    ) -> None:
        """Takes over a new model; frames that are gone leave the tree.

        Args:
            model: The model.
            data: Its state, with the kinematics up to date.
            frames: Frames of the bodies, parents before children.
            extra: Further frames: name -> (frame above, T_above_frame).
        """
        with self._lock:
            self.flush()
            kept = {item.frame: item for item in frames}
            for frame in TFTree.get_all_frames(self._tree):
                is_static = frame in self._static
                if frame == WORLD_FRAME or frame in extra:
                    continue
                if frame not in kept or kept[frame].is_static != is_static:
                    self._tree.remove_frame(frame)
                    self._static.pop(frame, None)
            self._moving = tuple(item for item in frames if not item.is_static)
            self._bodies = np.array(
                [(item.body, item.parent_body) for item in self._moving], dtype=int
            ).reshape(-1, 2)
            self._is_placed = False
            self.place_static(model, data, frames)
            for frame, (above, T_above_frame) in extra.items():
                self._set_static(above, frame, T_above_frame)

    def place_static(
        self, model: mujoco.MjModel, data: mujoco.MjData, frames: tuple[BodyFrame, ...]
    ) -> None:
        """Writes the frames that do not move, where they are now; of robots only the roots can."""
        now = np.concatenate((data.mocap_pos, data.mocap_quat), axis=1)
        if self._is_placed and np.array_equal(now, self._mocap):
            return
        self._mocap = now
        self._is_placed = True
        for item in frames:
            if not item.is_static:
                continue
            mocap = int(model.body_mocapid[item.body])
            if mocap >= 0:
                T = transform_of(data.mocap_pos[mocap], data.mocap_quat[mocap])
            elif item.parent_body == int(model.body_parentid[item.body]):
                T = transform_of(model.body_pos[item.body], model.body_quat[item.body])
            else:
                T = transform_of(data.xpos[item.body], data.xquat[item.body])
            self._set_static(item.parent, item.frame, T)

    def _set_static(self, parent: str, frame: str, T: Transform) -> None:
        if self._static.get(frame) != T:
            self._tree.add_static_transform(parent, frame, T)
            self._static[frame] = T

    def record(self, stamp_ns: int, data: mujoco.MjData) -> None:
        """Keeps the poses of now; those of an equal stamp are replaced."""
        with self._lock:
            if self._waiting and self._waiting[-1][0] == stamp_ns:
                self._waiting.pop()
            self._waiting.append((stamp_ns, data.xpos.copy(), data.xquat.copy()))
        if self._tree.is_watched:
            self.flush()

    def restart(self) -> None:
        """Forgets all poses, since the clock jumped."""
        with self._lock:
            self._waiting.clear()
            self._tree.clear()

    def flush(self) -> None:
        """Writes what is waiting into the tree."""
        if not self._waiting:
            return
        with self._lock:
            if not self._waiting:
                return
            waiting = list(self._waiting)
            self._waiting.clear()
            if not self._moving:
                return
            stamps = np.array([stamp for stamp, _, _ in waiting], dtype=np.int64)
            positions = np.stack([position for _, position, _ in waiting])
            quaternions = np.stack([quaternion for _, _, quaternion in waiting])
            translations, rotations = _relative(positions, quaternions, self._bodies)
            for i, item in enumerate(self._moving):
                self._tree.add_transforms(
                    item.parent, item.frame, stamps, translations[:, i], rotations[:, i]
                )


def _relative(
    positions: npt.NDArray[np.float64],
    quaternions: npt.NDArray[np.float64],
    bodies: npt.NDArray[np.int_],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Poses of bodies in their parents.

    Args:
        positions: Of all bodies in the world [m], shape (n_times, n_bodies, 3).
        quaternions: Of all bodies in the world, wxyz, shape (n_times, n_bodies, 4).
        bodies: Index of the body and of its parent, shape (n, 2).

    Returns:
        Translations, shape (n_times, n, 3), and rotations xyzw, shape (n_times, n, 4).
    """
    child, parent = bodies[:, 0], bodies[:, 1]
    p_child, p_parent = positions[:, child], positions[:, parent]
    w1, v1 = quaternions[:, parent, :1], -quaternions[:, parent, 1:]
    w2, v2 = quaternions[:, child, :1], quaternions[:, child, 1:]
    offset = p_child - p_parent
    across = 2 * _cross(v1, offset)
    translations = offset + w1 * across + _cross(v1, across)
    w = w1 * w2 - np.sum(v1 * v2, axis=-1, keepdims=True)
    v = w1 * v2 + w2 * v1 + _cross(v1, v2)
    rotations = np.concatenate((v, w), axis=-1)
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    return np.ascontiguousarray(translations), rotations


_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def _cross(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    # numpy.cross takes many times as long on a few vectors.
    return a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
