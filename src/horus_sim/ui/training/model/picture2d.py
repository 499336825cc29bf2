"""Environments of a task of the 2D simulator for `view2d.js`, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from horus_sim.ui.stream.frames2d import frame_2d
from horus_sim.ui.stream.scene2d import Item, moving_ids, scene_of
from horus_sim.ui.training.model.tiles import grid_offsets, tile_size

if TYPE_CHECKING:
    from horus_sim.rl.tasks.planar_task import PlanarTask

_GOAL_COLOR = "#2e9e5b"
_WALL_COLOR = "#8a94a3"
_GOAL_RADIUS = 0.06


class Picture2d:
    """Draws the environments of a task.

    Args:
        task: The task, bound to its worlds and reset.
        name: Name of the scene.
        envs: How many environments.
        number: Number that frames carry.

    Attributes:
        size: Side of a tile [m].
        offsets: Where the origins of tiles are [m], shape (envs, 2).
    """

    def __init__(self, task: PlanarTask[Any], name: str, envs: int, number: int) -> None:
        self._task, self._name, self._number = task, name, number
        self._one = scene_of(task.scenario(), task.sim.layout)
        self._goal_radius = float(getattr(task.config, "goal_radius", _GOAL_RADIUS))
        if (bounds := self._one["bounds"]) is not None:
            (x0, y0), (x1, y1) = bounds["low"], bounds["high"]
            corners = [[x0, y0], [x1, y0], [x1, y1], [x0, y1], [x0, y0]]
            wall = {"id": "bounds", "kind": "wall", "width": bounds["width"], "points": corners}
            self._one["strokes"].append({**wall, "color": _WALL_COLOR})
        points = [point for stroke in self._one["strokes"] for point in stroke["points"]]
        points += [body["pose"][:2] for body in self._one["bodies"]]
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        self._middle = 0.5 * (low + high)
        self.size = tile_size(np.array([low, high]) - self._middle)
        self.offsets = grid_offsets(envs, self.size) - self._middle
        indices = task.sim.layout.bodies
        self._moving = np.array([indices[name] for name in self._one["moving"]], np.int64)
        self._width = task.sim.readings().shape[1]

    @property
    def head(self) -> str:
        """Id of the robot's first body, behind the number of the environment and a slash."""
        return next(body["id"] for body in self._one["bodies"] if body["robot"])

    def scene(self) -> dict[str, Any]:
        """What is drawn, except where it is now."""
        scene: dict[str, Any] = {
            "revision": self._number,
            "name": f"{self._name} {self._number}",
            "bounds": None,
        }
        for key in ("bodies", "strokes", "joints", "devices"):
            scene[key] = []
        for env in range(len(self.offsets)):
            for key, items in self._tile(env).items():
                scene[key] += items
        scene["moving"] = moving_ids(scene["bodies"])
        return scene

    def frame(self, time: float, flash: npt.NDArray[np.int64]) -> bytes:
        """Where everything is."""
        del flash
        sim = self._task.sim
        poses = sim.body_poses()[:, self._moving].astype(np.float64)
        poses[:, :, :2] += self.offsets[:, None]
        goals = self._task.goals()
        if goals is not None:
            places = np.zeros((len(poses), 1, 3))
            places[:, 0, :2] = goals + self.offsets
            poses = np.concatenate([poses, places], axis=1)
        speeds = sim.wheel_speeds()
        wheels = np.stack([sim.ctrl, speeds], axis=2).reshape(-1, 2)
        return frame_2d(poses.reshape(-1, 3), sim.readings().ravel(), wheels, self._number, time)

    def _tile(self, env: int) -> dict[str, list[Item]]:
        offset, one = self.offsets[env], self._one

        def named(ident: str) -> str:
            return f"{env + 1}/{ident}"

        def shifted(point: list[float]) -> list[float]:
            return [point[0] + offset[0], point[1] + offset[1], *point[2:]]

        wheels = self._task.sim.ctrl.shape[1]
        bodies = [
            {
                **body,
                "id": named(body["id"]),
                "pose": shifted(body["pose"]),
                # Views write it beside the robot.
                "robot": str(env + 1) if body["robot"] else "",
                "label": str(env + 1) if body["robot"] else body["id"],
            }
            for body in one["bodies"]
        ]
        if self._task.goals() is not None:
            goal = {"id": named("goal"), "kind": "patch", "robot": "", "moves": True}
            goal |= {"pose": [*offset.tolist(), 0.0], "fill": _GOAL_COLOR}
            bodies.append({**goal, "radius": self._goal_radius})
        strokes = [
            {
                **stroke,
                "id": named(stroke["id"]),
                "points": [shifted(point) for point in stroke["points"]],
            }
            for stroke in one["strokes"]
        ]
        devices = []
        for device in one["devices"]:
            item = {**device, "id": named(device["id"]), "body": named(device["body"])}
            if "wheel" in item:
                item["wheel"] += env * wheels if item["wheel"] >= 0 else 0
            elif item["first"] >= 0:
                item["first"] += env * self._width
            devices.append(item)
        joints = [
            {**joint, **{key: named(joint[key]) for key in ("id", "parent", "child")}}
            for joint in one["joints"]
        ]
        return {"bodies": bodies, "strokes": strokes, "devices": devices, "joints": joints}
