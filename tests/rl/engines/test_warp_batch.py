"""Physics by mujoco_warp: closed forms, MuJoCo's own batch, and what tasks may rely on.

Here Warp runs on the processor. Kernels of a model are compiled when it is first used on a machine,
which takes up to half a minute, so that few models are used.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl.tasks.navigation import Navigation
from horus_sim.robots.engine import mujoco

pytest.importorskip("mujoco_warp", reason="pip install 'horus-sim[warp]'")

from horus_sim.rl.engines.warp_batch import WarpBackend

# A pushed sledge, a falling ball, a pendulum of a point on a rod of 1 m, and a fixed box far away.
PARTS = """
<mujoco><option timestep="0.002"/><worldbody>
<geom name="wall" type="box" size=".1 .1 .1" pos="9 0 0"/>
<body pos="0 0 0"><joint name="x" type="slide" axis="1 0 0"/>
  <geom type="sphere" size=".1" mass="2" contype="0" conaffinity="0"/></body>
<body pos="0 2 5"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
<body pos="0 4 3"><joint type="hinge" axis="0 1 0"/><inertial pos="0 0 -1" mass="1"
  diaginertia="1e-6 1e-6 1e-6"/><site name="bob" pos="0 0 -1"/></body>
</worldbody><actuator><motor joint="x"/></actuator></mujoco>
"""
GRAVITY = 9.81
STEP = 0.002


def parts(num_envs) -> WarpBackend:
    return WarpBackend(mujoco.MjModel.from_xml_string(PARTS), num_envs, 1, "Parts")


class ExactNavigation(Navigation):
    """Contacts solved until nothing changes, so that two solvers give the same."""

    def build_model(self):
        model = super().build_model()
        model.opt.tolerance, model.opt.iterations = 1e-12, 100
        return model


def exact(num_envs, backend, **settings) -> Any:
    config = Navigation.Config(backend=backend, **settings)
    return rl.make_vector(ExactNavigation(config), num_envs)  # pyright: ignore[reportArgumentType]


def both(make, steps):
    """Observations of the same actions on MuJoCo's batch and on Warp, shape (2, steps, ...)."""
    seen = []
    for backend in ("mujoco", "warp"):
        envs = make(backend)
        rng = np.random.default_rng(0)
        shape = (steps, *envs.action_space.shape)
        actions = rng.uniform(-1.0, 1.0, shape).astype(np.float32)
        rows = [envs.reset(seed=0)[0], *(envs.step(action)[0] for action in actions)]
        seen.append(rows)
    return np.array(seen)


def test_motion_is_that_of_the_closed_forms():
    sim = parts(3)
    qpos, qvel, force = sim.bind("qpos"), sim.bind("qvel"), sim.bind("ctrl")
    force[:, 0] = [0.0, 1.0, -3.0]
    qpos[:, 8] = swing = np.array([0.0, 0.05, 0.1])
    count = 250
    assert sim.step(count) is None
    # Semi-implicit Euler: sums of speeds after each step. Single precision has 24 bits, and errors
    # of its sums grow with the root of the steps at most.
    shape = STEP**2 * count * (count + 1) / 2
    np.testing.assert_allclose(qpos[:, 0], force[:, 0] / 2.0 * shape, atol=2e-6)
    np.testing.assert_allclose(qpos[:, 3], 5.0 - GRAVITY * shape, atol=2e-5)
    np.testing.assert_allclose(qvel[:, 3], -GRAVITY * STEP * count, rtol=1e-5)
    # A pendulum at small angles; the next term of its period is swing**2 / 16.
    angle = swing * np.cos(np.sqrt(GRAVITY) * STEP * count)
    np.testing.assert_allclose(qpos[:, 8], angle, atol=5e-4)


def test_fields_of_each_environment_are_applied_when_they_change():
    sim = parts(3)
    mass, gravity = sim.expand("body_mass"), sim.expand("opt.gravity")
    force, qvel = sim.bind("ctrl"), sim.bind("qvel")
    force[:] = 6.0
    every = np.arange(3)
    for factor in (1.0, 2.0):
        sim.reset(every)
        force[:] = 6.0
        mass[:, 1] = np.array([1.0, 2.0, 4.0]) * factor
        gravity[:, 2] = np.array([-1.0, 0.0, 3.0]) * factor
        sim.set_const(every)
        sim.step(100)
        np.testing.assert_allclose(qvel[:, 0], 6.0 / mass[:, 1] * 0.2, rtol=1e-5)
        np.testing.assert_allclose(qvel[:, 3], gravity[:, 2] * 0.2, rtol=1e-5, atol=1e-7)


