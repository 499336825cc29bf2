"""Domain randomization: from nominal values, from the environment's seed, told in info."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.robots.engine import mujoco

from ..pendulum import XML, Pendulum

PHYSICS: dict[str, Any] = {
    "weight": {"kind": "mass", "scale": [0.5, 1.5]},
    "spin": {"kind": "inertia", "scale": [0.9, 1.1], "names": ["wheel_left_link"]},
    "grip": {"kind": "friction", "scale": [0.7, 1.3]},
    "oil": {"kind": "damping", "scale": [0.5, 2.0]},
    "motors": {"kind": "motor_gain", "scale": [0.8, 1.2], "each": True},
    "planet": {"kind": "gravity", "scale": [0.9, 1.1]},
    "load": {"kind": "centre_of_mass", "shift": [-0.01, 0.01], "names": ["base_footprint"]},
    "bounce": {"kind": "restitution", "restitution": [0.0, 0.5]},
}
SENSORS: dict[str, Any] = {
    "fog": {"kind": "noise", "observation": "lidar", "std": [0.0, 0.05]},
    "gaps": {"kind": "dropout", "observation": "lidar", "probability": 0.1},
    "late": {"kind": "latency", "observation": "goal", "delay": [0.0, 0.2]},
    "kick": {"kind": "push", "speed": [0.0, 0.2], "interval": 0.3},
}


INF, NAN = float("inf"), float("nan")


def make(num_envs, randomization, **settings) -> Any:
    return rl.make_vector("Navigation", num_envs, randomization=randomization, **settings)


def test_fields_are_nominal_values_times_what_was_drawn_and_never_compound():
    envs = make(6, PHYSICS)
    sim = envs.task.sim
    model = sim.model
    envs.reset(seed=0)
    info = [envs.reset()[1] for _ in range(4)][-1]
    drawn = {key: value for key, value in info["randomization"].items() if key[0] != "_"}
    assert drawn.keys() == PHYSICS.keys()
    assert drawn["motors"].shape == (6, 2)
    assert ((drawn["weight"] >= 0.5) & (drawn["weight"] < 1.5)).all()
    np.testing.assert_allclose(sim.expand("body_mass"), drawn["weight"] * model.body_mass)
    left = model.body("wheel_left_link").id
    inertia = sim.expand("body_inertia")
    # Mass comes first and scales inertia with it; the later term writes nominal times its own.
    np.testing.assert_allclose(inertia[:, left], drawn["spin"] * model.body_inertia[left])
    root = model.body("base_footprint").id
    np.testing.assert_allclose(inertia[:, root], drawn["weight"] * model.body_inertia[root])
    np.testing.assert_allclose(
        sim.expand("pair_friction")[:, :, 0], drawn["grip"] * model.pair_friction[:, 0]
    )
    np.testing.assert_allclose(sim.expand("dof_damping"), drawn["oil"] * model.dof_damping)
    gains = model.actuator_gainprm[:, 0]
    np.testing.assert_allclose(sim.expand("actuator_gainprm")[:, :, 0], drawn["motors"] * gains)
    np.testing.assert_allclose(sim.expand("opt.gravity"), drawn["planet"] * model.opt.gravity)
    np.testing.assert_allclose(
        sim.expand("body_ipos")[:, root], model.body_ipos[root] + drawn["load"]
    )
    zeta = sim.expand("pair_solref")[:, 0, 1]
    back = np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2))
    np.testing.assert_allclose(back, drawn["bounce"][:, 0], atol=1e-6)
    # Constants follow the masses.
    np.testing.assert_allclose(
        sim.batch.expanded("body_subtreemass")[:, 0], sim.expand("body_mass").sum(axis=1)
    )


def test_what_is_drawn_and_lived_depends_on_the_seed_alone():
    def life(num_envs, threads):
        envs = make(num_envs, {**PHYSICS, **SENSORS}, threads=threads, episode_duration=0.6)
        observations, info = envs.reset(seed=11)
        seen = [observations[0].tobytes()]
        for _ in range(20):
            observations, rewards, _, _, info = envs.step(np.full((num_envs, 2), 0.4, np.float32))
            seen += [observations[0].tobytes(), rewards[:1].tobytes()]
            seen += [info["randomization"][name][0].tobytes() for name in PHYSICS]
        return b"".join(seen)

    alone = life(1, 1)
    assert life(40, 2) == alone
    assert life(7, 1) == alone


def test_an_info_keeps_what_was_drawn_when_others_are_drawn():
    envs = make(3, {"weight": PHYSICS["weight"]})
    _, first = envs.reset(seed=0)
    kept = first["randomization"]["weight"].copy()
    _, second = envs.reset()
    np.testing.assert_array_equal(first["randomization"]["weight"], kept)
    assert (second["randomization"]["weight"] != kept).all()


def test_noise_and_dropout_follow_their_numbers():
    plain = rl.make_vector("Navigation", 400)
    envs = make(400, {"fog": {"kind": "noise", "observation": "goal", "std": [0.1, 0.1]}})
    columns = envs.columns["goal"]
    errors = (envs.reset(seed=0)[0] - plain.reset(seed=0)[0])[:, columns]
    assert errors.std() == pytest.approx(0.1, rel=0.1)
    assert errors.mean() == pytest.approx(0.0, abs=0.01)
    gaps = {"kind": "dropout", "observation": "goal", "probability": 0.25, "value": -7.0}
    envs = make(400, {"gaps": gaps})
    lost = envs.reset(seed=0)[0][:, columns] == -7.0
    assert lost.mean() == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_latency_gives_what_was_seen_some_steps_ago(mode):
    late = {"late": {"kind": "latency", "observation": "goal", "delay": [0.1, 0.1]}}
    settings: dict[str, Any] = {"episode_duration": 0.4, "autoreset_mode": mode}
    plain, envs = rl.make_vector("Navigation", 2, **settings), make(2, late, **settings)
    columns = envs.columns["goal"]
    truth, seen = [plain.reset(seed=3)[0][:, columns]], [envs.reset(seed=3)[0][:, columns]]
    actions = np.ones((2, 2), np.float32)
    for _ in range(6):
        truth.append(plain.step(actions)[0][:, columns])
        seen.append(envs.step(actions)[0][:, columns])
    for k in range(7):
        np.testing.assert_array_equal(seen[k], truth[max(0, k - 2)])
    for _ in range(2 if mode == "SameStep" else 3):
        truth = plain.step(actions)[0][:, columns]
        seen = envs.step(actions)[0][:, columns]
    np.testing.assert_array_equal(seen, truth)  # a new episode begins with its first observation


def test_delays_that_no_memory_holds_are_refused():
    late = {"kind": "latency", "observation": "lidar", "delay": [0.0, 1e15]}
    envs = make(2, {"late": late}, episode_duration=1e16)
    with pytest.raises(TaskError, match=r"'late': .* 2 environments do not fit into memory"):
        envs.reset(seed=0)


def test_pushes_change_the_speed():
    always = {"kick": {"kind": "push", "speed": [0.3, 0.3], "interval": 0.05}}
    still = np.tile(np.array([-1.0, 0.0], np.float32), (50, 1))
    envs = make(50, always)
    envs.reset(seed=0)
    before = envs.task.qpos[:, :2].copy()
    envs.step(still)
    assert (np.hypot(*(envs.task.qpos[:, :2] - before).T) > 1e-4).all()


def test_the_curriculum_counts_episodes_of_each_environment():
    settings: dict[str, Any] = {"curriculum": {"episodes": 4, "start": 0.0}}
    envs = make(50, {"weight": {"kind": "mass", "scale": [2.0, 2.0]}}, **settings)
    factors = [envs.reset(seed=0)[1]["randomization"]["weight"][0, 0]]
    factors += [envs.reset()[1]["randomization"]["weight"][0, 0] for _ in range(5)]
    assert factors == [1.0, 1.25, 1.5, 1.75, 2.0, 2.0]
    envs.task.curriculum.fixed = 0.5
    assert envs.reset()[1]["randomization"]["weight"][0, 0] == 1.5
    for level in (5, -0.1, NAN, "full"):
        with pytest.raises(TaskError, match=rf"curriculum.fixed is {level!r}; give .* from 0 to 1"):
            envs.task.curriculum.fixed = level
    assert envs.task.curriculum.fixed == 0.5
    envs.task.curriculum.fixed = None
    assert envs.reset()[1]["randomization"]["weight"][0, 0] == 2.0


def test_the_centre_of_mass_of_a_free_body_moves():
    load = {"kind": "centre_of_mass", "shift": [-0.01, 0.01]}
    envs: Any = rl.make_vector("Manipulation", 4, randomization={"load": load})
    info = envs.reset(seed=0)[1]
    sim = envs.task.sim
    cube = sim.model.body("cube").id
    drawn = info["randomization"]["load"]
    np.testing.assert_array_equal(sim.expand("body_ipos")[:, cube], drawn)
    # It falls freely, turning.
    sim.bind("qpos")[:, -7:] = (-0.5, 0, 50, 1, 0, 0, 0)
    sim.bind("qvel")[:, -6:] = (0, 0, 0, 0, 0, 3.0)
    places = sim.bind("xipos")
    sim.step(100)
    sim.forward(np.arange(4))
    # The centre went on at the speed that turning gave it.
    start = np.array([-0.5, 0]) + drawn[:, :2]
    speed = 3.0 * np.stack([-drawn[:, 1], drawn[:, 0]], axis=1)
    end = start + speed * 100 * sim.model.opt.timestep
    np.testing.assert_allclose(places[:, cube, :2], end, atol=2e-4)


def test_a_centre_of_mass_that_cannot_move_names_its_body():
    class Balls(Pendulum):
        def build_model(self):
            ball = '<body name="ball"><freejoint/><geom size=".1"/></body></worldbody>'
            return mujoco.MjModel.from_xml_string(XML.replace("</worldbody>", ball))

    load = {"kind": "centre_of_mass", "shift": [-0.01, 0.01]}
    with pytest.raises(
        TaskError, match=r"'load': .* body 'ball' cannot .*body\('ball'\).simple = F"
    ):
        rl.make_vector(Balls(randomization={"load": load}), 2)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"kind": "mas", "scale": [1, 1]}, "randomization.x.kind: no kind .* did you mean 'mass'"),
        ({"scale": [1, 1]}, "randomization.x: it has no 'kind'; give one of mass, .*texture$"),
        ({"kind": "mass"}, "randomization.x.scale: this key is required; add it$"),
        ({"kind": "mass", "scael": 1, "scale": [1, 1]}, "randomization.x.scael: .* mean 'scale'"),
        ({"kind": "mass", "scale": [1, 1], "names": []}, "randomization.x.names: no name is given"),
        ({"kind": "texture", "names": []}, "randomization.x.names: no name is given"),
        ({"kind": "mass", "scale": [2, 1]}, "least, largest"),
        ({"kind": "mass", "scale": [1, 2], "names": ["wheel_lft_link"]}, "'wheel_left_link'"),
        ({"kind": "noise", "observation": "lidr", "std": [0, 1]}, "did you mean 'lidar'"),
        (
            {"kind": "restitution", "restitution": [0, 1]},
            r"restitution\[1\]: it is 1; .*less than 1",
        ),
        ({"kind": "mass", "scale": [0, 1]}, r"scale is \(0.0, 1.0\); no mass can be 0"),
        ({"kind": "inertia", "scale": [-1, 1]}, r"scale\[0\]: it is -1; .*equal to 0"),
        ({"kind": "friction", "scale": [-1, 1]}, r"scale\[0\]: it is -1; .*equal to 0"),
        ({"kind": "damping", "scale": [-1, 1]}, r"scale\[0\]: it is -1; .*equal to 0"),
        ({"kind": "motor_gain", "scale": [-1, 1]}, r"scale\[0\]: it is -1; .*equal to 0"),
        ({"kind": "gravity", "scale": [1, INF]}, r"scale\[1\]: it is inf; .*finite"),
        ({"kind": "centre_of_mass", "shift": [-INF, 0]}, r"shift\[0\]: it is -inf; .*finite"),
        (
            {"kind": "noise", "observation": "lidar", "std": [-1, 0]},
            r"std\[0\]: it is -1; .*equal to 0",
        ),
        (
            {"kind": "latency", "observation": "lidar", "delay": [-1, 0]},
            r"delay\[0\]: .*equal to 0",
        ),
        ({"kind": "latency", "observation": "lidar", "delay": [0, INF]}, r"delay\[1\]: it is inf"),
        (
            {"kind": "latency", "observation": "lidar", "delay": [0, 1e9]},
            r"'x': delay is \(0.0, 1000000000.0\) and an episode lasts 20 s; give delays within",
        ),
        (
            {"kind": "dropout", "observation": "lidar", "probability": 0.1, "value": NAN},
            "value: it is nan; .*finite",
        ),
        ({"kind": "push", "speed": [-1, 0], "interval": 1}, r"speed\[0\]: .*equal to 0"),
        ({"kind": "push", "speed": [0, 1], "interval": INF}, "interval: it is inf; .*finite"),
        ({"kind": "light", "brightness": [-1, 1]}, r"brightness\[0\]: it is -1; .*equal to 0"),
        ({"kind": "colour", "hue": [NAN, 1]}, r"hue\[0\]: it is nan; .*finite"),
    ],
)
def test_a_randomization_that_does_not_fit_is_refused(settings, text):
    with pytest.raises(TaskError, match=text):
        make(1, {"x": settings})
