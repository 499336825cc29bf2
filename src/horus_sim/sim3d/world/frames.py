"""The transforms of a running world, written into a tree when somebody looks."""

from __future__ import annotations

import functools
import math
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SceneError
from horus_sim.robots.engine import mujoco
from horus_sim.robots.frame_name import frame_name
from horus_sim.sim3d.compile.compile_spec import CompiledWorld
from horus_sim.sim3d.compile.mujoco_types import transform_of
from horus_sim.sim3d.scene.base import WORLD_FRAME as WORLD_FRAME
from horus_sim.sim3d.scene.world_spec import WorldSpec
from horus_sim.tf import TFTree, Transform

Floats = npt.NDArray[np.float64]


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


def body_frames(world: CompiledWorld) -> tuple[BodyFrame, ...]:
    """The frames of a world's bodies, parents before children.

    A root link called 'world' that has no prefix is the world itself and no frame of its own.

    Raises:
        SceneError: Two bodies would have the same frame.
    """
    model = world.model
    names: dict[int, str] = {0: WORLD_FRAME}
    moved: set[int] = set()
    for robot in world.spec.robots:
        for link, body in world.robots[robot.name].bodies.items():
            names[int(model.body(body).id)] = frame_name(f"{robot.frame_prefix}{link}")
    for item in world.spec.objects:
        body_id = int(model.body(item.name).id)
        names[body_id] = frame_name(item.name)
        if item.config.motion is not None:
            moved.add(body_id)
    taken = {WORLD_FRAME}
    frames: list[BodyFrame] = []
    for body in range(1, model.nbody):
        name = names.get(body)
        parent = int(model.body_parentid[body])
        if name is None or (name == WORLD_FRAME and parent == 0):
            continue
        if name in taken:
            raise SceneError(
                f"two frames are called '{name}'; give one of the robots a frame_prefix or the "
                "object another name"
            )
        taken.add(name)
        # Bodies without a frame are passed over; the world's own body is above all.
        while parent and (parent not in names or names[parent] == WORLD_FRAME):
            parent = int(model.body_parentid[parent])
        is_static = int(model.body_dofnum[body]) == 0 and body not in moved
        frames.append(BodyFrame(body, name, parent, names[parent], is_static))
    return tuple(frames)


def extra_frames(spec: WorldSpec) -> dict[str, tuple[str, Transform]]:
    """Frames of descriptions that are not links: name -> (frame above, T_above_frame)."""
    found: dict[str, tuple[str, Transform]] = {}
    for robot in spec.robots:
        for name, (link, T_link_frame) in robot.description.extra_frames.items():
            above = frame_name(f"{robot.frame_prefix}{link}")
            found[frame_name(f"{robot.frame_prefix}{name}")] = above, T_link_frame
    return found


class FrameRecorder:
    """Keeps the poses of each step until they are written.

    Args:
        tree: Gets the transforms.
        timestep: Time between two steps [s].

    Attributes:
        frames: The frames of the bodies, parents before children.
    """

    def __init__(self, tree: WorldTF, timestep: float) -> None:
        self.frames: tuple[BodyFrame, ...] = ()
        self._tree = tree
        # A step early or late in the buffer does not matter; memory without bounds would.
        self._waiting: deque[tuple[int, Floats, Floats]] = deque(
            maxlen=math.ceil(tree.buffer_duration / timestep) + 2
        )
        self._moving: tuple[BodyFrame, ...] = ()
        self._bodies = np.zeros((0, 2), dtype=int)
        self._static: dict[str, Transform] = {}
        self._mocap: Floats | None = None
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
            self.frames = frames
            kept = {item.frame: item for item in frames}
            for frame in TFTree.get_all_frames(self._tree):
                is_static = frame in self._static
                if frame == WORLD_FRAME or frame in extra:
                    continue
                if frame not in kept or kept[frame].is_static != is_static:
                    self._tree.remove_frame(frame)
                    self._static.pop(frame, None)
            self._moving = tuple(item for item in frames if not item.is_static)
            pairs = [(item.body, item.parent_body) for item in self._moving]
            self._bodies = np.array(pairs, dtype=int).reshape(-1, 2)
            self._mocap = None
            self.place_static(model, data)
            for frame, (above, T_above_frame) in extra.items():
                self._set_static(above, frame, T_above_frame)

    def place_static(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Writes the frames that do not move, where they are now; of robots only the roots can."""
        now = np.concatenate((data.mocap_pos, data.mocap_quat), axis=1)
        if self._mocap is not None and np.array_equal(now, self._mocap):
            return
        self._mocap = now
        for item in self.frames:
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
            waiting = list(self._waiting)
            self._waiting.clear()
            if not self._moving or not waiting:
                return
            stamps, positions, quaternions = zip(*waiting, strict=True)
            stamps = np.array(stamps, dtype=np.int64)
            translations, rotations = _relative(
                np.stack(positions), np.stack(quaternions), self._bodies
            )
            for i, item in enumerate(self._moving):
                self._tree.add_transforms(
                    item.parent, item.frame, stamps, translations[:, i], rotations[:, i]
                )


def _relative(
    positions: Floats,
    quaternions: Floats,
    bodies: npt.NDArray[np.int_],
) -> tuple[Floats, Floats]:
    """Poses of bodies in their parents.

    Args:
        positions: Positions of all bodies in the world [m], shape (n_times, n_bodies, 3).
        quaternions: Rotations of all bodies in the world, wxyz, shape (n_times, n_bodies, 4).
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


def _cross(a: Floats, b: Floats) -> Floats:
    # numpy.cross takes many times as long on a few vectors.
    return a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
