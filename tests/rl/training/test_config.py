"""Settings of a training: defaults of tasks, and what is refused."""

from __future__ import annotations

import pytest

from horus_sim.errors import TaskError
from horus_sim.rl import task_names
from horus_sim.rl.training import train_config
from horus_sim.rl.training.evaluation import TRAINING_EVALUATION_SEED, UNSEEN_SEED


@pytest.mark.parametrize("name", task_names())
@pytest.mark.parametrize("algorithm", ["ppo", "sac"])
def test_every_task_has_settings(name, algorithm):
    config = train_config(name, algorithm=algorithm)
    assert config.task == name
    assert config.total_steps is not None
    assert config.minutes is None


def test_a_task_takes_over_those_of_its_base():
    assert train_config("NavigationOpen").num_envs == train_config("Navigation").num_envs
    assert train_config("NavigationOpen").total_steps != train_config("Navigation").total_steps


def test_minutes_are_a_limit_beside_the_steps_of_the_task():
    config = train_config("Navigation", minutes=1.0)
    assert config.total_steps == train_config("Navigation").total_steps
    assert config.minutes == 1.0


@pytest.mark.parametrize("num_envs", [1, 7, 48, 100, 1000])
def test_the_batch_fits_any_number_of_environments(num_envs):
    config = train_config("Navigation", num_envs=num_envs)
    assert num_envs * config.ppo.rollout_steps % config.ppo.batch_size == 0


def test_mistakes_are_named():
    with pytest.raises(TaskError, match="did you mean 'learning_rate'"):
        train_config("Navigation", learnin_rate=0.1)
    with pytest.raises(TaskError, match=r"horus_sim.rl has no task 'Navigaton'; did you mean"):
        train_config("Navigaton")
    with pytest.raises(TaskError, match="task=Racing is given beside the task 'Navigation' itself"):
        train_config("Navigation", task="Racing")
    with pytest.raises(TaskError, match="does not divide num_envs"):
        train_config("Navigation", ppo={"batch_size": 1000})
    with pytest.raises(TaskError, match="goals: unknown key 'goals'"):
        train_config("Navigation", settings={"goals": 1})
    with pytest.raises(TaskError, match="unknown key 'asisted'; did you mean 'assisted'"):
        train_config("Manipulation", practice={"asisted": 0.5})


def test_what_the_learner_could_not_begin_with_is_refused():
    with pytest.raises(TaskError, match=r"torch_threads: it is 100000; .*less than or equal to 1"):
        train_config("Navigation", torch_threads=100_000)
    with pytest.raises(TaskError, match=r"rollout_steps = 1\) and PPO learns from 2 steps or more"):
        train_config("Navigation", num_envs=1, ppo={"rollout_steps": 1})
    assert train_config("Navigation", algorithm="sac", num_envs=1, ppo={"rollout_steps": 1})


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
@pytest.mark.parametrize("field", ["learning_rate", "minutes", "checkpoint_minutes", "discount"])
def test_numbers_are_finite(field, value):
    with pytest.raises(TaskError, match=rf"{field}: it is {value}; .*finite"):
        train_config("Navigation", **{field: value})
    with pytest.raises(TaskError, match=r"ppo\.entropy: it is .*finite"):
        train_config("Navigation", ppo={"entropy": value})


def test_seeds_of_training_and_evaluation_are_apart():
    largest = 2**19 * 2**20
    assert largest < TRAINING_EVALUATION_SEED
    assert TRAINING_EVALUATION_SEED + 2**20 < UNSEEN_SEED
