"""What every sensor is: measured on a grid in simulated time, disturbed, delayed, read."""

from __future__ import annotations

import json
import math
import zlib
from abc import ABC, abstractmethod
from bisect import insort
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from horus_sim.errors import SceneError, Sim3dError
from horus_sim.files.config import Config, Finite, Positive
from horus_sim.files.packing import pack, unpack
from horus_sim.hub.message import Message
from horus_sim.hub.message_types import message_type
from horus_sim.robots.frame_name import frame_name
from horus_sim.running.outlets.due_times import Grid
from horus_sim.sim3d.scene.base import Name, PoseConfig, Share
from horus_sim.sim3d.sensors.measured_world import MeasuredWorld
from horus_sim.sim3d.sensors.mount import Mount, find_mount
from horus_sim.sim3d.sensors.noise import NoiseChannel
from horus_sim.tf import Transform
from horus_sim.time import NS_PER_S

if TYPE_CHECKING:
    from horus_sim.robots.engine import mujoco

ConfigT = TypeVar("ConfigT", bound="SensorConfig")
MessageT = TypeVar("MessageT", bound=Message)
Floats = npt.NDArray[np.float64]
Listener = Callable[["Sensor[Any, Any]", Any], None]
_LONGEST = 3600.0
"""Longest latency [s]."""


class SensorConfig(Config):
    """What all sensors are configured with; each kind adds its own.

    Attributes:
        sensor: Class of the sensors of this kind, which sets it: ``config=`` in its first line.
        kind: What it measures; each subclass has its own literal.
        name: Unique on its robot or object.
        mount: 'robot/link', a robot, an object, 'world', or a frame fixed to one of these.
        pose: Where the sensor is in its mount.
        rate_hz: Measurements a second of simulated time; at most one is made in a step.
        latency: Time from the measurement until it can be read [s]; the mean where it varies.
        latency_jitter: Standard deviation of the latency [s], which follows a gamma distribution:
            never negative, with the mean `latency`. Order is kept: messages arrive at the times
            drawn, but the first that was measured arrives first.
        loss: Probability that a whole message is lost.
        frame: Name of its frame in ``world.tf``; that of the sensor unless given.
        topic: Where its messages are published; that of the sensor unless given.
        seed: Seed of its random numbers; the world's unless given.
    """

    sensor: ClassVar[type[Sensor[Any, Any]]]
    # Any, so that subclasses may narrow it to their literal.
    kind: Any
    name: Name
    mount: Annotated[str, Field(min_length=1)]
    pose: PoseConfig = PoseConfig()
    rate_hz: Positive = 30.0
    latency: Annotated[Finite, Field(ge=0, le=_LONGEST)] = 0.0
    latency_jitter: Annotated[Finite, Field(ge=0, le=_LONGEST)] = 0.0
    loss: Share = 0.0
    frame: Name | None = None
    topic: str | None = None
    seed: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _jitter_has_a_mean(self) -> Self:
        if self.latency_jitter > 0.0 and self.latency == 0.0:
            raise ValueError(
                "'latency_jitter' spreads 'latency' around its mean, which is 0 and cannot vary; "
                "give 'latency' too"
            )
        return self

    def build(self, world: MeasuredWorld) -> Any:  # noqa: ANN401 - a sensor of the kind's class
        """The sensor, in a world. `world.sensors.add(config)` does this and keeps it."""
        return self.sensor(world, self)

    def full_name(self, owner: str) -> str:
        """Name of the sensor in the world: 'owner/name', if `name` does not begin so already.

        Args:
            owner: The robot or object that carries it, or '' for the world.
        """
        if not owner or self.name.startswith(f"{owner}/"):
            return self.name
        return f"{owner}/{self.name}"

    @property
    def T_mount_sensor(self) -> Transform:
        """Pose of the sensor in its mount."""
        return self.pose.transform()


