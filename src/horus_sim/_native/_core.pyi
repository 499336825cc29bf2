"""Types of the compiled core.

The classes are documented where users import them from, in `horus_sim.tf`.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, SupportsIndex, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt

__version__: str

_Numbers: TypeAlias = Sequence[float] | npt.NDArray[np.floating] | npt.NDArray[np.integer]
_Stamps: TypeAlias = Sequence[int] | npt.NDArray[np.integer]
_Arrays: TypeAlias = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
_MaskedArrays: TypeAlias = tuple[
    npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]
]

@final
class RecordMaker:
    """Makes objects of a class that is nothing but its `__slots__`, without calling the class.

    Args:
        recipe: The class and the descriptors of its slots, in the order of the values.
    """

    def __init__(self, recipe: tuple[object, ...]) -> None: ...
    def make(self, *values: object) -> Any:  # noqa: ANN401 - of the class
        """An object with these values in its slots, unchecked.

        Raises:
            ValueError: There are more or fewer values than slots.
        """

@final
class MessageCodec:
    """Messages of one ROS 2 type to bytes and back; see `horus_sim.hub.ros.codec`.

    Args:
        names: Names of fields.
        program: Instructions in the order of the bytes: step, scalar, whether it is a sequence,
            whether decoding gives it, count, index of its name, number of instructions inside, and
            an object; see `horus_sim.hub.ros.codec.Program`.
        maker: What decoding makes of the fields: None for a dict, a function of their values, or a
            tuple of a class and the descriptors of its slots.
    """

    def __init__(
        self,
        names: Sequence[str],
        program: Sequence[tuple[int, int, bool, bool, int, int, int, object]],
        maker: object = None,
    ) -> None: ...
    def encode(self, message: object) -> bytes:
        """The bytes of a message: a dict, or an object with these attributes.

        Raises:
            ValueError: A field is missing or does not fit; the text begins with its path.
        """

    def decode(self, data: bytes | memoryview) -> Any:  # noqa: ANN401 - as the maker wants
        """What the maker makes of a message. Arrays of 4,096 bytes or more are views of `data`.

        Raises:
            ValueError: The bytes are not those of such a message; the text says where.
        """

@final
class MessageSender:
    """Encodes, numbers and sends the messages of one publisher, from any thread.

    Args:
        kind: Their class.
        codec: Writes them.
        to_fields: Gives what the codec writes of a message; None where that is the message itself.
        hub: Its `_epoch` and `_clock` go beside every message.
        gid: 16 bytes that name the publisher.
        put: Sends the bytes of a message, with keyword `attachment` for those beside them. It must
            not keep them: the next message is written to the same place.
        refuse: Called with a message that does not fit, or after the end; raises an error that
            tells why.
    """

    def __init__(
        self,
        kind: type,
        codec: MessageCodec,
        to_fields: Callable[[Any], object] | None,
        hub: object,
        gid: bytes,
        put: Callable[..., object],
        refuse: Callable[[Any], object],
    ) -> None: ...
    @property
    def sent(self) -> int:
        """Number of messages sent."""

    def send(self, message: object) -> None:
        """Sends a message."""

    def close(self) -> bool:
        """Ends it, after the message that is being sent; False if it had ended before."""

@final
class Transform:
    """A rigid transform: a translation [m] and a unit quaternion (x, y, z, w). Immutable.

    ``T_parent_child`` maps child coordinates into the parent, ``p_parent =
    T_parent_child.transform_point(p_child)``, and neighbours cancel: ``T_world_tool = T_world_base
    @ T_base_tool``.

    Args:
        translation: x, y, z [m].
        rotation: Quaternion x, y, z, w; one of another length is normalized.

    Raises:
        InvalidTransformError: A number is NaN or infinite, the quaternion is zero, or the count is
            wrong.
    """

    def __new__(
        cls, translation: _Numbers = (0, 0, 0), rotation: _Numbers = (0, 0, 0, 1)
    ) -> Transform: ...
    @property
    def translation(self) -> npt.NDArray[np.float64]:
        """Translation [m], shape (3,), read-only."""

    @property
    def rotation(self) -> npt.NDArray[np.float64]:
        """Unit quaternion in the order x, y, z, w, shape (4,), read-only."""

    @staticmethod
    def identity() -> Transform:
        """The transform that changes nothing."""

    @staticmethod
    def from_euler(translation: _Numbers = (0, 0, 0), rpy: _Numbers = (0, 0, 0)) -> Transform:
        """From a translation [m] and roll, pitch, yaw [rad] about fixed x, y, z (REP 103)."""

    @staticmethod
    def from_matrix(matrix: npt.ArrayLike, /) -> Transform:
        """From a homogeneous (4, 4) or a rotation (3, 3) matrix, which must be rigid to 1e-6."""

    def compose(self, other: Transform, /) -> Transform:
        """``self @ other``: first `other`, then `self`."""

    def __matmul__(self, other: Transform, /) -> Transform: ...
    def inverse(self) -> Transform:
        """The way back: ``T_a_b.inverse()`` is ``T_b_a``."""

    def transform_point(self, point: _Numbers, /) -> npt.NDArray[np.float64]:
        """A point (3,) [m] of the child frame, in the parent frame."""

    def transform_vector(self, vector: _Numbers, /) -> npt.NDArray[np.float64]:
        """A direction (3,): rotated, not translated."""

    def transform_points(self, points: npt.ArrayLike, /) -> npt.NDArray[np.floating]:
        """Points (N, 3) [m]; float32 stays float32, anything else gives float64."""

    def to_matrix(self) -> npt.NDArray[np.float64]:
        """The homogeneous matrix, shape (4, 4)."""

    def to_euler(self) -> npt.NDArray[np.float64]:
        """Roll, pitch, yaw [rad], shape (3,). At a pitch of +-90 degrees the roll is 0."""

    def interpolate(self, other: Transform, t: float) -> Transform:
        """The pose a fraction `t` of the way to `other`: linear and shortest-arc SLERP."""

    def is_close(
        self, other: Transform, tolerance_m: float = 1e-9, tolerance_rad: float = 1e-9
    ) -> bool:
        """Whether `other` is the same pose within a distance [m] and an angle [rad].

        Q and -q are the same.
        """

    def to_bytes(self) -> bytes:
        """Translation x, y, z and rotation x, y, z, w as little-endian doubles: 56 bytes."""

    @staticmethod
    def from_bytes(data: bytes | memoryview, /) -> Transform:
        """Reads what `to_bytes` wrote.

        Raises:
            InvalidTransformError: It has another size, a number is NaN or infinite, or the
                quaternion is zero.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

