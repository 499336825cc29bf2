"""Environments of different things live as they would alone, each on a model of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl import Observation, Reward, Task, TaskConfig
from horus_sim.rl.engines.mujoco_batch import MujocoBackend
from horus_sim.rl.models.variants import ModelVariants, PictureVariants, differing
from horus_sim.robots.engine import mujoco

TYPES = mujoco.mjtGeom
LENGTHS = (0.3, 0.5, 0.8)
# What lies on the floor: shape, size, and whether it is a wedge of a mesh.
THINGS: list[tuple[Any, Any, str]] = [
    (TYPES.mjGEOM_BOX, (0.05, 0.04, 0.03), ""),
    (TYPES.mjGEOM_CYLINDER, (0.04, 0.05, 0), ""),
    (TYPES.mjGEOM_SPHERE, (0.05, 0, 0), ""),
    (TYPES.mjGEOM_CAPSULE, (0.03, 0.04, 0), ""),
    (TYPES.mjGEOM_MESH, (1, 1, 1), "wedge"),
    (TYPES.mjGEOM_MESH, (1, 1, 1), "slab"),
]
WEDGE = np.array(
    [(0, 0, 0), (0.1, 0, 0), (0, 0.08, 0), (0.1, 0.08, 0), (0, 0, 0.06), (0, 0.08, 0.06)]
)


def models() -> list[mujoco.MjModel]:
    """A rod of three lengths that hits a thing: every length with every thing."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.004
    # Said, for it would follow from sizes, and pictures look at all of it.
    spec.stat.extent, spec.stat.center = 1.0, (0, 0, 0.2)
    spec.add_mesh(name="wedge", uservert=WEDGE.ravel().tolist())
    spec.add_mesh(name="slab", uservert=(WEDGE * (1, 1, 0.4)).ravel().tolist())
    spec.worldbody.add_geom(name="floor", type=TYPES.mjGEOM_PLANE, size=(2, 2, 1))
    rod = spec.worldbody.add_body(name="rod", pos=(0, 0, 0.35))
    rod.add_joint(name="pivot", axis=(0, 1, 0), range=(-3, 3))
    bar = rod.add_geom(name="bar", type=TYPES.mjGEOM_CAPSULE, size=(0.02, 0, 0))
    tip = rod.add_body(name="tip")
    tip.add_joint(name="wrist", axis=(0, 0, 1))
    tip.add_geom(name="tip", type=TYPES.mjGEOM_SPHERE, size=(0.03, 0, 0))
    thing = spec.worldbody.add_body(name="thing", pos=(0.15, 0, 0.1))
    thing.add_freejoint()
    thing.simple = False
    shape = thing.add_geom(name="thing")
    spec.add_actuator(name="pivot", target="pivot", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    found = []
    for length in LENGTHS:
        for kind, size, mesh in THINGS:
            bar.fromto = (0, 0, 0, 0, 0, -length)
            tip.pos = (0, 0, -length)
            shape.type, shape.size, shape.meshname = kind, size, mesh
            found.append(spec.compile())
    return found


COUNT = len(LENGTHS) * len(THINGS)


class Things(Task[TaskConfig]):
    """Each episode has another rod and another thing, or only the one that is told."""

    only: int | None = None

    def build_model(self):
        self.models = models()
        return self.models[0 if self.only is None else self.only]

    def action_bounds(self):
        return (-1.0,), (1.0,)

    def bind(self):
        self.qpos = self.sim.bind("qpos")
        self.forces = self.sim.bind("qfrc_constraint")
        if self.only is None:
            self.variants = ModelVariants(self.sim, self.models)

    def vary(self, ids):
        if self.only is None:
            draw = self.random.uniform("thing", ids, 1, 0, COUNT)[:, 0]
            self.variants.choose(ids, draw.astype(np.int64))

    def reset(self, ids):
        self.qpos[ids, 2:5] += self.random.uniform("place", ids, 3, -0.03, 0.03)
        self.qpos[ids, 0] = 0.6

    def act(self):
        self.ctrl[:] = -3.0 * self.actions

    def observations(self):
        return (
            Observation("qpos", self.qpos.shape[1], lambda rows: self.qpos[rows]),
            Observation("forces", self.forces.shape[1], lambda rows: self.forces[rows]),
        )

    def rewards(self):
        return (Reward("none", lambda: np.zeros(len(self.qpos))),)


def make(num_envs, threads=1, only: int | None = None, **settings) -> Any:
    task = Things(TaskConfig(physics_steps=5, episode_duration=0.6, **settings))
    task.only = only
    return rl.make_vector(task, num_envs, threads, "SameStep")


def life(envs, env, steps=25):
    """What one environment sees in its first episode."""
    first, _ = envs.reset(seed=np.arange(envs.num_envs).tolist())
    seen = [first[env]]
    for k in range(steps):
        action = np.sin(0.5 * k + env)
        actions = np.full((envs.num_envs, 1), action, np.float32)
        seen.append(envs.step(actions)[0][env])
    return np.array(seen).tobytes()


def test_each_lives_as_alone_on_its_own_model():
    envs = make(40, 2)
    lives = [life(envs, env) for env in range(6)]
    envs.reset(seed=np.arange(40).tolist())
    chosen = envs.task.variants.chosen.copy()
    assert len(set(chosen.tolist())) > 10
    for env in range(6):
        alone = make(1, only=int(chosen[env]))
        first, _ = alone.reset(seed=env)
        seen = [first[0]]
        for k in range(25):
            actions = np.full((1, 1), np.sin(0.5 * k + env), np.float32)
            seen.append(alone.step(actions)[0][0])
        assert np.array(seen).tobytes() == lives[env]


def test_it_depends_on_nothing_but_the_seed():
    wanted = life(make(1), 0)
    assert life(make(64, 1), 0) == life(make(64, 2), 0) == wanted


def test_every_episode_has_another_thing_and_snapshots_know_it():
    envs = make(30)
    envs.reset(seed=0)
    before = envs.task.variants.chosen.copy()
    for _ in range(30):
        envs.step(np.ones((30, 1), np.float32))
    assert (envs.task.variants.chosen != before).mean() > 0.8
    snapshot = envs.snapshot()
    wanted = [envs.step(np.ones((30, 1), np.float32))[0].tobytes() for _ in range(40)]
    other = make(30, 2)
    other.apply_snapshot(snapshot)
    assert [other.step(np.ones((30, 1), np.float32))[0].tobytes() for _ in range(40)] == wanted


def test_randomizations_start_from_what_each_is():
    drawn = {
        "mass": {"kind": "mass", "scale": [0.5, 2.0], "names": ["thing"]},
        "centre": {"kind": "centre_of_mass", "shift": [-0.01, 0.01], "names": ["thing"]},
    }
    envs = make(50, randomization=drawn)
    _, info = envs.reset(seed=0)
    task, sim = envs.task, envs.task.sim
    body = sim.id("body", "thing")
    for env in range(50):
        model = task.models[task.variants.chosen[env]]
        factor = info["randomization"]["mass"][env, 0]
        shift = info["randomization"]["centre"][env]
        mass = sim.batch.expanded("body_mass")[env, body]
        assert mass == pytest.approx(model.body_mass[body] * factor, rel=1e-12)
        place = sim.batch.expanded("body_ipos")[env, body]
        np.testing.assert_allclose(place, model.body_ipos[body] + shift, atol=1e-12)
        # Constants are those that MuJoCo computes for such a model.
        model.body_mass[body] = mass
        model.body_inertia[body] *= factor
        model.body_ipos[body] = place
        mujoco.mj_setConst(model, mujoco.MjData(model))
        weights = sim.batch.expanded("body_invweight0")[env]
        np.testing.assert_allclose(weights, model.body_invweight0, rtol=1e-9)
        model.body_inertia[body] /= factor
        model.body_mass[body] /= factor
        model.body_ipos[body] -= shift


def test_pictures_show_what_each_is(needs_gl):
    envs = make(6)
    envs.reset(seed=[0, 1, 2, 3, 4, 5])
    chosen = envs.task.variants.chosen
    for env in range(6):
        alone = make(1, only=int(chosen[env]))
        alone.reset(seed=env)
        np.testing.assert_array_equal(envs.picture(env, 160, 120), alone.picture(0, 160, 120))


def test_models_for_pictures_become_each_other():
    made, again = models(), models()
    pictures = PictureVariants(made)
    for k, model in enumerate(again):
        pictures.dress(k)
        assert not differing([pictures.model, model], "test")


def test_models_of_other_makes_are_refused():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="a")
    body.add_geom(name="a", size=(0.1, 0, 0))
    joint = body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE)
    first = spec.compile()
    body.name = "b"
    with pytest.raises(TaskError, match="test: the models to vary between have different names"):
        differing([first, spec.compile()], "test")
    body.name, joint.type = "a", mujoco.mjtJoint.mjJNT_BALL
    free = spec.compile()
    with pytest.raises(TaskError, match=r"have 'B_colind' of shapes .*; compile"):
        differing([first, free], "test")
    spec.add_mesh(name="wedge", uservert=WEDGE.ravel().tolist())
    with pytest.raises(TaskError, match=r"different assets \('mesh_vertadr'\); compile"):
        differing([free, spec.compile()], "test")
    with pytest.raises(TaskError, match="there are no models to vary between; give one at least"):
        ModelVariants(MujocoBackend(first, 1), [])
