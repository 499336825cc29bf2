"""Videos of chosen environments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt

from horus_sim.errors import TaskError
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.settings import is_whole, whole_number
from horus_sim.rl.wrappers.episodes import EpisodeWrapper, Flags
from horus_sim.sim3d.recording.video import check_video_name, write_video


class RecordVideo(EpisodeWrapper):
    """Keeps pictures of some environments, beside each other, and writes them when closed.

    Args:
        env: One of `horus_sim.rl`'s environments, wrapped or not.
        path: The video, .mp4 or .gif.
        environments: Ids of the environments to show.
        most_frames: Recording stops after this many pictures.
        size: Width and height of an environment's picture [pixels].

    Raises:
        TaskError: There are no such environments, or they have no pictures.
        RecordingError: The path has another ending.
    """

    # What was filmed stays filmed.
    no_state: ClassVar[frozenset[str]] = frozenset({"env", "_inner_env", "_pictures"})

    def __init__(
        self,
        env: gymnasium.vector.VectorEnv,
        path: str | Path,
        environments: Sequence[int] = (0,),
        most_frames: int = 600,
        size: tuple[int, int] = (320, 240),
    ) -> None:
        # First: Gymnasium closes also what was refused below.
        self._pictures: list[npt.NDArray[np.uint8]] = []
        super().__init__(env)
        inner = env.unwrapped
        if not isinstance(inner, VectorEnv):
            raise TaskError(f"{env} has no pictures; wrap an environment of horus_sim.rl")
        for number in environments:
            if not is_whole(number) or not 0 <= number < self.num_envs:
                raise TaskError(
                    f"environment {number!r} cannot be shown; there are {self.num_envs}"
                )
        self._inner_env = inner
        self._path = Path(path)
        check_video_name(self._path)
        self._shown = tuple(environments)
        self._most = whole_number("most_frames", most_frames, 1)
        self._size = size

    def change_observations(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401, ARG002
        """Takes a picture."""
        if len(self._pictures) < self._most:
            row = [self._inner_env.picture(number, *self._size) for number in self._shown]
            self._pictures.append(np.concatenate(row, axis=1))
        return observations

    def change_first(self, observations: Any, begun: Flags) -> Any:  # noqa: ANN401 - any space
        """Takes a picture if one of those to show begins."""
        if begun[list(self._shown)].any():
            return self.change_observations(observations, begun)
        return observations

    def close(self, **kwargs: Any) -> None:  # noqa: ANN401 - Gymnasium's own
        """Writes the video, and closes the environment."""
        if self._pictures:
            write_video(self._path, self._pictures, self.metadata["render_fps"])
            self._pictures = []
        super().close(**kwargs)