def test_what_is_not_stepped_stays_and_fields_follow():
    sim = parts(4)
    state = sim.batch.state
    place = sim.bind("site_xpos")
    assert not place.flags.writeable
    sim.bind("qpos")[:, 8] = [0.1, 0.2, 0.3, 0.4]
    sim.forward(np.arange(4))
    before, places = state.copy(), place.copy()
    np.testing.assert_allclose(place[:, 0, 0], -np.sin([0.1, 0.2, 0.3, 0.4]), atol=1e-12)
    sim.step(5, np.array([1, 3]))
    np.testing.assert_array_equal(state[[0, 2]], before[[0, 2]])
    np.testing.assert_array_equal(place[[0, 2]], places[[0, 2]])
    assert (state[[1, 3], 0] > 0).all()
    # As after mj_step: of the state before the last physics step.
    last = (sim.bind("qpos")[:, 8] - STEP * sim.bind("qvel")[:, 7])[[1, 3]]
    np.testing.assert_allclose(place[[1, 3], 0, 0], -np.sin(last), atol=1e-6)
    model, data = sim.snapshot(3)
    assert model.nq == 9
    np.testing.assert_array_equal(data.qpos, sim.bind("qpos")[3])
    sim.reset(np.array([3]))
    np.testing.assert_array_equal(state[3], parts(1).batch.state[0])


def test_rays_and_threads_are_those_of_the_batch():
    sim = parts(2)
    np.testing.assert_allclose(
        sim.ranges(np.array([[5.0, 0, 0]]), np.array([[[1.0, 0, 0]]]), np.inf), 3.9, atol=1e-12
    )
    assert sim.threads == 1


def test_more_constraints_than_expected_make_room_for_themselves():
    balls = "".join(
        f'<body pos="{i} 0 .1"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/>'
        '<geom type="sphere" size=".1" mass="1"/></body>'
        for i in range(20)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="9 9 1"/>{balls}</worldbody></mujoco>'
    )
    ours, theirs = WarpBackend(model, 2, 1), rl.MujocoBackend(model, 2, 1)
    for sim in (ours, theirs):
        sim.step(100)
    # 20 balls with 4 rows each are beyond the 64 that mujoco_warp begins with.
    _, data = theirs.snapshot(0)
    assert data.nefc == 80
    np.testing.assert_allclose(ours.bind("qpos"), theirs.bind("qpos"), atol=1e-6)


def test_navigation_moves_as_on_mujoco_for_a_second():
    # Contacts on a floor damp differences instead of amplifying them.
    a, b = both(lambda backend: exact(4, backend), 20)
    np.testing.assert_allclose(a, b, atol=2e-3)


def test_randomized_navigation_moves_as_on_mujoco():
    kinds: dict[str, Any] = {
        "weight": {"kind": "mass", "scale": [0.5, 1.5]},
        "grip": {"kind": "friction", "scale": [0.7, 1.3]},
        "oil": {"kind": "damping", "scale": [0.5, 2.0]},
        "motors": {"kind": "motor_gain", "scale": [0.8, 1.2], "each": True},
        "planet": {"kind": "gravity", "scale": [0.9, 1.1]},
        "load": {"kind": "centre_of_mass", "shift": [-0.01, 0.01], "names": ["base_footprint"]},
        "kick": {"kind": "push", "speed": [0.0, 0.2], "interval": 0.3},
    }
    # Lidar rays that pass an obstacle or not are no measure of physics.
    open_space: dict[str, Any] = {"obstacles": {"count": 0}, "episode_duration": 0.3}
    a, b = both(lambda backend: exact(4, backend, randomization=kinds, **open_space), 14)
    # Tyres that begin to slip in another physics step are elsewhere for a moment.
    difference = np.abs(a - b)
    assert difference.max() < 0.05
    assert np.mean(difference < 1e-3) > 0.97
    plain = both(lambda backend: exact(4, backend, **open_space), 14)[0]
    assert np.abs(a - plain).max() > 0.05
    # A robot that hops is chaotic: one step.
    bounce: dict[str, Any] = {"bounce": {"kind": "restitution", "restitution": [0.3, 0.5]}}
    a, b = both(lambda backend: exact(4, backend, randomization=bounce, **open_space), 1)
    np.testing.assert_allclose(a, b, atol=1e-3)


def test_the_arm_moves_as_on_mujoco_for_a_second():
    # Nothing touches, and drives hold it: differences stay those of single precision.
    a, b = both(lambda backend: rl.make_vector("ArmReach", 4, backend=backend), 20)
    np.testing.assert_allclose(a, b, atol=1e-4)


def test_the_cheetah_runs_as_on_mujoco_for_a_while():
    # Feet that touch a moment earlier or later change all that follows: a third of a second.
    a, b = both(lambda backend: rl.make_vector("HalfCheetah", 4, backend=backend), 7)
    np.testing.assert_allclose(a, b, atol=5e-3)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("poison", [np.nan, 1e30])