class Tree:
    """Transforms between named frames over time: the native part of `horus_sim.tf.TFTree`."""

    def __init__(self, buffer_duration_ns: int) -> None: ...
    def add_static_transform(self, parent: str, child: str, transform: Transform) -> None:
        """Says where `child` is in `parent`, at all times.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.

        Raises:
            CycleError: `parent` hangs from `child`.
            InvalidTransformError: A name is not fit, or `child` is a moving frame.
        """

    def add_transform(
        self, parent: str, child: str, transform: Transform, stamp_ns: SupportsIndex
    ) -> None:
        """Says where `child` was in `parent` at one time.

        Samples may come in any order; an equal stamp replaces the earlier sample. Another parent
        than before moves the frame there from this stamp on.

        Args:
            parent: Parent frame.
            child: Child frame.
            transform: T_parent_child.
            stamp_ns: Time of the sample [ns].

        Raises:
            CycleError: `parent` hangs from `child`.
            InvalidTransformError: A name or stamp is not fit, the sample is older than the history,
                or `child` is static.
        """

    def add_transforms(
        self,
        parent: str,
        child: str,
        stamps_ns: _Stamps,
        translations: npt.ArrayLike,
        rotations: npt.ArrayLike,
    ) -> None:
        """Many samples of one link; the GIL is released meanwhile.

        Args:
            parent: Parent frame.
            child: Child frame.
            stamps_ns: Times [ns], shape (N,), in any order.
            translations: T_parent_child [m], shape (N, 3).
            rotations: Quaternions x, y, z, w, shape (N, 4).

        Raises:
            CycleError: `parent` hangs from `child`.
            InvalidTransformError: A row is not fit or older than the history; nothing was added.
        """

    def lookup_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
    ) -> Transform:
        """T_target_source: maps `source` coordinates into `target` coordinates.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is the latest time that every moving link between the frames
                knows. 0 is a real time.
            tolerance_ns: How far outside its history [ns] a link may be held still at its nearest
                sample.
            predict: Beyond the newest sample, move each link on at the velocity of its last two
                samples; no further than `tolerance_ns` when that is not 0.

        Raises:
            UnknownFrameError: A frame is not in the tree.
            DisconnectedError: No chain of links joins the frames.
            ExtrapolationError: `time` is outside the history of a link.
        """

    def can_transform(
        self,
        source: str,
        target: str,
        time: SupportsIndex | None = None,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
    ) -> bool:
        """Whether `lookup_transform` would answer."""

    @overload
    def lookup_transforms(
        self,
        source: str,
        target: str,
        times: _Stamps,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
        mask: Literal[False] = False,
    ) -> _Arrays: ...
    @overload
    def lookup_transforms(
        self,
        source: str,
        target: str,
        times: _Stamps,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
        mask: Literal[True],
    ) -> _MaskedArrays:
        """T_target_source at many times; the GIL is released meanwhile.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            times: Times [ns], shape (N,), in any order.
            tolerance_ns: As in `lookup_transform`.
            predict: As in `lookup_transform`.
            mask: Instead of raising for a time without an answer, mark it in a third array; its row
                is NaN.

        Returns:
            Translations [m] (N, 3), quaternions x, y, z, w (N, 4), and with `mask` the validity
            (N,).
        """

    @overload
    def lookup_many(
        self,
        sources: Sequence[str],
        target: str,
        time: SupportsIndex | None = None,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
        mask: Literal[False] = False,
    ) -> _Arrays: ...
    @overload
    def lookup_many(
        self,
        sources: Sequence[str],
        target: str,
        time: SupportsIndex | None = None,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
        mask: Literal[True],
    ) -> _MaskedArrays:
        """T_target_source of many sources.

        Args:
            sources: Frames that coordinates come from.
            target: Frame that they go to.
            time: Time [ns]; None is each source's own latest time.
            tolerance_ns: As in `lookup_transform`.
            predict: As in `lookup_transform`.
            mask: Instead of raising for a source without an answer, mark it in a third array; its
                row is NaN.

        Returns:
            Translations [m] (N, 3), quaternions x, y, z, w (N, 4), and with `mask` the validity
            (N,).
        """

    def transform_points(
        self,
        points: npt.ArrayLike,
        source: str,
        target: str,
        time: SupportsIndex | _Stamps | None = None,
        *,
        tolerance_ns: SupportsIndex = 0,
        predict: bool = False,
    ) -> npt.NDArray[np.floating]:
        """Points of `source` in `target`; the GIL is released meanwhile.

        Args:
            points: Points [m], `source` frame, shape (N, 3); float32 stays float32, anything else
                gives float64.
            source: Frame that the points are in.
            target: Frame that they go to.
            time: One time [ns] or None for the latest; or a time for each point, shape (N,), which
                undoes the motion of a lidar during its sweep.
            tolerance_ns: As in `lookup_transform`.
            predict: As in `lookup_transform`.
        """

    def lookup_stamped(
        self, source: str, target: str, *, tolerance_ns: SupportsIndex = 0
    ) -> tuple[Transform, int | None]:
        """The latest T_target_source together with its time.

        Args:
            source: Frame that coordinates come from.
            target: Frame that they go to.
            tolerance_ns: As in `lookup_transform`.

        Returns:
            The transform and the latest common time [ns]; None when no link between them moves.
        """

    def latest_common_time(self, source: str, target: str) -> int | None:
        """The latest time [ns] that every moving link between two frames knows.

        None when no link moves, and always between a frame and itself.
        """

    def chain(self, source: str, target: str, time: SupportsIndex | None = None) -> list[str]:
        """The frames from `source` to `target` over their common ancestor, both included."""

    def has_frame(self, frame: str) -> bool:
        """Whether the frame is in the tree."""

    def get_all_frames(self) -> list[str]:
        """All frames, in the order in which they were first named."""

    def remove_frame(self, frame: str, *, subtree: bool = False) -> None:
        """Forgets a frame, its link and its samples.

        Args:
            frame: The frame.
            subtree: Whether all frames below it go too. Otherwise its children stay as orphans, see
                `validate`.
        """

    @property
    def memory_bytes(self) -> int:
        """Memory that the tree holds [bytes]."""

    @property
    def revision(self) -> int:
        """A number that grows with every change."""

    @property
    def is_read_only(self) -> bool:
        """Whether this is a snapshot."""

    def _clear(self) -> None: ...
    def _copy_to(self, empty: Tree, history_ns: int) -> None: ...
    def _frame_records(
        self,
    ) -> list[tuple[str, str | None, bool, bool, int, int | None, int | None]]: ...
    def _frame_record(
        self, frame: str
    ) -> tuple[str, str | None, bool, bool, int, int | None, int | None]: ...
    def _set_change_hook(self, hook: Callable[[], object] | None) -> None: ...

