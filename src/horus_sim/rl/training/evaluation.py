"""A deterministic policy on episodes that it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import MissingExtraError, RecordingError, TaskError
from horus_sim.files.whole_file import check_writable
from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.envs.vector_env import VectorEnv
from horus_sim.rl.settings import merged
from horus_sim.rl.training.report import EvaluationReport, Spread, used_settings
from horus_sim.sim3d.recording.video import check_video_name, write_video

# Training uses smaller seeds, evaluations within a training those below the second.
TRAINING_EVALUATION_SEED = 2**41
UNSEEN_SEED = 2**42
_MOST_ENVS = 256
_PICTURE = (480, 360)


class Acting(Protocol):
    """Anything that can be evaluated, such as a `Policy`."""

    def act(self, observations: npt.NDArray[Any], /) -> npt.NDArray[Any]:
        """Actions, a row for each observation."""
        ...


def evaluate(
    policy: Acting,
    task: str,
    episodes: int = 1000,
    *,
    settings: Mapping[str, Any] | None = None,
    policy_settings: Mapping[str, Any] | None = None,
    seed: int = UNSEEN_SEED,
    threads: int = 0,
    video: str | Path | None = None,
    shown: Sequence[int] = (0,),
    on_episodes: Callable[[int], None] | None = None,
) -> EvaluationReport:
    """Runs episodes and counts how they end.

    Which episodes are run is fixed beforehand, since those that end first would favour short ones.
    An environment takes the next of them when its last is over, and rests when there is none.

    Args:
        policy: What acts.
        task: Name of the task.
        episodes: How many.
        settings: Settings of the task.
        policy_settings: Those with which the policy learned (`Policy.settings`), below `settings`
            key by key; none unless told.
        seed: Seed of the first episode; the default is one that no training uses. Episode i is
            the one numbered `i // 256` of an environment with seed `seed + i % 256`, whatever
            environment runs it.
        threads: Most threads for physics.
        video: Where to write pictures of some episodes, .mp4 or .gif.
        shown: Numbers of the episodes in the video, one after another.
        on_episodes: Told how many episodes are over.

    Raises:
        TaskError: There would be no episode, or one to be shown is not among them, or an
            observation is not finite.
        RecordingError: The video cannot be written.
    """
    if episodes < 1:
        raise TaskError(f"an evaluation of {episodes} episodes says nothing; give at least 1")
    if video is not None:
        if not all(0 <= number < episodes for number in shown):
            raise TaskError(
                f"episodes {list(shown)} cannot all be shown; choose from 0 to {episodes - 1}"
            )
        _check_video_target(Path(video))
    learned, given = policy_settings or {}, settings or {}
    envs = make_vector(
        task,
        min(episodes, _MOST_ENVS),
        threads,
        "Disabled",
        render_mode=None if video is None else "rgb_array",
        **merged(learned, given),
    )
    try:
        film = _Film(envs, () if video is None else shown)
        tally = _run(envs, policy, episodes, seed, film, on_episodes)
        if video is not None:
            film.write(Path(video))
        counted = Counter(tally["cause"].tolist())
        return EvaluationReport(
            task=task,
            episodes=episodes,
            seed=seed,
            successes=int(tally["success"].sum()) if envs.has_success else None,
            returns=Spread.of(tally["return"]),
            lengths=Spread.of(tally["length"]),
            causes={envs.causes[cause]: count for cause, count in counted.most_common()},
            control_period=envs.task.dt,
            settings=used_settings(learned, given),
        )
    finally:
        envs.close()


# How an episode ended.
_ENDED = np.dtype([("return", float), ("length", int), ("cause", int), ("success", bool)])


class _Queue:
    """Which episode each environment runs, and which are left to run.

    An episode is the same in every environment: number i is episode `i // 256` of an environment
    with seed `first_seed + i % 256`.

    Attributes:
        running: Number of the episode of each environment, -1 where it rests, shape (num_envs,).
    """

    def __init__(self, envs: VectorEnv, episodes: int, first_seed: int) -> None:
        self._envs, self._episodes, self._seed = envs, episodes, first_seed
        self.running = np.full(envs.num_envs, -1)
        self._next = 0

    def give(self, free: npt.NDArray[np.int64], seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Begins the next episodes in free environments; those for which there is none rest.

        Args:
            free: Ids of the environments.
            seen: Observations of all environments.

        Returns:
            These observations, with the first of the episodes that began.
        """
        self.running[free] = -1
        begun = free[: self._episodes - self._next]
        if len(begun) < len(free):
            self._envs.rest(free[len(begun) :])
        if not len(begun):
            return seen
        numbers = np.arange(self._next, self._next + len(begun))
        self._next += len(begun)
        self.running[begun] = numbers
        seeds = (self._seed + numbers % _MOST_ENVS).astype(np.uint64)
        return self._envs.begin_episodes(begun, seeds, (numbers // _MOST_ENVS).astype(np.uint32))


def _run(
    envs: VectorEnv,
    policy: Acting,
    episodes: int,
    seed: int,
    film: _Film,
    on_episodes: Callable[[int], None] | None,
) -> npt.NDArray[np.void]:
    """How each episode ended, at the place of its number."""
    tally, queue, ended = np.zeros(episodes, _ENDED), _Queue(envs, episodes, seed), 0
    observations = queue.give(np.arange(envs.num_envs), np.empty(0))
    while ended < episodes:
        film.look(queue.running)
        actions = policy.act(observations)
        observations, rewards, terminated, truncated, info = envs.step(actions)
        moved = queue.running[queue.running >= 0]
        tally["return"][moved] += rewards[queue.running >= 0]
        tally["length"][moved] += 1
        over = np.flatnonzero(terminated | truncated)
        if not len(over):
            continue
        for key in ("cause", "success"):
            tally[key][queue.running[over]] = info[key][over]
        ended += len(over)
        observations = queue.give(over, observations)
        if on_episodes is not None:
            on_episodes(ended)
    return tally


class _Film:
    """Pictures of some episodes."""

    def __init__(self, envs: VectorEnv, shown: Sequence[int]) -> None:
        self._envs = envs
        self._pictures: dict[int, list[npt.NDArray[np.uint8]]] = {number: [] for number in shown}

    def look(self, running: npt.NDArray[np.int64]) -> None:
        """Draws the shown ones among the episodes that environments run."""
        for number, pictures in self._pictures.items():
            for env in np.flatnonzero(running == number).tolist():
                pictures.append(self._envs.picture(env, *_PICTURE))

    def write(self, path: Path) -> None:
        pictures = [picture for row in self._pictures.values() for picture in row]
        write_video(path, pictures, self._envs.metadata["render_fps"])


def _check_video_target(path: Path) -> None:
    """Raises where a video could not be written.

    Raises:
        RecordingError: The ending is another than .mp4 or .gif, or as in `check_writable`.
        MissingExtraError: It is an MP4, and the extra [video] is not installed.
    """
    check_video_name(path)
    if path.suffix.lower() == ".mp4" and find_spec("av") is None:
        raise MissingExtraError("av", "video")
    check_writable(path, RecordingError)
