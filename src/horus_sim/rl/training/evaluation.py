"""A deterministic policy on episodes that it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from horus_sim.errors import ActionError, TaskError
from horus_sim.rl.making import make_vector
from horus_sim.rl.settings import merged
from horus_sim.rl.training.finite import check_finite
from horus_sim.rl.training.report import EvaluationReport, Spread
from horus_sim.rl.training.target_file import check_video_target
from horus_sim.rl.training.used_settings import used_settings
from horus_sim.rl.vector_env import VectorEnv

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

    Each environment runs a share of the episodes that is fixed beforehand: taking those that end
    first would favour short ones.

    Args:
        policy: What acts.
        task: Name of the task.
        episodes: How many.
        settings: Of the task.
        policy_settings: Those with which the policy learned (`Policy.settings`), below `settings`
            key by key; none unless told.
        seed: Of the first environment; the default is one that no training uses.
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
    num_envs = min(episodes, _MOST_ENVS)
    if video is not None and not all(0 <= number < num_envs for number in shown):
        raise TaskError(
            f"episodes {list(shown)} cannot all be shown; choose from 0 to {num_envs - 1}"
        )
    if video is not None:
        check_video_target(Path(video))
    learned, given = policy_settings or {}, settings or {}
    envs = make_vector(
        task,
        num_envs,
        threads,
        "SameStep",
        render_mode=None if video is None else "rgb_array",
        **merged(learned, given),
    )
    film = None if video is None else _Film(envs, tuple(shown))
    try:
        tally = _run(envs, policy, episodes, seed, film, on_episodes)
        if film is not None and video is not None:
            film.write(Path(video))
        success = any(term.success for term in envs.task.terminations())
        counted = Counter(tally.causes)
        return EvaluationReport(
            task=task,
            episodes=episodes,
            seed=seed,
            successes=sum(tally.successes) if success else None,
            returns=_spread(tally.returns),
            lengths=_spread(tally.lengths),
            causes={envs.causes[cause]: count for cause, count in counted.most_common()},
            seconds=envs.task.dt,
            settings=used_settings(learned, given),
        )
    finally:
        envs.close()


class _Tally:
    def __init__(self) -> None:
        self.returns: list[float] = []
        self.lengths: list[int] = []
        self.causes: list[int] = []
        self.successes: list[bool] = []


def _run(
    envs: VectorEnv,
    policy: Acting,
    episodes: int,
    seed: int,
    film: _Film | None,
    on_episodes: Callable[[int], None] | None,
) -> _Tally:
    count = envs.num_envs
    left = np.full(count, episodes // count)
    left[: episodes % count] += 1
    returns, lengths = np.zeros(count), np.zeros(count, np.int64)
    tally = _Tally()
    observations, _ = envs.reset(seed=seed)
    while left.any():
        if film is not None:
            film.look()
        actions = policy.act(observations)
        try:
            observations, rewards, terminated, truncated, info = envs.step(actions)
        except ActionError:
            # The policy can do nothing with such observations; it is not at fault.
            check_finite(envs, observations, None, TaskError)
            raise
        returns += rewards
        lengths += 1
        over = np.flatnonzero(terminated | truncated)
        if not len(over):
            continue
        if film is not None:
            film.end(over)
        last, counted = info["final_info"], over[left[over] > 0]
        tally.returns += returns[counted].tolist()
        tally.lengths += lengths[counted].tolist()
        tally.causes += last["cause"][counted].tolist()
        tally.successes += last["success"][counted].tolist()
        left[counted] -= 1
        returns[over], lengths[over] = 0.0, 0
        if on_episodes is not None:
            on_episodes(len(tally.causes))
    return tally


class _Film:
    """Pictures of the first episodes of some environments."""

    def __init__(self, envs: VectorEnv, shown: tuple[int, ...]) -> None:
        self._envs = envs
        self._running = set(shown)
        self._pictures: dict[int, list[npt.NDArray[np.uint8]]] = {env: [] for env in shown}

    def look(self) -> None:
        for env in self._running:
            self._pictures[env].append(self._envs.picture(env, *_PICTURE))

    def end(self, over: npt.NDArray[np.intp]) -> None:
        self._running.difference_update(over.tolist())

    def write(self, path: Path) -> None:
        from horus_sim.sim3d.recording.video import write_video

        pictures = [picture for row in self._pictures.values() for picture in row]
        write_video(path, pictures, self._envs.metadata["render_fps"])


def _spread(values: Sequence[float]) -> Spread:
    array = np.asarray(values, np.float64)
    return Spread(float(array.mean()), float(array.std()), float(array.min()), float(array.max()))