_Floats: TypeAlias = npt.NDArray[np.float64]
_Solution: TypeAlias = tuple[_Floats, int, float, float, int, int, int, int]
_Solutions: TypeAlias = tuple[
    _Floats,
    npt.NDArray[np.int32],
    _Floats,
    _Floats,
    npt.NDArray[np.uint32],
    npt.NDArray[np.uint32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]

@final
class ArmSolver:
    """Kinematics of one serial chain; documented in `horus_sim.arm`. Arrays are C-contiguous.

    Args:
        joints: Rows (is prismatic, angle [rad], distance [m], lower, upper), shape (dof, 5).
        before: Constant transforms before each joint's motion, shape (dof, 4, 4).
        after: Constant transforms after it, shape (dof, 4, 4).
        ends: Base and tool transform, shape (2, 4, 4).
    """

    def __init__(self, joints: _Floats, before: _Floats, after: _Floats, ends: _Floats) -> None: ...
    @property
    def rotation_weight(self) -> float:
        """How much a rotation error counts beside a position error by default [m/rad]."""

    @property
    def reach(self) -> float:
        """A distance from the first joint that the tool cannot exceed [m]."""

    def forward(self, q: _Floats) -> Transform: ...
    def forward_all(self, q: _Floats) -> _Floats: ...
    def forward_batch(
        self, q: _Floats, *, all_frames: bool = False, threads: int = 0
    ) -> _Floats: ...
    def jacobian(self, q: _Floats) -> _Floats: ...
    def jacobian_batch(self, q: _Floats, *, threads: int = 0) -> _Floats: ...
    def solve(
        self,
        target: _Floats,
        start: _Floats | None,
        is_pose: bool,
        position_tolerance: float,
        rotation_tolerance: float,
        rotation_weight: float,
        seed: int,
        max_starts: int,
    ) -> _Solution: ...
    def ask(
        self,
        target: object,
        start: object,
        mode: object,
        position_tolerance: object,
        rotation_tolerance: object,
        rotation_weight: object,
        seed: object,
        max_starts: object,
    ) -> _Solution | None:
        """As `solve`, with the arguments of `Arm.ik`; None where they need a closer look."""

    def solve_damped(
        self,
        target: _Floats,
        start: _Floats,
        is_pose: bool,
        position_tolerance: float,
        rotation_tolerance: float,
        rotation_weight: float,
        max_iterations: int,
        damping: float,
    ) -> _Solution: ...
    def solve_batch(
        self,
        targets: _Floats,
        starts: _Floats | None,
        is_pose: bool,
        position_tolerance: float,
        rotation_tolerance: float,
        rotation_weight: float,
        seed: int,
        max_starts: int,
        threads: int,
    ) -> _Solutions: ...

class _Sim2dDefinition:
    """Part of a 2D model as files describe it; indices of bodies and wheels stand for names."""

    FIELDS: ClassVar[tuple[str, ...]]
    """Names of its attributes, which are those that the files have where they have them."""

    def __init__(self) -> None: ...
    def __setattr__(self, name: str, value: object, /) -> None: ...

class Sim2dSolver(_Sim2dDefinition): ...
class Sim2dBody(_Sim2dDefinition): ...
class Sim2dJoint(_Sim2dDefinition): ...
class Sim2dWheel(_Sim2dDefinition): ...
class Sim2dSensor(_Sim2dDefinition): ...

class Sim2dModel:
    """What all worlds of a 2D scenario share: the native part of `horus_sim.sim2d`."""

    def __init__(self) -> None: ...
    def set_solver(self, solver: Sim2dSolver, /) -> None: ...
    def set_gravity(self, x: float, y: float, /) -> None: ...
    def add_body(
        self, body: Sim2dBody, points: Sequence[Sequence[float]], radius: float | None, /
    ) -> int:
        """Adds a circle where a radius is given, else a polygon."""

    def add_joint(self, joint: Sim2dJoint, /) -> int: ...
    def add_wheel(self, wheel: Sim2dWheel, /) -> int: ...
    def add_sensor(self, sensor: Sim2dSensor, /) -> tuple[int, int]: ...
    def add_segment(
        self, a: Sequence[float], b: Sequence[float], half_thickness: float, intensity: float, /
    ) -> None: ...
    def add_patch(self, points: Sequence[Sequence[float]], intensity: float, /) -> None: ...
    def add_seen_body(self, body: int, intensity: float, /) -> None: ...
    def finish(self) -> None: ...
    def line_intensity(self, x: float, y: float, /) -> float: ...

class Sim2dWorld:
    """One world of the 2D engine: the native part of `horus_sim.sim2d.Simulator`."""

    def __init__(self, model: Sim2dModel, seed: int) -> None: ...
    def sense(self) -> None: ...
    def step(self, dt: float) -> None: ...
    def reset(self, seed: int) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def step_index(self) -> int: ...
    def states(self) -> npt.NDArray[np.float64]: ...
    def state(self, body: int, /) -> tuple[float, float, float, float, float, float]: ...
    def readings(self) -> npt.NDArray[np.float64]: ...
    def reading(self, first: int, width: int, /) -> npt.NDArray[np.float64]: ...
    def stamp(self, sensor: int, /) -> float: ...
    def wheel_states(self) -> npt.NDArray[np.float64]: ...
    def command(self, wheel: int, /) -> float: ...
    def set_command(self, wheel: int, value: float, /) -> None: ...
    def set_pose(self, body: int, x: float, y: float, theta: float, /) -> None: ...
    def set_velocity(self, body: int, vx: float, vy: float, w: float, /) -> None: ...
    def apply_force(self, body: int, fx: float, fy: float, torque: float, /) -> None: ...
    def contacts(
        self,
    ) -> list[tuple[int, int, tuple[float, float], tuple[float, float], float, float]]: ...
    def warnings(self) -> list[tuple[str, int, int, int]]: ...
    def save(self) -> bytes: ...
    def load(self, data: bytes, /) -> bool: ...

class Sim2dBatch:
    """Many worlds of one 2D model: the native part of `horus_sim.sim2d.BatchSimulator`."""

    def __init__(self, model: Sim2dModel, seeds: Sequence[int], threads: int) -> None: ...
    def step(self, commands: npt.ArrayLike | None, dt: float, n: int) -> None: ...
    def step_index(self, world: int, /) -> int: ...
    def poses(self) -> npt.NDArray[np.float64]: ...
    def velocities(self) -> npt.NDArray[np.float64]: ...
    def readings(self) -> npt.NDArray[np.float64]: ...
    def wheel_speeds(self) -> npt.NDArray[np.float64]: ...
    def times(self) -> npt.NDArray[np.float64]: ...
    def contact_counts(self, body: int, /) -> npt.NDArray[np.float64]: ...
    def reset(self, ids: Sequence[int], seeds: Sequence[int]) -> None: ...
    def set_pose(self, world: int, body: int, x: float, y: float, theta: float, /) -> None: ...
    def set_velocity(self, world: int, body: int, vx: float, vy: float, w: float, /) -> None: ...
    def randomize(
        self,
        world: int,
        mass: Sequence[float] | npt.NDArray[np.float64],
        friction: Sequence[float] | npt.NDArray[np.float64],
        grip: Sequence[float] | npt.NDArray[np.float64],
        noise: float,
    ) -> None:
        """Scales masses and frictions of all bodies, the grip of all wheels, and the noise."""

    def save(self, world: int, /) -> bytes: ...
    def load(self, world: int, data: bytes, /) -> bool: ...
    def run(
        self,
        commands: npt.NDArray[np.float64],
        chosen: npt.NDArray[np.uint8] | None,
        dt: float,
        steps: int,
        watched: int,
        touched: npt.NDArray[np.uint8],
    ) -> None:
        """Steps chosen worlds; `touched` says where body `watched` touched anything meanwhile."""

    def place(
        self,
        ids: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
        bodies: npt.NDArray[np.int64],
        poses: npt.NDArray[np.float64],
    ) -> None:
        """Begins worlds anew with bodies at poses [m, rad], shape (len(ids), len(bodies), 3)."""

    def read_body(self, body: int, out: npt.NDArray[np.float64]) -> None:
        """Writes x, y, theta, vx, vy, w of a body of every world, shape (worlds, 6)."""

    def scan(
        self,
        body: int,
        max_range: float,
        chosen: npt.NDArray[np.uint8] | None,
        out: npt.NDArray[np.float64],
    ) -> None:
        """Writes distances [m] along even rays about a body, the first ahead, turning left."""

class RlPlane:
    """Circles, boxes and walls of environments, seen from above; the arrays are kept, not copied.

    Circles have x, y, radius; boxes x, y, yaw, half length, half width; walls x, y of both ends.
    """

    def __init__(
        self,
        circles: npt.NDArray[np.float64],
        boxes: npt.NDArray[np.float64],
        walls: npt.NDArray[np.float64],
        threads: int,
    ) -> None: ...
    def cast(
        self,
        ids: npt.NDArray[np.int64] | None,
        headings: npt.NDArray[np.float64],
        directions: npt.NDArray[np.float64],
        max_range: float,
        out: npt.NDArray[np.float64],
    ) -> None:
        """Writes distances [m] along rays from x, y, cos, sin of each; infinity where none is."""
    def clearance(
        self,
        ids: npt.NDArray[np.int64] | None,
        points: npt.NDArray[np.float64],
        open_space: float,
        out: npt.NDArray[np.float64],
    ) -> None:
        """Writes distances [m] of points to the nearest edge, negative within a shape."""

class RlLayout:
    """Begins episodes of robots among circles and boxes of a plane, in arrays that are kept."""

    def __init__(
        self,
        plane: RlPlane,
        qpos: npt.NDArray[np.float64],
        goals: npt.NDArray[np.float64],
        *,
        distance: tuple[float, float],
        radius: tuple[float, float],
        side: tuple[float, float],
        margin: float,
        half: float,
        streams: tuple[int, int, int, int, int, int],
    ) -> None: ...
    def begin(
        self,
        ids: npt.NDArray[np.int64] | None,
        seeds: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.uint32],
        levels: npt.NDArray[np.float64] | None,
    ) -> None:
        """Draws heading, goal, circles and boxes of new episodes."""

