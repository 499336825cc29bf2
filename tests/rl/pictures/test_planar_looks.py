"""Pictures of tasks on the 2D simulator that differ between episodes."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np
import pytest
from PIL import Image

import horus_sim.rl as rl
from horus_sim.errors import TaskError


def pictures(task: str, looks: dict[str, Any], count: int = 6) -> tuple[np.ndarray, Any]:
    """Of each environment, and what was drawn for it."""
    envs = rl.make_vector(task, count, randomization=looks)
    _, info = envs.reset(seed=0)
    seen = np.stack([envs.task.pictures.draw(env, 60, 45) for env in range(count)])
    envs.close()
    return seen.astype(float), info.get("randomization")


@pytest.mark.parametrize("task", ["Navigation2D", "LineFollower2D"])
def test_images_of_ones_own_are_the_floor(task, tmp_path):
    for name, colour in (("red", (255, 0, 0)), ("green", (0, 255, 0))):
        Image.new("RGB", (8, 4), colour).save(tmp_path / f"{name}.png")
    images = [str(tmp_path / f"{name}.png") for name in ("red", "green")]
    looks = {"ground": {"kind": "texture", "names": ["floor"], "images": images}}
    seen, drawn = pictures(task, looks)
    chosen = drawn["ground"][:, 0].astype(int)
    assert set(chosen) == {0, 1}
    for picture, channel in zip(seen, chosen, strict=True):
        floor = (picture == np.eye(3)[channel] * 255).all(axis=2)
        assert floor.mean() > 0.4


def test_an_image_lies_as_it_is_seen_from_above(tmp_path):
    # Red above, blue below on the left and green on the right.
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:32, :, 0] = pixels[32:, :32, 2] = pixels[32:, 32:, 1] = 255
    Image.fromarray(pixels).save(tmp_path / "map.png")
    image = {"images": [str(tmp_path / "map.png")], "image_size": 4.0}
    seen, _ = pictures(
        "Navigation2D", {"ground": {"kind": "texture", "names": ["floor"], **image}}, 1
    )
    # The arena reaches from -2 to 2 m, and an image begins at the origin, upwards and to the right.
    for rows, columns, colour in (
        (slice(3, 20), slice(33, 50), 2),
        (slice(3, 20), slice(10, 27), 1),
        (slice(25, 42), slice(33, 50), 0),
        (slice(25, 42), slice(10, 27), 0),
    ):
        part = (seen[0, rows, columns] == np.eye(3)[colour] * 255).all(axis=2)
        assert part.mean() > 0.5


def test_patterns_light_and_colours_follow_what_was_drawn():
    plain, _ = pictures("Navigation2D", {})
    floors, _ = pictures("Navigation2D", {"ground": {"kind": "texture", "names": ["floor"]}}, 8)
    assert len({floor[0, 0].tobytes() + floor.std().tobytes() for floor in floors}) > 2
    dark, drawn = pictures("Navigation2D", {"sun": {"kind": "light", "brightness": [0.3, 0.9]}})
    for before, after, (factor,) in zip(plain, dark, drawn["sun"], strict=True):
        np.testing.assert_array_equal(after, np.floor(factor * before))
    shift = [-0.4, 0.4]
    looks = {"paint": {"kind": "colour", "names": ["box_0"], "hue": shift}}
    envs: Any = rl.make_vector("Navigation2D", 1, randomization=looks)
    _, info = envs.reset(seed=3)
    layout, sim = envs.task.sim.layout, envs.task.sim
    body = layout.configs[layout.bodies["box_0"]]
    own = colorsys.rgb_to_hsv(*(part / 255 for part in body.material.color))
    hue = (own[0] + float(info["randomization"]["paint"][0, 0])) % 1.0
    wanted = np.round(255 * np.array(colorsys.hsv_to_rgb(hue, *own[1:])))
    picture = envs.task.pictures.draw(0, 400, 400)
    assert (np.abs(picture - wanted) <= 1).all(axis=2).any()
    assert sim.dimensions == 2
    envs.close()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"kind": "texture", "names": ["box_0"]}, "'box_0' has no texture on the 2D simulator"),
        ({"kind": "light", "shift": [-1, 1]}, "has no lights that could be shifted"),
        ({"kind": "colour", "names": ["bix_0"]}, "no body 'bix_0'; did you mean 'box_0'"),
    ],
)
def test_what_does_not_fit_is_refused(settings, text):
    with pytest.raises(TaskError, match=text):
        rl.make_vector("Navigation2D", 1, randomization={"x": settings})