def test_a_diverged_environment_begins_anew_and_the_others_do_not_notice(mode, poison):
    sick, well = (
        rl.make_vector("Navigation", 5, autoreset_mode=mode, backend="warp") for _ in range(2)
    )
    actions = np.full((5, 2), 0.2, np.float32)
    for envs in (sick, well):
        envs.reset(seed=1)
        envs.step(actions)
    task: Any = sick.task
    task.qvel[3, 0] = poison
    others = [0, 1, 2, 4]
    for step in range(3):
        a, b = sick.step(actions), well.step(actions)
        for ours, theirs in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(ours[others], theirs[others])
        assert np.isfinite(a[0]).all()
        assert a[4]["diverged"].tolist() == [False, False, False, step == 0, False]
    assert sick.diverged_total == 1


def test_what_diverges_on_the_device_is_found():
    sim = parts(3)
    sim.bind("qvel")[:, 0] = [0.0, 9e9, 1.0]
    sim.bind("ctrl")[1] = 1e38
    diverged = sim.step(3)
    assert diverged is not None
    assert diverged.tolist() == [1]
    assert np.isfinite(sim.batch.state).all()
    np.testing.assert_allclose(sim.bind("qpos")[[0, 2], 0], [0.0, 3 * STEP], rtol=1e-5)


def test_episodes_end_and_begin_as_on_mujoco():
    ends = []
    for backend in ("mujoco", "warp"):
        envs = rl.make_vector("NavigationOpen", 3, episode_duration=0.2, backend=backend)
        envs.reset(seed=2)
        rows = [envs.step(np.ones((3, 2), np.float32)) for _ in range(11)]
        ends.append(([row[3].tolist() for row in rows], rows))
    assert ends[0][0] == ends[1][0]
    # The first observations of the second episode, and of the third, are those of a reset.
    for step in (4, 9):
        np.testing.assert_array_equal(ends[0][1][step][0], ends[1][1][step][0])
        assert not ends[1][1][step][1].any()


def test_the_same_seed_is_the_same_whatever_runs_beside_it():
    runs = []
    for count in (2, 2, 5):
        envs = rl.make_vector("Navigation", count, backend="warp")
        envs.reset(seed=5)
        runs.append([envs.step(np.full((count, 2), 0.3, "f4"))[0][:2] for _ in range(5)])
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])


def test_gymnasium_takes_the_setting_and_finds_nothing_wrong():
    envs: Any = gymnasium.make_vec("HorusSim/Navigation-v0", num_envs=3, backend="warp")
    observations, _ = envs.reset(seed=0)
    assert envs.observation_space.contains(observations)
    assert envs.observation_space.contains(envs.step(envs.action_space.sample())[0])
    assert isinstance(envs.unwrapped.task.sim, WarpBackend)
    envs.close()
    env = gymnasium.make("HorusSim/Navigation-v0", backend="warp")
    check_env(env.unwrapped, skip_render_check=True)


def test_what_mujoco_warp_lacks_names_task_and_remedy():
    model = mujoco.MjModel.from_xml_string(PARTS)
    model.opt.solver = mujoco.mjtSolver.mjSOL_PGS
    with pytest.raises(TaskError, match=r"Parts: .*PGS is unsupported.*leave out backend='warp'"):
        WarpBackend(model, 1, 1, "Parts")
    sim = parts(2)
    with pytest.raises(TaskError, match=r"Parts: .* no field 'qLD' like MuJoCo's; compute it"):
        sim.bind("qLD")
    with pytest.raises(TaskError, match=r"Parts: .* one 'opt.impratio' for all environments"):
        sim.expand("opt.impratio")
    sim.expand("geom_pos")[1, 0, 0] += 1.0
    with pytest.raises(TaskError, match=r"'geom_pos' moves one; make its body a mocap body"):
        sim.step(1)


def test_a_backend_that_cannot_be_is_refused():
    with pytest.raises(TaskError, match=r"backend: it is 'gpu'; write 'mujoco' or 'warp'"):
        rl.make_vector("Navigation", 1, backend="gpu")
    with pytest.raises(TaskError, match=r"on the 2D simulator; leave out backend='warp'"):
        rl.make_vector("LineFollower2D", 1, backend="warp")


def test_without_the_package_the_extra_is_named():
    script = (
        "import importlib.util as u\n"
        "real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'mujoco_warp' else real(name, *rest)\n"
        "import horus_sim.rl as rl\n"
        "try:\n    rl.make_vector('Navigation', 1, backend='warp')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True
    )
    assert result.stdout == "mujoco-warp is not installed; run: pip install 'horus-sim[warp]'\n"


def test_snapshots_go_on_bit_by_bit():
    settings: Any = {"backend": "warp", "physics_steps": 4, "episode_duration": 0.2}
    drawn = {"payload": {"kind": "mass", "scale": [0.8, 1.2]}}
    envs, other = (rl.make_vector("Navigation", 2, randomization=drawn, **settings) for _ in "ab")
    envs.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-1, 1, (20, 2, 2)).astype(np.float32)
    for action in actions[:7]:
        envs.step(action)
    snapshot = envs.snapshot()
    wanted = [envs.step(action)[0].tobytes() for action in actions]
    for these in (envs, other):
        these.apply_snapshot(snapshot)
        assert [these.step(action)[0].tobytes() for action in actions] == wanted
