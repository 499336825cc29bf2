"""The picture of a robot: what each of its four panels shows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.robots.description import (
    Box,
    Collision,
    Inertial,
    Joint,
    JointType,
    Link,
    Material,
    RobotDescription,
    Sphere,
    Visual,
)
from horus_sim.sim3d import World
from horus_sim.sim3d.rendering.robot_panels import draw_panels
from horus_sim.tf import Transform

from .test_render import needs_gl

pytestmark = needs_gl
TITLE = 26


def robot(radius: float, spread: float) -> World:
    """A green box with a ball that touches, of a density, on a hinge."""
    moment = 0.4 * spread**2
    body = Inertial(1.0, Transform(), (moment, moment, moment, 0, 0, 0))
    links = (
        Link("base", body, (Visual(Box((0.4, 0.4, 0.4)), material=Material("", (0, 1, 0, 1))),)),
        Link("arm", body, (), (Collision(Sphere(radius)),)),
    )
    hinge = Joint("j", JointType.CONTINUOUS, "base", "arm", Transform((0, 0, 0.4)), (0, 0, 1))
    return World.from_robot(RobotDescription("r", links, (hinge,), "base"))


def panels(world: World) -> list[npt.NDArray[np.int32]]:
    picture = draw_panels(world.model, world.forward(), 400, 300).astype(np.int32)
    assert picture.shape == (300, 400, 3)
    return [picture[y + TITLE : y + 150, x : x + 200] for y in (0, 150) for x in (0, 200)]


def share(picture: npt.NDArray[np.int32], channel: int) -> float:
    """The part of a picture in which a colour stands out."""
    others = np.delete(picture, channel, axis=2).max(axis=2)
    return float((picture[..., channel] > others + 40).mean())


def test_panels():
    world = robot(0.1, 0.1)
    before = world.model.geom_rgba.copy()
    visual, collision, inertia, axes = panels(world)
    green, red, blue = 1, 0, 2
    assert share(visual, green) > 0.05
    assert share(collision, green) == 0.0
    assert np.ptp(collision, axis=(0, 1)).max() > 0.0  # the ball alone
    assert share(inertia, red) > 0.01
    assert share(axes, blue) > 0.001
    assert share(visual, red) == share(visual, blue) == 0.0
    np.testing.assert_array_equal(world.model.geom_rgba, before)


def test_what_stands_for_ever_has_no_inertia(tmp_path):
    """SDF gives links without one 1 kg and 1 kg m^2, also those of walls and floors."""
    ball = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
    still = (
        "<model name='floor'><static>1</static><link name='l'><collision name='c'><geometry><plane>"
        "<normal>0 0 1</normal></plane></geometry></collision></link></model>"
    )
    mass = "<mass>1</mass><inertia><ixx>.004</ixx><iyy>.004</iyy><izz>.004</izz></inertia>"
    moves = (
        f"<model name='m'><link name='l'><inertial>{mass}</inertial><visual name='v'>{ball}"
        f"</visual><collision name='c'>{ball}</collision></link></model>"
    )
    shares = []
    for number, models in enumerate((moves, still + moves)):
        path = tmp_path / f"{number}.sdf"
        path.write_text(f"<sdf version='1.9'><world name='w'>{models}</world></sdf>")
        shares.append(share(panels(World.load(path))[2], 0))
    assert shares[0] > 0.01
    assert shares[1] == shares[0]


def test_inertia_that_is_out_of_all_proportion_is_seen_whole():
    ordinary, huge = (panels(robot(0.1, spread))[2] for spread in (0.1, 0.8))
    edge = np.concatenate((huge[0], huge[-1], huge[:, 0], huge[:, -1]))
    assert (np.ptp(edge, axis=0) < 3).all()
    assert share(huge, 0) > share(ordinary, 0)
