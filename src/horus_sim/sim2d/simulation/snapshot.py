"""The state of a 2D world, to go back to and to keep in a file."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from horus_sim.errors import SnapshotError
from horus_sim.files.checked_bytes import seal, unseal
from horus_sim.files.whole_file import write_whole
from horus_sim.sim2d.engine.named import ByBody
from horus_sim.sim2d.pose import Pose2D
from horus_sim.sim2d.simulation.plain_data import KINDS, NotPlain, decode, encode

_WORLD_MARK = b"HS2D"
_WORLD_VERSION = 2
_FILE_MARK = b"HS2F"
_FILE_VERSION = 1
# Time [s], steps, number of bodies, bytes of their names; then names, states, the core's bytes.
_HEAD = struct.Struct("<dqII")


class _Parts(NamedTuple):
    time: float
    steps: int
    names: list[str]
    states: npt.NDArray[np.float64]
    content: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that a replay needs.

    Attributes:
        world: State of bodies, wheels, contacts, sensors and random numbers, with a version and a
            checksum.
        controllers: What each robot's controller remembers.
    """

    world: bytes
    controllers: Mapping[str, Any] = field(default_factory=dict)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._parts().time

    @property
    def steps(self) -> int:
        """Number of steps before it."""
        return self._parts().steps

    @property
    def poses(self) -> dict[str, Pose2D]:
        """x, y [m], theta [rad] of all bodies by name, world frame."""
        parts = self._parts()
        rows = parts.states[:, :3].tolist()
        return ByBody(zip(parts.names, map(Pose2D._make, rows), strict=True))

    @property
    def velocities(self) -> dict[str, tuple[float, float, float]]:
        """vx, vy [m/s], yaw rate [rad/s] of all bodies by name, world frame."""
        parts = self._parts()
        rows = parts.states[:, 3:].tolist()
        return ByBody(zip(parts.names, map(tuple, rows), strict=True))

    @property
    def world_content(self) -> bytes:
        """The state as the core reads it.

        Raises:
            SnapshotError: `world` was altered, or another version wrote it.
        """
        return self._parts().content

    def save(self, path: str | Path) -> None:
        """Writes a file of plain data, with a version and a checksum.

        Raises:
            SnapshotError: A controller remembers something other than plain data, or the file
                cannot be written.
        """
        write_whole(Path(path), self.to_bytes(), SnapshotError)

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """Reads what `save` wrote; nothing in the file is run.

        Raises:
            SnapshotError: The file cannot be read, was altered, or another version wrote it.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or error
            raise SnapshotError(f"'{path}' cannot be read: {reason}; check the path") from error
        return cls._read(data, f"the bytes of '{path}'", "save the snapshot anew")

    def to_bytes(self) -> bytes:
        """What `save` writes; the same snapshot gives the same bytes.

        Raises:
            SnapshotError: A controller remembers something other than plain data.
        """
        try:
            content = encode({"world": self.world, "controllers": dict(self.controllers)})
        except NotPlain as error:
            place = error.place.replace("['controllers']", ".controllers", 1)
            raise SnapshotError(
                f"the snapshot cannot be kept as plain data: snapshot{place} is "
                f"{error.what}, and plain data are {KINDS}; give the controller get_state and "
                "set_state that return and take such data"
            ) from None
        return seal(content, _FILE_MARK, _FILE_VERSION)

    @classmethod
    def from_bytes(cls, data: bytes) -> Snapshot:
        """The snapshot from what `to_bytes` gave.

        Raises:
            SnapshotError: The bytes are not a snapshot, were altered, or another version wrote
                them.
        """
        return cls._read(data, "these bytes", "give what Snapshot.to_bytes gave")

    @classmethod
    def _read(cls, data: bytes, subject: str, remedy: str) -> Snapshot:
        try:
            fields = decode(bytes(unseal(data, _FILE_MARK, _FILE_VERSION)))
            world, controllers = fields["world"], fields["controllers"]
            if not isinstance(world, bytes) or not isinstance(controllers, dict):
                raise ValueError("they have other contents")
        except (KeyError, TypeError, ValueError) as error:
            raise SnapshotError(
                f"{subject} hold no snapshot of a 2D world: {error}; {remedy}"
            ) from error
        snapshot = cls(world, controllers)
        snapshot._parts()
        return snapshot

    def _parts(self) -> _Parts:
        try:
            content = bytes(unseal(self.world, _WORLD_MARK, _WORLD_VERSION))
            time, steps, count, length = _HEAD.unpack_from(content)
            at = _HEAD.size + length
            names = json.loads(content[_HEAD.size : at])
            states = np.frombuffer(content, np.float64, 6 * count, at).reshape(count, 6)
        except (struct.error, TypeError, ValueError) as error:
            raise SnapshotError(
                f"these bytes hold no state of a 2D world: {error}; take them from a snapshot"
            ) from error
        return _Parts(time, steps, names, states, content[at + states.nbytes :])


def names_of(bodies: Iterable[str]) -> bytes:
    """Names of all bodies as `sealed_world` takes them."""
    return json.dumps(list(bodies)).encode()


def sealed_world(
    time: float,
    steps: int,
    names: bytes,
    states: npt.NDArray[np.float64],
    content: bytes,
) -> bytes:
    """`Snapshot.world` of a state.

    Args:
        time: Simulated time [s].
        steps: Number of steps so far.
        names: Names of the bodies, from `names_of`.
        states: Their poses and velocities, shape (bodies, 6).
        content: The state as the core writes it.
    """
    head = _HEAD.pack(time, steps, len(states), len(names))
    return seal(head + names + states.tobytes() + content, _WORLD_MARK, _WORLD_VERSION)
