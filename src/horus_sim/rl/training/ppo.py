"""Proximal policy optimization on arrays that the simulations write to.

Schulman et al. 2017 with what later work found to matter: generalized advantages that look beyond a
time limit, advantages of mean 0 and deviation 1, orthogonal weights, running statistics, a learning
rate that may follow the divergence. A rollout is made with one policy and learned from in a few
epochs of shuffled batches. A batch is cut into pieces that threads share out and that stay in their
caches; gradients of the pieces are added in a fixed order, so that the number of threads changes no
bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import torch  # pyright: ignore[reportMissingImports]

from horus_sim.rl.envs.make import make_vector
from horus_sim.rl.settings import merged
from horus_sim.rl.terms.mirror import MirrorImage
from horus_sim.rl.training.config import TrainConfig
from horus_sim.rl.training.gaussian_loss import Batch, log_density, loss_gradient
from horus_sim.rl.training.learner import RECENT_EPISODES, Layers, Learner, arrays, tensors
from horus_sim.rl.training.monitor import TrainingMonitor
from horus_sim.rl.training.perceptron import Perceptron, Workspace
from horus_sim.rl.training.rollout import Rollout, advantages
from horus_sim.rl.training.running_statistics import CLIP, RunningStatistics
from horus_sim.system import available_cores

Tensor = Any
# Rows of a piece: enough that calls take little of the time, and few enough for a cache.
_PIECE = 1024
# Bounds and factor of the schedule 'adaptive' are those of rsl_rl.
_RATES = (1e-5, 1e-2)
_RATE_FACTOR = 1.5
_FIGURES = ("policy_loss", "value_loss", "clip_fraction", "divergence")


class Ppo(Learner):
    """The algorithm with its networks, optimizer and environments."""

    format = 2

    def __init__(self, config: TrainConfig) -> None:
        self.config, self.steps = config, 0
        settings = merged(config.settings, config.practice)
        self.vector = make_vector(
            config.task, config.num_envs, config.threads, "SameStep", copy=False, **settings
        )
        space: Any = self.vector.single_action_space
        self._low, self._high = space.low, space.high
        self._random = torch.Generator().manual_seed(config.seed)
        (columns,), actions = self.vector.single_observation_space.shape or (0,), len(space.low)
        self._build(columns, actions)
        steps, count = config.ppo.rollout_steps, config.num_envs
        self._rollout = Rollout(steps, count, columns, actions)
        self._commands = np.zeros((count, actions), np.float32)
        self._team = _Team(config.torch_threads or available_cores(), self._networks)
        image = self.vector.task.mirror() if config.ppo.mirror > 0 else None
        self._image = None if image is None else _Image(image, self.vector.columns)
        self._seen, self._returned = RunningStatistics(columns), RunningStatistics(1)
        self._returns, self._discounted = np.zeros(count), np.zeros(count)
        self._recent: tuple[deque[float], deque[bool]] = (
            deque(maxlen=RECENT_EPISODES),
            deque(maxlen=RECENT_EPISODES),
        )

    def _build(self, columns: int, actions: int) -> None:
        config = self.config
        actor = Perceptron((columns, *config.network, actions), config.activation)
        critic = Perceptron((columns, *config.network, 1), config.activation)
        self._networks = (actor, critic)
        middle, end = actor.count, actor.count + critic.count
        # One tensor of all parameters: one call for the optimizer, one for their norm.
        self._parameters = torch.zeros(end + actions)
        self._parameters.grad = torch.zeros(end + actions)
        self._parts = (slice(0, middle), slice(middle, end), slice(end, None))
        for network, part, gain in zip(self._networks, self._parts, (0.01, 1.0), strict=False):
            network.live_in(self._parameters[part])
            network.begin(gain, self._random)
        self._log_std = self._parameters[end:].fill_(float(np.log(config.ppo.initial_std)))
        self._log_std_bounds = [float(np.log(bound)) for bound in config.ppo.std_bounds]
        self._rate = config.learning_rate
        self._optimizer = torch.optim.Adam([self._parameters], lr=self._rate, eps=1e-5, fused=True)

    def learn(self, monitor: TrainingMonitor) -> None:
        """Learns until the monitor says that it is over."""
        observations, _ = self.vector.reset(seed=self.first_seed())
        self._observe(observations, self._rollout.observations[-1])
        while not monitor.is_over and self._collect(monitor):
            if self.config.schedule != "adaptive":
                self._rate = monitor.learning_rate
            figures = self._update()
            self.steps += self._rollout.rewards.size
            self.check_networks()
            monitor.tell(figures)
            monitor.look_after()

    def _collect(self, monitor: TrainingMonitor) -> bool:
        """Makes a rollout; False where it was stopped."""
        rollout, (actor, _) = self._rollout, self._networks
        rollout.begin()
        std = self._log_std.exp()
        for step in range(self.config.ppo.rollout_steps):
            if monitor.is_stopped:
                return False
            means = torch.from_numpy(rollout.means[step])
            actions = torch.from_numpy(rollout.actions[step])
            self._team.forward(actor, torch.from_numpy(rollout.observations[step]), means)
            torch.randn(actions.shape, generator=self._random, out=actions)
            actions.mul_(std).add_(means)
            np.clip(rollout.actions[step], self._low, self._high, out=self._commands)
            self._step(step)
        return True

    def _step(self, step: int) -> None:
        rollout = self._rollout
        observations, rewards, terminated, truncated, info = self.vector.step(self._commands)
        self._observe(observations, rollout.observations[step + 1])
        rollout.terminated[step] = terminated
        rollout.done[step] = done = terminated | truncated
        self._returns += rewards
        if self.config.normalize_rewards:
            self._discounted *= self.config.discount
            self._discounted += rewards
            self._returned.update(self._discounted[:, None])
            rewards = np.clip(rewards / self._returned.deviation, -CLIP, CLIP)
        rollout.rewards[step] = rewards
        if "final_obs" not in info:
            return
        over = np.flatnonzero(done)
        self._recent[0].extend(self._returns[over].tolist())
        self._recent[1].extend(info["final_info"]["success"][over].tolist())
        self._returns[over] = 0.0
        self._discounted[over] = 0.0
        cut = np.flatnonzero(truncated & ~terminated)
        if len(cut):
            last = np.empty((len(cut), observations.shape[1]), np.float32)
            self._normalize(info["final_obs"][cut], last)
            rollout.keep_last(step, cut, last)

    def _observe(self, observations: npt.NDArray[Any], out: npt.NDArray[np.float32]) -> None:
        self._seen.update(observations)
        if self._image is not None:
            self._seen.make_alike(self._image.observations)
        self._normalize(observations, out)

    def _normalize(self, observations: npt.NDArray[Any], out: npt.NDArray[np.float32]) -> None:
        if self.config.normalize_observations:
            self._seen.normalize(observations, out)
        else:
            out[:] = observations

    def _update(self) -> dict[str, float]:
        """Learns from the rollout.

        Returns:
            Figures of the last epoch.
        """
        config, random = self.config.ppo, self._random
        observations, batch = self._learned_from()
        old_log_std = self._log_std.clone()
        size, count = config.batch_size, len(observations)
        figures = torch.zeros(len(_FIGURES))
        for _ in range(config.epochs):
            order = torch.randperm(count, generator=random)
            figures.zero_()
            for rows in order.split(size):
                found = self._gradient(observations, batch, old_log_std, rows)
                figures += found * (size / count)
                divergence = float(found[-1])
                if config.target_kl is not None and divergence > 1.5 * config.target_kl:
                    return self._named(found)
                self._follow(divergence)
                self._descend()
        return self._named(figures)

    def _learned_from(self) -> tuple[Tensor, Tensor]:
        """Observations, and all else that a gradient needs in one tensor, a row for each step."""
        rollout, config, (_, critic) = self._rollout, self.config, self._networks
        columns, actions = rollout.observations.shape[2], rollout.actions.shape[2]
        everything = torch.from_numpy(rollout.observations.reshape(-1, columns))
        values = torch.from_numpy(rollout.values.reshape(-1, 1))
        self._team.forward(critic, everything, values)
        cut = torch.from_numpy(rollout.last_observations())
        last_values = torch.zeros(len(cut), 1)
        self._team.forward(critic, cut, last_values)
        gained = advantages(
            rollout.rewards,
            rollout.values[:-1],
            rollout.next_values(last_values[:, 0].numpy()),
            rollout.terminated,
            rollout.done,
            config.discount,
            config.ppo.gae_lambda,
        )
        returns = torch.from_numpy((gained + rollout.values[:-1]).reshape(-1))
        gains = torch.from_numpy(gained.reshape(-1))
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        taken, means = (
            torch.from_numpy(array.reshape(-1, actions))
            for array in (rollout.actions, rollout.means)
        )
        densities = log_density(taken, means, self._log_std)
        count = len(taken)
        singles = torch.stack((densities, gains, returns, values[:count, 0]), 1)
        return everything[:count], torch.cat((taken, means, singles), 1)

    def _gradient(
        self, observations: Tensor, everything: Tensor, old_log_std: Tensor, rows: Tensor
    ) -> Tensor:
        """Writes the gradient of a batch to the parameters; gives its figures."""
        actor, critic = self._networks
        actions, config = len(old_log_std), self.config.ppo

        def learn(piece: Tensor, work: _Work) -> tuple[Tensor, ...]:
            seen = torch.index_select(observations, 0, piece)
            image = None if self._image is None else self._image(actor, seen, work[0])
            taken = torch.index_select(everything, 0, piece)
            batch = Batch(
                taken[:, :actions],
                taken[:, actions : 2 * actions],
                *taken[:, 2 * actions :].unbind(1),
            )
            means = actor.forward(seen, work[0])
            values = critic.forward(seen, work[1])
            weight = 1 / len(rows)
            found = loss_gradient(means, self._log_std, values, batch, old_log_std, weight, config)
            if image is not None:
                found.means.add_(means - image, alpha=2 * config.mirror * weight)
            actor.backward(seen, found.means, work[0])
            critic.backward(seen, found.values, work[1])
            return (
                torch.cat((work[0].gradient, work[1].gradient, found.log_std)),
                found.figures,
            )

        gradients, figures = zip(*self._team.share(learn, rows), strict=True)
        torch.sum(torch.stack(gradients), 0, out=self._parameters.grad)
        return torch.stack(figures).sum(0)

    def _follow(self, divergence: float) -> None:
        """Lets the learning rate follow the divergence, where the schedule says so."""
        desired = self.config.ppo.desired_kl
        if self.config.schedule != "adaptive":
            return
        if divergence > 2 * desired:
            self._rate = max(_RATES[0], self._rate / _RATE_FACTOR)
        elif 0 < divergence < desired / 2:
            self._rate = min(_RATES[1], self._rate * _RATE_FACTOR)

    def _descend(self) -> None:
        gradient: Any = self._parameters.grad
        norm = float(torch.linalg.vector_norm(gradient))
        if norm > self.config.ppo.largest_gradient:
            gradient *= self.config.ppo.largest_gradient / norm
        self._optimizer.param_groups[0]["lr"] = self._rate
        self._optimizer.step()
        self._log_std.clamp_(*self._log_std_bounds)
        if self._image is not None:
            twins = self._log_std[torch.from_numpy(self._image.actions.columns)]
            self._log_std.copy_((self._log_std + twins) / 2)

    def _named(self, figures: Tensor) -> dict[str, float]:
        named = dict(zip(_FIGURES, figures.tolist(), strict=True))
        std = float(self._log_std.exp().mean())
        return {**named, "std": std, "learning_rate": self._rate}

    def check_networks(self) -> None:
        """Raises where what was learned cannot be used."""
        if not torch.isfinite(self._parameters).all():
            raise self.divergence()

    def recent_episodes(self) -> tuple[Sequence[float], Sequence[bool]]:
        """Returns and successes of the last 1,000 episodes, with exploration."""
        return self._recent

    def close(self) -> None:
        """Closes the environments and ends the threads."""
        self._team.close()
        self.vector.close()

    def _content(self) -> dict[str, Any]:
        seen, returned = self._seen, self._returned
        return {
            "network": list(self.config.network),
            "parameters": self._parameters.detach().clone(),
            "optimizer": self._optimizer.state_dict(),
            "learning_rate": self._rate,
            "random": self._random.get_state(),
            "observations": tensors(seen.mean, seen.variance, seen.count),
            "rewards": tensors(returned.mean, returned.variance, returned.count),
        }

    def _take(self, content: dict[str, Any]) -> None:
        same = content["network"] == list(self.config.network)
        if not same or content["parameters"].shape != self._parameters.shape:
            raise ValueError("its networks have other shapes than the task and settings ask")
        self._parameters.copy_(content["parameters"])
        self._optimizer.load_state_dict(content["optimizer"])
        self._rate = float(content["learning_rate"])
        for name, seen in (("observations", self._seen), ("rewards", self._returned)):
            seen.mean, seen.variance, seen.count = arrays(content[name])
        self._random.set_state(content["random"])

    def _network(self) -> Layers:
        return self._networks[0].layers()

    def _observed(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        return self._seen.mean, self._seen.variance


_Work = tuple[Workspace, Workspace]


class _Image:
    """What a policy does in the mirror, seen in the mirror again.

    Args:
        image: The task in the mirror.
        columns: Columns of each observation term.
    """

    def __init__(self, image: MirrorImage, columns: Mapping[str, slice]) -> None:
        self.observations, self.actions = image.all_observations(columns), image.actions
        flips = (self.observations, self.actions)
        self._columns = [torch.from_numpy(flip.columns) for flip in flips]
        self._signs = [torch.from_numpy(flip.signs) for flip in flips]

    def __call__(self, actor: Perceptron, seen: Tensor, work: Workspace) -> Tensor:
        """Means of actions, shape (n, actions), for normalized observations."""
        mirrored = seen[:, self._columns[0]] * self._signs[0]
        return actor.forward(mirrored, work)[:, self._columns[1]] * self._signs[1]


class _Team:
    """Threads that share out the pieces of a batch.

    Args:
        count: How many threads.
        networks: What they compute; each has memory of its own for both.
    """

    def __init__(self, count: int, networks: tuple[Perceptron, Perceptron]) -> None:
        # Threads of ours in place of those within PyTorch, whose sums depend on their number.
        torch.set_num_threads(1)
        actor, critic = networks
        self._networks = networks
        self._work = [(actor.workspace(_PIECE), critic.workspace(_PIECE)) for _ in range(count)]
        self._pool = None
        if count > 1:
            self._pool = ThreadPoolExecutor(count, "ppo", lambda: torch.set_num_threads(1))

    def share(self, function: Callable[[Tensor, _Work], Any], rows: Tensor) -> list[Any]:
        """What a function gives for each piece of the rows, in their order."""
        pieces = rows.split(_PIECE)
        results: list[Any] = [None] * len(pieces)

        def work(thread: int) -> None:
            for number in range(thread, len(pieces), len(self._work)):
                results[number] = function(pieces[number], self._work[thread])

        if self._pool is None or len(pieces) == 1:
            for number, piece in enumerate(pieces):
                results[number] = function(piece, self._work[0])
        else:
            list(self._pool.map(work, range(min(len(self._work), len(pieces)))))
        return results

    def forward(self, network: Perceptron, inputs: Tensor, out: Tensor) -> None:
        """Writes a network's outputs for all rows."""
        which = self._networks.index(network)

        def compute(rows: Tensor, work: _Work) -> None:
            part = slice(int(rows[0]), int(rows[-1]) + 1)
            out[part] = network.forward(inputs[part], work[which])

        if len(inputs):
            self.share(compute, torch.arange(len(inputs)))

    def close(self) -> None:
        """Ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()