class RlRover:
    """What robots on a plane know of goal, motion and surroundings, in arrays that are kept."""

    def __init__(
        self,
        plane: RlPlane,
        qpos: npt.NDArray[np.float64],
        qvel: npt.NDArray[np.float64],
        goals: npt.NDArray[np.float64],
        directions: npt.NDArray[np.float64],
        distance: npt.NDArray[np.float64],
        goal_b: npt.NDArray[np.float64],
        motion_b: npt.NDArray[np.float64],
        clearance: npt.NDArray[np.float64],
        nearness: npt.NDArray[np.float64],
        *,
        lidar_x: float,
        max_range: float,
        half: float,
        hull_x: float,
        hull_radius: float,
        open_space: float,
        far: float,
        speed: float,
        turn_rate: float,
    ) -> None: ...
    def look(self, ids: npt.NDArray[np.int64] | None) -> None:
        """Computes what these environments' robots know, all unless told."""

class RlModelDraws:
    """Fields of models that follow numbers that are drawn for an episode."""

    def __init__(self) -> None: ...
    def add_draw(
        self, stream: int, size: int, low: float, high: float, neutral: float, law: str
    ) -> None:
        """Adds numbers; `law` is 'scale', 'shift' or 'restitution'."""
    def add_target(
        self,
        values: npt.NDArray[np.float64],
        elements: list[int],
        nominal: list[float],
        drawn: list[int],
        bases: npt.NDArray[np.float64] | None = None,
    ) -> None:
        """Lets elements of rows of `values` follow the last draw.

        `bases` has nominal values of each environment, where they differ.
        """
    def begin(
        self,
        ids: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
        episodes: npt.NDArray[np.uint32],
        levels: npt.NDArray[np.float64] | None,
        out: npt.NDArray[np.float64],
    ) -> None:
        """Draws for new episodes, writes the fields, and the numbers into rows of `out`."""

