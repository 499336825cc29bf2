"""Pictures as observations, and what randomization makes of light, colours and textures."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest
from PIL import Image

import horus_sim.rl as rl
from horus_sim.errors import TaskError
from horus_sim.rl.pictures.camera import View
from horus_sim.rl.wrappers import NamedObservations

from ..pendulum import Pendulum

LOOKS: dict[str, Any] = {
    "sun": {"kind": "light", "brightness": [0.5, 1.5], "shift": [-0.5, 0.5]},
    "paint": {"kind": "colour", "names": ["obstacle_0", "obstacle_1"], "hue": [-0.5, 0.5]},
    "ground": {"kind": "texture", "names": ["floor"]},
}


def make(num_envs, **settings) -> Any:
    return rl.make_vector("Navigation", num_envs, **settings)


@pytest.mark.usefixtures("needs_gl")
def test_a_camera_sees_what_is_ahead_and_the_same_seed_sees_the_same():
    camera = {"width": 24, "height": 16, "name": "front"}
    envs: Any = NamedObservations(make(3, camera=camera, randomization=LOOKS))
    seen, info = envs.reset(seed=4)
    pictures = seen["camera"]
    assert pictures.shape == (3, 16, 24, 3)
    assert seen in envs.observation_space
    assert envs.single_observation_space["camera"].shape == (16, 24, 3)
    assert 0.02 < pictures.mean() < 0.98
    alone: Any = NamedObservations(make(1, camera=camera, randomization=LOOKS))
    first, drawn = alone.reset(seed=4)
    np.testing.assert_array_equal(first["camera"][0], pictures[0])
    for name in LOOKS:
        np.testing.assert_array_equal(
            drawn["randomization"][name][0], info["randomization"][name][0]
        )
    # A cylinder that is put before the camera fills the middle of its picture.
    task = envs.unwrapped.task
    half_yaw = np.arctan2(task.qpos[1, 6], task.qpos[1, 3])
    ahead = 0.5 * np.array([np.cos(2 * half_yaw), np.sin(2 * half_yaw)])
    task.places[1] = 50.0
    task.places[1, 3], task.radii[1, 3] = ahead, 0.15
    middle = envs.unwrapped.task.pictures.draw(1, 24, 16, "front")[7, 12].astype(float)
    assert middle[0] > 1.5 * middle[2]
    envs.close()


def test_looks_are_written_from_nominal_values_into_the_picture_model():
    envs = make(5, randomization=LOOKS)
    envs.reset(seed=0)
    _, info = envs.reset()
    drawn = info["randomization"]
    task = envs.task
    model = task.picture_model
    assert model is not task.sim.model
    shape = model.geom("obstacle_1").id
    floor = model.geom("floor").id
    names = set()
    for env in range(5):
        for visual in task.visuals:
            visual.dress(model, env)
        hue = colorsys.rgb_to_hsv(*model.geom_rgba[shape, :3].tolist())[0]
        nominal = colorsys.rgb_to_hsv(0.75, 0.35, 0.2)[0]
        expected = (nominal + drawn["paint"][env, 0]) % 1.0
        assert min(abs(hue - expected), 1 - abs(hue - expected)) < 1e-6
        assert model.light_diffuse[0, 0] == pytest.approx(
            min(1.0, 0.6 * drawn["sun"][env, 0]), abs=1e-6
        )
        np.testing.assert_allclose(model.light_pos[0], (0, 0, 4) + drawn["sun"][env, 1:])
        names.add(model.mat(int(model.geom_matid[floor])).name)
        assert names <= {f"texture_{k}" for k in range(4)}
    assert len(names) > 1
    assert ((drawn["sun"][:, 0] >= 0.5) & (drawn["sun"][:, 0] < 1.5)).all()


@pytest.mark.parametrize("order", [("paint", "ground"), ("ground", "paint")])
@pytest.mark.usefixtures("needs_gl")
def test_a_picture_does_not_depend_on_those_before_it(order):
    shift = [-0.5, 0.5]
    looks: dict[str, Any] = {
        "paint": {"kind": "colour", "hue": shift, "saturation": shift, "each": True},
        "ground": {"kind": "texture", "names": ["floor", "obstacle_0"]},
    }
    settings: dict[str, Any] = {"randomization": {name: looks[name] for name in order}}
    fresh, worn = (make(4, obstacles={"count": 3}, **settings) for _ in range(2))
    for envs in (fresh, worn):
        envs.reset(seed=0)
    for env in (3, 1, 2, 0):
        worn.picture(env, 48, 32)
    for env in range(4):
        np.testing.assert_array_equal(worn.picture(env, 48, 32), fresh.picture(env, 48, 32))
    for envs in (fresh, worn):
        envs.close()


def test_colours_of_shapes_with_one_material_are_their_own():
    looks = {
        "paint": {"kind": "colour", "value": [-0.6, -0.2], "each": True},
        "ground": {"kind": "texture", "names": ["floor", "obstacle_0"]},
    }
    envs = make(1, randomization=looks, obstacles={"count": 1})
    _, info = envs.reset(seed=0)
    model = envs.task.picture_model
    materials = model.mat_rgba.copy()
    for visual in envs.task.visuals:
        visual.dress(model, 0)
    np.testing.assert_array_equal(model.mat_rgba, materials)
    # The floor has no colour of its own: what is shifted is its texture's, which is white.
    floor = model.geom("floor").id
    value = 1 + info["randomization"]["paint"][0].reshape(-1, 3)[floor, 2]
    np.testing.assert_allclose(model.geom_rgba[floor], [value, value, value, 1], atol=1e-6)


@pytest.mark.usefixtures("needs_gl")
def test_a_neutral_light_changes_no_picture():
    pictures = []
    for looks in ({}, {"sun": {"kind": "light"}}):
        envs = rl.make_vector(Pendulum(randomization=looks), 1)
        envs.reset(seed=0)
        pictures.append(envs.picture(0))
        envs.close()
    np.testing.assert_array_equal(*pictures)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"camera": {"name": "frnt"}}, "did you mean 'front'"),
        ({"camera": {"width": 0}}, "greater than or equal to 1"),
        (
            {"randomization": {"x": {"kind": "colour", "names": ["flor"]}}},
            "the picture model has no shape 'flor'; did you mean 'floor'",
        ),
    ],
)
def test_what_does_not_fit_is_refused(settings, text):
    with pytest.raises(TaskError, match=text):
        make(1, **settings)


@pytest.mark.parametrize(
    "task", ["Navigation", "Racing", "ArmReach", "Manipulation", "HalfCheetah", "Ant"]
)
@pytest.mark.usefixtures("needs_gl")
def test_images_of_ones_own_cover_the_floor_of_every_task(task, tmp_path):
    for name, colour in (("red", (255, 0, 0)), ("green", (0, 255, 0))):
        Image.new("RGB", (8, 4), colour).save(tmp_path / f"{name}.png")
    images = [str(tmp_path / f"{name}.png") for name in ("red", "green")]
    looks = {"ground": {"kind": "texture", "names": ["floor"], "images": images}}
    envs = rl.make_vector(task, 6, randomization=looks)
    _, info = envs.reset(seed=0)
    chosen = info["randomization"]["ground"][:, 0].astype(int)
    assert set(chosen) == {0, 1}
    for env in range(6):
        seen = envs.picture(env, 40, 30).reshape(-1, 3).astype(float)
        most = seen[:, chosen[env]] > 1.5 * seen[:, 1 - chosen[env]] + 20
        assert most.mean() > 0.1
    envs.close()


@pytest.mark.usefixtures("needs_gl")
def test_an_image_lies_as_it_is_seen_from_above(tmp_path):
    # The upper half red, of the lower half the left quarter blue and the right one green.
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:32, :, 0] = pixels[32:, :32, 2] = pixels[32:, 32:, 1] = 255
    Image.fromarray(pixels).save(tmp_path / "map.png")
    ground = {"kind": "texture", "names": ["floor"], "images": [str(tmp_path / "map.png")]}
    looks = {"ground": {**ground, "image_size": 16.0}}
    envs = make(1, randomization=looks, obstacles={"count": 0})
    envs.reset(seed=0)
    task: Any = envs.task
    task.qpos[0, :2], task.goal[0] = -9.0, -9.0
    task.view = lambda env: View((4.0, 12.0, 0.0), 12.0, -90.0)
    seen = envs.picture(0, 41, 41)
    # A square about (4, 12), as they begin at the floor's corner; x points right, y up.
    for (row, column), colour in {(5, 5): 0, (5, 35): 0, (35, 5): 2, (35, 35): 1}.items():
        assert np.argmax(seen[row, column]) == colour
    envs.close()


def test_an_image_that_cannot_be_read_is_named(tmp_path):
    looks = {"ground": {"kind": "texture", "names": ["floor"], "images": ["no_such.png"]}}
    with pytest.raises(TaskError, match=r"images: no_such.png cannot be read .* PNG or JPEG"):
        make(1, randomization=looks)


def test_a_task_without_a_spec_for_pictures_says_so():
    ground: dict[str, Any] = {"ground": {"kind": "texture", "names": ["floor"]}}
    with pytest.raises(
        TaskError, match=r"no material 'texture_\*' to choose from; return a MjSpec"
    ):
        rl.make_vector(Pendulum(randomization=ground), 1)
