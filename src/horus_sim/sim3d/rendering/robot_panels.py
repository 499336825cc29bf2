"""One picture of a robot in four panels: looks, collision shapes, inertia and joint axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

import numpy as np
import numpy.typing as npt

from horus_sim.robots.engine import mujoco
from horus_sim.sim3d.compile.geoms import COLLISION_GROUP
from horus_sim.sim3d.rendering.gl import choose_backend
from horus_sim.sim3d.rendering.render_worker import worker

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
_AZIMUTH_DEG, _ELEVATION_DEG = 130.0, -20.0
_PALE = 0.25
_MARGIN = 1.08
_FARTHEST = 8.0
"""How many times farther away inertia may be looked at than the rest."""
_JOINT_LENGTH, _JOINT_WIDTH = 0.14, 0.011
"""Of the arrows of joints, as parts of what is seen."""
_HIDDEN_GROUP = 5
_SKY = (221, 227, 235)
_TITLE_HEIGHT, _TITLE_MARGIN = 26, 8
_TITLE_COLOUR, _TITLE_BACKGROUND = (25, 30, 38), (236, 240, 244)
_TITLE_SIZE = 15


def draw_panels(
    model: mujoco.MjModel, data: mujoco.MjData, width: int = 1280, height: int = 1012
) -> Picture:
    """A picture of the robots of a world: visual, collision, inertia and joints.

    Ellipsoids have the inertia and the mass of the links, at the same density; arrows are the axes
    of hinges and the directions of sliders.

    Args:
        model: The model of the world.
        data: State whose poses are up to date.
        width: Of the whole [pixels].
        height: Of the whole [pixels].

    Returns:
        Shape (height, width, 3).

    Raises:
        RenderError: There is no OpenGL; the text says what to install.
    """
    choose_backend()
    size = width // 2, height // 2 - _TITLE_HEIGHT
    return worker.run(lambda: _Panels(model, data, *size).all())


class _Panels:
    """Draws the panels; in the thread that has the OpenGL context."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, width: int, height: int) -> None:
        # Colours and sizes are changed for the picture, but not in the world.
        self._model, self._data = copy(model), data
        self._width, self._height = width, height
        self._points = _corners(model, data)
        self._camera = self._view(self._points)
        for i in np.flatnonzero(model.tex_type == int(mujoco.mjtTexture.mjTEXTURE_SKYBOX)):
            first = int(model.tex_adr[i])
            count = int(model.tex_height[i] * model.tex_width[i])
            sky = self._model.tex_data[first : first + 3 * count]
            sky[:] = np.tile(np.array(_SKY, np.uint8), count)
        # Beside what moves, what stands for ever needs no inertia; SDF gives it 1 kg m^2 unasked.
        moving = np.unique(model.body_rootid[model.jnt_bodyid])
        is_still = ~np.isin(model.body_rootid, moving) & (moving.size > 0)
        self._model.body_mass[is_still] = 0.0
        self._model.body_inertia[is_still] = 0.0
        is_axial = np.isin(model.jnt_type, _AXIAL)
        self._model.jnt_group[:] = np.where(is_axial, 0, _HIDDEN_GROUP)

    def all(self) -> Picture:
        joints = int(np.isin(self._model.jnt_type, _AXIAL).sum())
        mass = float(self._model.body_mass.sum())
        touching = int((self._model.geom_group == COLLISION_GROUP).sum())
        renderer = worker.renderer(self._model, self._width, self._height)
        try:
            panels = [
                self._titled("visual", self._drawn(renderer)),
                self._titled(f"collision: {touching} shapes", self._collisions(renderer)),
                self._titled(f"inertia: {mass:.4g} kg", self._inertia(renderer)),
                self._titled(f"axes: {joints} joints", self._joints(renderer)),
            ]
        finally:
            renderer.close()
        return np.vstack((np.hstack(panels[:2]), np.hstack(panels[2:])))

    def _view(self, points: Floats) -> mujoco.MjvCamera:
        """A camera that sees some points [m], shape (n, 3), and no more."""
        camera = mujoco.MjvCamera()
        camera.type = mujoco.mjtCamera.mjCAMERA_FREE
        camera.azimuth, camera.elevation = _AZIMUTH_DEG, _ELEVATION_DEG
        azimuth, elevation = math.radians(_AZIMUTH_DEG), math.radians(_ELEVATION_DEG)
        level = np.array((math.cos(azimuth), math.sin(azimuth), 0.0))
        forward = math.cos(elevation) * level + math.sin(elevation) * np.array((0.0, 0.0, 1.0))
        right = np.array((math.sin(azimuth), -math.cos(azimuth), 0.0))
        axes = np.stack((right, np.cross(right, forward), forward))
        seen = points @ axes.T
        middle = (seen.min(axis=0) + seen.max(axis=0)) / 2.0
        seen -= middle
        slope = math.tan(math.radians(float(self._model.vis.global_.fovy)) / 2.0)
        slopes = np.array((slope * self._width / self._height, slope))
        # Points near the camera need more room than those behind them.
        distances = _MARGIN * np.abs(seen[:, :2]) / slopes - seen[:, 2:]
        camera.lookat[:] = middle @ axes
        camera.distance = max(_NEAREST, float(distances.max()))
        return camera

    def _drawn(
        self,
        renderer: mujoco.Renderer,
        change: Callable[[mujoco.MjvOption], None] = lambda _: None,
        camera: mujoco.MjvCamera | None = None,
    ) -> Picture:
        options = mujoco.MjvOption()
        options.geomgroup[COLLISION_GROUP] = 0
        change(options)
        mujoco.mj_camlight(self._model, self._data)
        renderer.update_scene(self._data, camera or self._camera, options)
        return renderer.render().copy()

    def _collisions(self, renderer: mujoco.Renderer) -> Picture:
        def change(options: mujoco.MjvOption) -> None:
            options.geomgroup[:] = 0
            options.geomgroup[COLLISION_GROUP] = 1

        return self._drawn(renderer, change)

    def _inertia(self, renderer: mujoco.Renderer) -> Picture:
        def change(options: mujoco.MjvOption) -> None:
            options.flags[mujoco.mjtVisFlag.mjVIS_INERTIA] = 1

        self._model.vis.global_.ellipsoidinertia = 1
        self._model.vis.rgba.inertia[:] = (0.85, 0.25, 0.15, 0.6)
        near = self._camera.distance
        camera = self._view(np.vstack((self._points, _ellipsoids(self._model, self._data))))
        camera.distance = min(camera.distance, _FARTHEST * near)
        with self._pale():
            return self._drawn(renderer, change, camera)

    def _joints(self, renderer: mujoco.Renderer) -> Picture:
        def change(options: mujoco.MjvOption) -> None:
            options.flags[mujoco.mjtVisFlag.mjVIS_JOINT] = 1
            options.jointgroup[_HIDDEN_GROUP] = 0

        settings, size = self._model.vis, self._size()
        # MuJoCo measures arrows by the mean size of bodies, which says little of one robot.
        settings.scale.jointlength = _JOINT_LENGTH * size / self._model.stat.meansize
        settings.scale.jointwidth = _JOINT_WIDTH * size / self._model.stat.meansize
        settings.rgba.joint[:] = (0.1, 0.35, 0.85, 1.0)
        with self._pale():
            return self._drawn(renderer, change)

    def _size(self) -> float:
        """How much the camera sees [m]."""
        half_fovy = math.radians(float(self._model.vis.global_.fovy)) / 2.0
        return 2.0 * float(self._camera.distance) * math.tan(half_fovy)

    @contextmanager
    def _pale(self) -> Iterator[None]:
        """Makes all shapes see-through, so that what is inside them is seen."""
        colours = (self._model.geom_rgba, self._model.mat_rgba)
        before = [rgba[:, 3].copy() for rgba in colours]
        for rgba in colours:
            rgba[:, 3] *= _PALE
        try:
            yield
        finally:
            for rgba, alpha in zip(colours, before, strict=True):
                rgba[:, 3] = alpha

    def _titled(self, title: str, picture: Picture) -> Picture:
        from PIL import Image, ImageDraw, ImageFont

        bar = Image.new("RGB", (self._width, _TITLE_HEIGHT), _TITLE_BACKGROUND)
        font = ImageFont.load_default(_TITLE_SIZE)
        middle = (_TITLE_MARGIN, _TITLE_HEIGHT // 2)
        ImageDraw.Draw(bar).text(middle, title, _TITLE_COLOUR, font, anchor="lm")
        return np.vstack((np.asarray(bar), picture))


def _corners(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Corners of the boxes around all shapes that have an end, and the origins of bodies [m]."""
    is_bounded = model.geom_rbound > 0.0
    middles, halves = model.geom_aabb[is_bounded, :3], model.geom_aabb[is_bounded, 3:]
    R_world_geom = data.geom_xmat[is_bounded].reshape(-1, 3, 3)
    inside = middles[:, None] + _SIGNS * halves[:, None]
    corners = data.geom_xpos[is_bounded, None] + inside @ R_world_geom.transpose(0, 2, 1)
    return np.vstack((corners.reshape(-1, 3), data.xpos[1:], data.xpos[1:2] + 0.05 * _SIGNS))


def _ellipsoids(model: mujoco.MjModel, data: mujoco.MjData) -> Floats:
    """Corners of the boxes around the ellipsoids of inertia [m]."""
    has_mass = model.body_mass > 0.0
    moments = model.body_inertia[has_mass]
    masses = model.body_mass[has_mass, None]
    squares = 2.5 * (moments.sum(axis=1, keepdims=True) - 2.0 * moments) / masses
    axes = np.sqrt(np.maximum(squares, 0.0))
    R_world_inertia = data.ximat[has_mass].reshape(-1, 3, 3)
    inside = (_SIGNS * axes[:, None]) @ R_world_inertia.transpose(0, 2, 1)
    return (data.xipos[has_mass, None] + inside).reshape(-1, 3)


_SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_NEAREST = 0.02
"""Least distance of the camera [m]."""
_AXIAL = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