class RlMassConstants:
    """Constants of models that follow from masses, in arrays that are kept."""

    def __init__(
        self,
        *,
        parent: list[int],
        position: list[float],
        rotation: list[float],
        inertial: list[float],
        dof_body: list[int],
        dof_slides: list[int],
        dof_axis: list[float],
        dof_anchor: list[float],
        dof_group: list[int],
        mass: npt.NDArray[np.float64],
        inertia: npt.NDArray[np.float64],
        offset: npt.NDArray[np.float64],
        armature: npt.NDArray[np.float64],
        subtree_mass: npt.NDArray[np.float64],
        body_invweight: npt.NDArray[np.float64],
        dof_inertia: npt.NDArray[np.float64],
        dof_invweight: npt.NDArray[np.float64],
    ) -> None: ...
    def update(self, ids: npt.NDArray[np.int64]) -> int:
        """Computes them; gives the first environment without positive inertia, or -1."""

def rl_draw(
    out: npt.NDArray[np.float64],
    ids: npt.NDArray[np.int64],
    seeds: npt.NDArray[np.uint64],
    episodes: npt.NDArray[np.uint32],
    steps: npt.NDArray[np.uint32],
    stream: int,
    normal: bool,
) -> None:
    """Fills a row for each of `ids` with random numbers of that environment, in place."""

def cosine_sine(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle [rad], the same bits on every machine; `math.cos` has not."""

def arc_tangent(y: float, x: float) -> float:
    """As `math.atan2` [rad], the same bits on every machine."""
