"""The state of environments: saved, restored, and carried to others of the same task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from horus_sim.errors import EnvSnapshotError
from horus_sim.files.checked_bytes import seal, unseal
from horus_sim.files.packing import pack, unpack
from horus_sim.files.whole_file import write_whole

_MARK = b"HSRL"
_VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class EnvSnapshot:
    """All that decides how environments go on.

    Attributes:
        task: Class of the task.
        settings: Its settings, as JSON.
        fingerprint: What the model is made of, in short.
        num_envs: How many environments.
        autoreset_mode: When episodes begin anew, by Gymnasium's names.
        state: Physics, random numbers, episodes, and what the task and its terms remember, as plain
            data with arrays.
        wrappers: What wrappers of `horus_sim.rl` remember, the innermost first.
    """

    task: str
    settings: str
    fingerprint: str
    num_envs: int
    autoreset_mode: str
    state: Mapping[str, Any]
    wrappers: tuple[Any, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EnvSnapshot):
            return NotImplemented
        return self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    @property
    def steps(self) -> npt.NDArray[np.uint32]:
        """Steps of the running episodes, shape (num_envs,)."""
        return self.state["steps"]

    @property
    def episodes(self) -> npt.NDArray[np.uint32]:
        """How many episodes each environment began since it was seeded, less one, (num_envs,)."""
        return self.state["episodes"]

    def save(self, path: str | Path) -> None:
        """Writes a file of plain data, with a version and a checksum.

        Raises:
            EnvSnapshotError: The file cannot be written.
        """
        write_whole(Path(path), self.to_bytes(), EnvSnapshotError)

    @classmethod
    def load(cls, path: str | Path) -> EnvSnapshot:
        """Reads what `save` wrote; nothing in the file is run.

        Raises:
            EnvSnapshotError: The file cannot be read, was altered, or another version wrote it.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or error
            raise EnvSnapshotError(f"'{path}' cannot be read: {reason}; check the path") from error
        return cls._read(data, f"the bytes of '{path}'", "save the snapshot anew")

    def to_bytes(self) -> bytes:
        """What `save` writes; the same snapshot gives the same bytes.

        Raises:
            EnvSnapshotError: The task remembers a number that is too large.
        """
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        try:
            return seal(pack(fields), _MARK, _VERSION)
        except OverflowError as error:
            raise EnvSnapshotError(
                f"the snapshot of {self.task} cannot be kept as plain data: {error}; keep whole "
                "numbers within 64 bits"
            ) from error

    @classmethod
    def from_bytes(cls, data: bytes) -> EnvSnapshot:
        """The snapshot from what `to_bytes` gave.

        Raises:
            EnvSnapshotError: The bytes are not a snapshot, were altered, or another version wrote
                them.
        """
        return cls._read(data, "these bytes", "give what EnvSnapshot.to_bytes gave")

    @classmethod
    def _read(cls, data: bytes, subject: str, remedy: str) -> EnvSnapshot:
        try:
            fields = unpack(unseal(data, _MARK, _VERSION))
            fields["wrappers"] = tuple(fields["wrappers"])
            if not (isinstance(fields["state"], dict) and isinstance(fields["task"], str)):
                raise ValueError("they have other contents")
            msgspec.json.decode(fields["settings"])
            return cls(**fields)
        except (msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
            raise EnvSnapshotError(
                f"{subject} hold no snapshot of environments: {error}; {remedy}"
            ) from error

    def check_fits(self, other: EnvSnapshot) -> None:
        """Compares what this is a snapshot of with another one.

        Args:
            other: A snapshot of the environments that are to take this one.

        Raises:
            EnvSnapshotError: It is of something else; the text says in what they differ.
        """
        mine, theirs = (_as_words(snapshot) for snapshot in (self, other))
        for what in (*mine, *(name for name in theirs if name not in mine)):
            if mine.get(what) != theirs.get(what):
                raise EnvSnapshotError(
                    f"the snapshot has {what} {mine.get(what)!r} and these environments have "
                    f"{theirs.get(what)!r}; make them as those that it was taken of"
                )
        if self.fingerprint != other.fingerprint:
            raise EnvSnapshotError(
                f"the snapshot is of {self.task} with another model; use the files and the version "
                "of the task that it was taken of"
            )


def _as_words(snapshot: EnvSnapshot) -> dict[str, Any]:
    words = {name: getattr(snapshot, name) for name in ("task", "num_envs", "autoreset_mode")}
    return words | _leaves(msgspec.json.decode(snapshot.settings), "settings")


def _leaves(value: Any, path: str) -> dict[str, Any]:  # noqa: ANN401 - of JSON
    if not isinstance(value, dict) or not value:
        return {path: value}
    found: dict[str, Any] = {}
    for key, item in value.items():
        found |= _leaves(item, f"{path}.{key}")
    return found
