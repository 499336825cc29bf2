"""How a policy is trained: typed settings, with defaults for each task in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from horus_sim.assets import asset_path
from horus_sim.errors import TaskError
from horus_sim.files.document import read_document
from horus_sim.rl.settings import Config, Range, build_config, merged
from horus_sim.rl.task_files.definitions import build_task, task_bases

Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(gt=0, le=1)]
# Seeds of training lie below those of evaluation, whatever the number of environments.
_LARGEST_SEED = 2**19
# Beyond any machine's processors; torch ends the process where threads cannot be made.
_MOST_THREADS = 1024


class PpoConfig(Config):
    """Proximal policy optimization.

    Attributes:
        rollout_steps: Steps of each environment between two updates.
        batch_size: Steps in a gradient.
        epochs: How often each step is learned from.
        gae_lambda: Lambda of the generalized advantage estimate.
        clip_range: How far the probability of an action may move in an update.
        entropy: Weight of the entropy in the loss.
        value_weight: Weight of the error of the value in the loss.
        value_clip: How far a value may move in an update, or None for any way.
        largest_gradient: Gradients are scaled down to this norm.
        target_kl: Divergence at which an update stops early, or None.
        desired_kl: Divergence that the schedule 'adaptive' aims at in each gradient.
        initial_std: Deviation of actions at the beginning.
        std_bounds: Least and largest deviation of actions.
        mirror: Weight in the loss of how far actions differ from those in the mirror, squared, in
            tasks whose left and right are alike.
    """

    rollout_steps: Positive = 32
    batch_size: Positive = 4096
    epochs: Positive = 5
    gae_lambda: Share = 0.95
    clip_range: Share = 0.2
    entropy: Annotated[float, Field(ge=0)] = 0.0
    value_weight: Annotated[float, Field(gt=0)] = 0.5
    largest_gradient: Annotated[float, Field(gt=0)] = 0.5
    value_clip: Annotated[float, Field(gt=0)] | None = None
    target_kl: Annotated[float, Field(gt=0)] | None = None
    desired_kl: Annotated[float, Field(gt=0)] = 0.01
    initial_std: Annotated[float, Field(gt=0)] = 1.0
    std_bounds: Range = (0.01, 10.0)
    mirror: Annotated[float, Field(ge=0)] = 0.0

    @model_validator(mode="after")
    def _check(self) -> Self:
        low, high = self.std_bounds
        if not 0 < low <= self.initial_std <= high:
            raise ValueError(
                f"initial_std {self.initial_std} is not within std_bounds {self.std_bounds}, or "
                "these are not above 0; give a range that holds it"
            )
        return self


class SacConfig(Config):
    """Soft actor-critic.

    Attributes:
        buffer_size: Steps that are remembered.
        batch_size: Steps in a gradient.
        learning_starts: Steps before the first gradient; also after a resume.
        train_every: Steps of each environment between updates.
        gradient_steps: Gradients in an update.
        tau: Share by which the target network follows.
    """

    buffer_size: Positive = 300_000
    batch_size: Positive = 512
    learning_starts: Annotated[int, Field(ge=0)] = 5_000
    train_every: Positive = 1
    gradient_steps: Positive = 8
    tau: Share = 0.01


class TrainConfig(Config):
    """Everything that a training depends on.

    Attributes:
        task: Name of the task.
        settings: Settings of the task, over those that its name stands for.
        practice: Settings of the task that hold while it learns and not in evaluations, such as
            easier starts.
        algorithm: 'ppo' or 'sac'.
        num_envs: Environments that are stepped together.
        threads: Most threads for physics, 0 for one a processor.
        torch_threads: Threads for gradients, 0 for one a processor, at most 1024. What PPO learns
            does not depend on it; SAC has one where it is 0.
        seed: Seed of networks and environments; no evaluation uses the seeds of training.
        total_steps: Steps of all environments together after which it ends, or None.
        minutes: Time that cuts it short, or None; it ends by what comes first.
        network: Widths of the hidden layers of policy and value.
        activation: Function between the layers: 'tanh', 'relu' or 'elu'.
        learning_rate: Learning rate of Adam at the beginning.
        schedule: 'linear' lets the learning rate fall to a tenth, 'constant' keeps it, 'adaptive'
            (PPO alone) raises or lowers it after each gradient to keep near `ppo.desired_kl`.
        discount: Discount of rewards, for each step.
        normalize_observations: Whether they are brought to mean 0 and deviation 1.
        normalize_rewards: Whether rewards are divided by the deviation of returns.
        evaluate_every: Steps between evaluations.
        evaluation_episodes: Episodes of an evaluation.
        checkpoint_every: Steps between checkpoints.
        checkpoint_minutes: Time between them, where that many steps take longer.
        keep_checkpoints: How many are kept.
        ppo: Used where `algorithm` is 'ppo'.
        sac: Used where `algorithm` is 'sac'.
    """

    task: str
    settings: dict[str, Any] = Field(default_factory=dict)
    practice: dict[str, Any] = Field(default_factory=dict)
    algorithm: Literal["ppo", "sac"] = "ppo"
    num_envs: Annotated[int, Field(ge=1, le=2**16)] = 512
    threads: Annotated[int, Field(ge=0)] = 0
    torch_threads: Annotated[int, Field(ge=0, le=_MOST_THREADS)] = 0
    seed: Annotated[int, Field(ge=0, lt=_LARGEST_SEED)] = 0
    total_steps: Positive | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None
    network: Annotated[tuple[Positive, ...], Field(min_length=1)] = (64, 64)
    activation: Literal["tanh", "relu", "elu"] = "tanh"
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    schedule: Literal["constant", "linear", "adaptive"] = "linear"
    discount: Share = 0.99
    normalize_observations: bool = True
    normalize_rewards: bool = False
    evaluate_every: Positive = 500_000
    evaluation_episodes: Positive = 200
    checkpoint_every: Positive = 500_000
    checkpoint_minutes: Annotated[float, Field(gt=0)] = 1.0
    keep_checkpoints: Positive = 3
    ppo: PpoConfig = PpoConfig()
    sac: SacConfig = SacConfig()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.total_steps is None and self.minutes is None:
            raise ValueError(
                "nothing says when training ends; give total_steps or minutes (--steps, --minutes)"
            )
        rollout = self.num_envs * self.ppo.rollout_steps
        if self.algorithm == "ppo" and rollout % self.ppo.batch_size:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} does not divide num_envs * "
                f"ppo.rollout_steps = {rollout}; choose one that does"
            )
        if self.algorithm == "sac" and self.schedule == "adaptive":
            raise ValueError(
                "schedule 'adaptive' is for ppo, and algorithm is 'sac'; choose 'linear' or "
                "'constant'"
            )
        # Advantages are measured by their deviation in a batch.
        if self.algorithm == "ppo" and self.ppo.batch_size == 1:
            raise ValueError(
                f"ppo.batch_size is 1 (num_envs * ppo.rollout_steps = {rollout}) and PPO learns "
                "from 2 steps or more; give more environments or rollout_steps, or larger batches"
            )
        return self


def train_config(task: str, /, **overrides: Any) -> TrainConfig:  # noqa: ANN401 - checked
    """Settings for a task: its defaults from the shipped file, with these on top.

    A task that has no defaults takes those of its base.

    Args:
        task: Name of the task.
        **overrides: Fields of `TrainConfig`; mappings are merged key by key.

    Raises:
        TaskError: The task or a field is unknown, a value does not fit, or a task is among the
            fields.
    """
    if "task" in overrides:
        raise TaskError(
            f"task={overrides['task']} is given beside the task '{task}' itself; leave it out"
        )
    values = task_defaults(task)
    algorithm = overrides.get("algorithm", values.get("algorithm", "ppo"))
    values = merged(values, values.pop(f"with_{algorithm}", {}))
    values = {key: value for key, value in values.items() if not key.startswith("with_")}
    # Who says how many steps wants all of them.
    if overrides.get("total_steps") is not None:
        values.pop("minutes", None)
    values = merged(values, overrides)
    if "num_envs" in overrides and "batch_size" not in overrides.get("ppo", {}):
        values["ppo"] = _fitting(values)
    config = build_config(TrainConfig, {**values, "task": task}, f"training of '{task}'")
    build_task(task, merged(config.settings, config.practice))
    return config


def task_defaults(task: str) -> dict[str, Any]:
    """Fields of `TrainConfig` for a task from the shipped file; none for a task that it lacks.

    Raises:
        TaskError: The task is unknown.
    """
    shipped = read_document(asset_path("tasks", "rl_training", (".yaml",)), TaskError).data
    values: dict[str, Any] = {}
    for name in reversed(task_bases(task)):
        values = merged(values, shipped.get(name, {}))
    return values


def _fitting(values: Mapping[str, Any]) -> dict[str, Any]:
    """PPO's settings with a batch that fits the number of environments."""
    ppo = dict(values.get("ppo", {}))
    known = PpoConfig()
    steps = ppo.get("rollout_steps", known.rollout_steps)
    rollout = values["num_envs"] * steps
    wanted = ppo.get("batch_size", known.batch_size)
    if isinstance(rollout, int) and rollout > 0:
        parts = next(k for k in range(max(1, rollout // wanted), rollout + 1) if not rollout % k)
        ppo["batch_size"] = rollout // parts
    return ppo