class Sensor(ABC, Generic[ConfigT, MessageT]):
    """A sensor in a world. A subclass measures; everything about time and noise is here.

    The sensor is a static child of its mount in ``world.tf``. Its random numbers come from a
    stream of its own, decided by the seed of the world and by its name, so that other sensors and
    the moments at which somebody reads have no influence.

    Attributes:
        config: The configuration.
        name: 'burger/imu': robot or object, and the configured name.
        topic: Where its messages are published.
        frame: Its frame in ``world.tf``.
        mount: What carries it; found anew when the world's model changes.
        T_mount_sensor: Pose in the mount.
        next_ns: Simulated time [ns] before which `update` has nothing to do.
        sequence: Messages delivered since the start.
        listeners: Each is called with sensor and message when a message becomes available.
        audience: Those who listen to all sensors of the world; they are told first.
    """

    NOISE: ClassVar[Mapping[str, str]] = {}
    """Channel of noise -> the field of the configuration that describes it.

    A channel has the name of the field of the message that it disturbs. Random numbers are drawn in
    this order.
    """

    TOPIC_END: ClassVar[str] = ""
    """What stands behind the sensor's name in the topic that it has by itself."""

    _noise_shape: tuple[int, ...] = ()
    """Shape of the bias of each channel."""

    def __init_subclass__(cls, config: type[SensorConfig] | None = None) -> None:
        super().__init_subclass__()
        if config is not None:
            config.sensor = cls

    def __init__(self, world: MeasuredWorld, config: ConfigT) -> None:
        self.world = world
        self.config: ConfigT = config
        self.T_mount_sensor = config.T_mount_sensor
        self.listeners: list[Listener] = []
        self.audience: Sequence[Listener] = ()
        self._grid = Grid(config.rate_hz)
        self._is_own_frame = False
        mount = find_mount(world, config.mount)
        self.name = config.full_name(mount.owner)
        self.topic = config.topic or f"{self.name}{self.TOPIC_END}"
        self._seed: int = world.seed
        self._adopt(mount)
        self._channels = {
            name: NoiseChannel(getattr(config, field), self._noise_shape)
            for name, field in self.NOISE.items()
        }
        # Last, so that a sensor that is refused leaves nothing behind.
        self._add_frame()
        self.reset()

    # What subclasses write.

    @abstractmethod
    def measure(self) -> MessageT:
        """What an ideal sensor would say now; changes nothing."""

    def _bind(self) -> None:
        """Looks up addresses in ``world.model``; called again when it was replaced."""

    def _disturb(self, message: MessageT, dt: float) -> MessageT:
        """The message with noise.

        Args:
            message: Ideal.
            dt: Time since the last measurement [s].
        """
        changed = {
            field: self._noisy(field, getattr(message, field), dt)
            for field, channel in self._channels.items()
            if channel.is_active and getattr(message, field, None) is not None
        }
        # pyright does not see that every message is a dataclass.
        return cast("MessageT", replace(cast("Any", message), **changed)) if changed else message

    def _noisy(self, channel: str, value: npt.ArrayLike, dt: float) -> npt.NDArray[Any]:
        """A value with the noise of a channel.

        Args:
            channel: Name of the channel.
            value: What was measured.
            dt: Time since the last measurement [s].
        """
        return self._channels[channel].apply(value, dt, self.rng)

    def _own_state(self) -> Any:  # noqa: ANN401 - plain data of the subclass
        """What `_disturb` keeps beside the channels: numbers, texts, lists, dicts, arrays."""
        return None

    def _set_own_state(self, state: Any) -> None:  # noqa: ANN401 - as `_own_state` gave it
        """Continues from what `_own_state` gave; None is the start."""

    # What users call.

    @property
    def T_world_sensor(self) -> Transform:
        """Pose in the world now."""
        data, body = self.world.data, self.mount.body
        w, x, y, z = data.xquat[body]
        T_world_body = Transform(data.xpos[body], (x, y, z, w))
        return T_world_body @ self.T_body_sensor

    @property
    def has_new(self) -> bool:
        """Whether a message became available in the last ``world.step(n)``.

        To a controller, which is called within it, only the last single step counts, so that it
        meets each message once. Who reads makes no difference; `sequence` counts messages for
        those who look less often than somebody steps.
        """
        return self._arrived_step > self.world.news_after

    def read(self) -> MessageT:
        """The newest message that is available; measured at once when there was none yet.

        Reading changes nothing, neither for other readers nor for later messages.
        """
        if self._last is not None:
            return self._last
        before = self._noise_state()
        message = self._disturb(self.measure(), self._elapsed(self.world.stamp_ns))
        self._set_noise_state(before)
        return message

    def update(self, stamp_ns: int) -> None:
        """Measures if it is time to, and delivers what has waited long enough.

        Args:
            stamp_ns: Simulated time now [ns]; call it after every step.
        """
        if stamp_ns < self.next_ns:
            return
        if stamp_ns >= self._due_ns:
            self._due_ns = self._grid.after(stamp_ns)
            self._take(stamp_ns)
        while self._arrivals_ns and self._arrivals_ns[0] <= stamp_ns:
            del self._arrivals_ns[0]
            self._deliver(self._queue.popleft())
        self.next_ns = min((self._due_ns, *self._arrivals_ns[:1]))

    def reset(self, seed: int | None = None) -> None:
        """Starts again: no message yet, noise from the beginning of its stream.

        Args:
            seed: Seed of the world; the earlier one unless given.
        """
        self._seed = self._seed if seed is None else seed
        self.rng = self._stream()
        for channel in self._channels.values():
            channel.reset(self.rng)
        self._set_own_state(None)
        self._taken_ns = self.world.stamp_ns
        self._due_ns = self.next_ns = self._grid.after(self._taken_ns)
        self._queue: deque[MessageT] = deque()
        self._arrivals_ns: list[int] = []  # sorted; as many as messages wait
        self._last: MessageT | None = None
        self.sequence = 0
        self._arrived_step = -1

    def get_state(self) -> dict[str, Any]:
        """All that decides what it says from now on, as plain data."""
        return {
            "noise": self._noise_state(),
            "times_ns": [self._taken_ns, self._due_ns],
            "next_ns": self.next_ns,
            "counts": [self.sequence, self._arrived_step],
            "arrivals_ns": list(self._arrivals_ns),
            "queue": [_state_of(message) for message in self._queue],
            "last": None if self._last is None else _state_of(self._last),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continues from what `get_state` gave."""
        self._set_noise_state(state["noise"])
        self._taken_ns, self._due_ns = state["times_ns"]
        self.next_ns = state["next_ns"]
        self.sequence, self._arrived_step = state["counts"]
        self._arrivals_ns = list(state["arrivals_ns"])
        self._queue = deque(_message_of(data) for data in state["queue"])
        self._last = None if state["last"] is None else _message_of(state["last"])

    def rebind(self) -> None:
        """Finds its mount in a world whose model was replaced.

        Raises:
            UnknownNameError: The mount left the world.
        """
        self._adopt(find_mount(self.world, self.config.mount))
        self._add_frame()

    def detach(self) -> None:
        """Takes its frame out of the tree."""
        if self._is_own_frame and self.world.tf.has_frame(self.frame):
            self.world.tf.remove_frame(self.frame)
        self._is_own_frame = False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}' on '{self.mount.frame}'>"

    def _adopt(self, mount: Mount) -> None:
        self.mount = mount
        self.T_body_sensor = mount.T_body_mount @ self.T_mount_sensor
        self._p_body_sensor: Floats = np.array(self.T_body_sensor.translation)
        self._R_body_sensor: Floats = self.T_body_sensor.to_matrix()[:3, :3].copy()
        self.frame = frame_name(self.config.frame or self.name)
        self._bind()

    def _add_frame(self) -> None:
        tree = self.world.tf
        if tree.has_frame(self.frame):
            is_mount = self.frame == self.mount.frame and self.T_mount_sensor == Transform()
            if not is_mount and not self._is_own_frame:
                raise SceneError(
                    f"sensor '{self.name}' cannot have the frame '{self.frame}', which exists; "
                    "give it another 'name' or 'frame'"
                )
            if is_mount:
                return
        tree.add_static_transform(self.mount.frame, self.frame, self.T_mount_sensor)
        self._is_own_frame = True

    def _pose(self, data: mujoco.MjData | None = None) -> tuple[Floats, Floats]:
        """Position [m], shape (3,), and rotation matrix, shape (3, 3), in the world.

        Args:
            data: The state; that of now unless given.
        """
        state = self.world.data if data is None else data
        body = self.mount.body
        R_world_body = state.xmat[body].reshape(3, 3)
        position = state.xpos[body] + R_world_body @ self._p_body_sensor
        return position, R_world_body @ self._R_body_sensor

    def _stream(self, *numbers: int) -> np.random.Generator:
        """Random numbers of this sensor; other ones for other numbers."""
        entropy = self._seed if self.config.seed is None else self.config.seed
        words = (entropy, zlib.crc32(self.name.encode()), *numbers)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))

    def _elapsed(self, stamp_ns: int) -> float:
        return (stamp_ns - self._taken_ns) / NS_PER_S

    def _take(self, stamp_ns: int) -> None:
        message = self._disturb(self.measure(), self._elapsed(stamp_ns))
        self._taken_ns = stamp_ns
        is_lost = self.config.loss > 0.0 and self.rng.random() < self.config.loss
        latency_ns = self._draw_latency_ns()
        if is_lost:
            return
        if latency_ns <= 0 and not self._queue:
            self._deliver(message)
            return
        # Arrival times belong to no message: the oldest takes the earliest. Order is kept, the
        # mean latency too, and no message arrives before it was measured.
        self._queue.append(message)
        insort(self._arrivals_ns, stamp_ns + latency_ns)

    def _draw_latency_ns(self) -> int:
        mean, spread = self.config.latency, self.config.latency_jitter
        if mean == 0.0:
            return 0
        latency = mean
        if spread > 0.0:
            step = self.world.timestep
            drawn = self.rng.gamma((mean / spread) ** 2, spread * spread / mean)
            # Messages arrive in steps: rounded at random, so that the mean stays as it is.
            latency = step * math.floor(drawn / step + self.rng.random())
        # Stamps are rounded: a nanosecond must not make a step.
        return round(latency * NS_PER_S) - 1

    def _deliver(self, message: MessageT) -> None:
        self._last = message
        self.sequence += 1
        self._arrived_step = self.world.steps
        for listener in (*self.audience, *self.listeners):
            listener(self, message)

    def _noise_state(self) -> dict[str, Any]:
        return {
            "rng": json.dumps(self.rng.bit_generator.state),
            "channels": {name: channel.get_state() for name, channel in self._channels.items()},
            "own": self._own_state(),
        }

    def _set_noise_state(self, state: Mapping[str, Any]) -> None:
        self.rng.bit_generator.state = json.loads(state["rng"])
        for name, channel in self._channels.items():
            channel.set_state(state["channels"][name])
        self._set_own_state(state["own"])


def _state_of(message: Message) -> bytes:
    """A message bit by bit; on topics some of its numbers would be rounded."""
    return pack((message.NAME, [_plain(value) for value in message.field_values()]))


def _plain(value: Any) -> Any:  # noqa: ANN401
    return {"transform": value.to_bytes()} if isinstance(value, Transform) else value


def _message_of(state: bytes) -> Any:  # noqa: ANN401 - of the sensor's type
    name, values = unpack(state)
    kind = message_type(name)
    if kind is None:
        raise Sim3dError(f"the state of a sensor holds a message '{name}', which is not known")
    return kind(
        *(Transform.from_bytes(v["transform"]) if isinstance(v, dict) else v for v in values)
    )
