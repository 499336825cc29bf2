"""Small scenarios for the tests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from horus_sim.sim2d import RobotConfig, Scenario, WorldConfig

SQUARE = [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]


def body(name: str = "chassis", **values: Any) -> dict[str, Any]:
    return {"name": name, "points": SQUARE, "mass": 1.0, "inertia": 0.01, **values}


def robot_values(**values: Any) -> dict[str, Any]:
    wheels = [
        {"name": name, "type": "motor", "body": "chassis", "mount_pose": [0, y, 0], "params": {}}
        for name, y in (("left", 0.08), ("right", -0.08))
    ]
    sensors = [
        {"name": "imu", "type": "imu", "body": "chassis"},
        {"name": "left_encoder", "type": "encoder", "body": "chassis", "mount_pose": [0, 0.08, 0]},
        {"name": "right_encoder", "type": "encoder", "body": "chassis", "mount_pose": [0, -0.1, 0]},
        {"name": "line", "type": "line_array", "body": "chassis", "mount_pose": [0.05, 0, 0]},
        {"name": "eye", "type": "distance", "body": "chassis", "mount_pose": [0.1, 0, 0]},
    ]
    return {"bodies": [body()], "actuators": wheels, "sensors": sensors, **values}


def scenario(world: dict[str, Any] | None = None, **robot: Any) -> Scenario:
    config = RobotConfig.model_validate(robot_values(**robot))
    return Scenario.make(WorldConfig.model_validate(world or {}), config)


def crowded() -> Scenario:
    """A robot among boxes and balls inside walls, with a line on the floor."""
    objects = [
        {
            "name": f"box_{k}",
            "body": body(f"box_{k}", pose=[0.5 + 0.3 * (k % 3), 0.4 * (k // 3), 0.3]),
        }
        for k in range(6)
    ]
    objects += [
        {
            "name": f"ball_{k}",
            "body": {
                "name": f"ball_{k}",
                "radius": 0.06,
                "pose": [-0.5, 0.2 * k, 0],
                "inertia": 0.002,
            },
        }
        for k in range(3)
    ]
    world = {
        "shape_objects": objects,
        "bounds": {"min_x": -1.5, "min_y": -1, "max_x": 1.5, "max_y": 1.2},
        "drawings": [
            {"points": [[-1, 0], [1, 0.1]]},
            {"kind": "wall", "points": [[-1, -0.8], [0, -0.8]]},
        ],
    }
    return scenario(world)


def write(
    folder: Path, robot: Any = None, world: Any = None, controller: str | None = None
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    robot = robot_values() if robot is None else robot
    for name, values in (("robot.json", robot), ("world.json", {} if world is None else world)):
        text = values if isinstance(values, str) else json.dumps(values, indent=1)
        (folder / name).write_text(text, encoding="utf-8")
    if controller is not None:
        (folder / "controller.py").write_text(controller, encoding="utf-8")
    return folder


def copy_scenario(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target
