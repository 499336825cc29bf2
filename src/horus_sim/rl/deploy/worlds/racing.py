"""A race car between walls, as a world."""

from __future__ import annotations

import numpy as np

from horus_sim.rl.deploy.worlds.task_world import TaskWorld, floor, placed_robot, pose_of, yaw_pose
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.racing_model import LASER_LINK, ROBOT, WALL_HEIGHT, wall_pieces
from horus_sim.rl.tasks.racing import Racing
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.sim3d.scene.shapes import BoxShape, PartConfig


class RacingWorld(TaskWorld[Racing]):
    """Racing on any circuit."""

    tasks = Racing

    def scene(self) -> Scene:
        """Car and walls."""
        task, lidar = self.task, self.task.config.lidar
        pieces = [
            PartConfig(
                shape=BoxShape(size=(length, thickness, WALL_HEIGHT)),
                pose=yaw_pose(x, y, WALL_HEIGHT / 2, yaw),
            )
            for x, y, yaw, length, thickness in wall_pieces(
                task.track.points, task.config.circuit.width / 2
            )
        ]
        scan = self.sensor(
            "laser_scan",
            "scan",
            LASER_LINK,
            rays=lidar.rays,
            range_max=lidar.range,
            range_min=0.0,
            fov_deg=float(np.rad2deg(lidar.angle)),
            noise={"std": 0.0},
            ignore="robot",
        )
        return Scene(
            name="racing",
            robots=(placed_robot(ROBOT, pose=pose_of(task.qpos[0])),),
            objects=(floor(), ObjectConfig(name="walls", parts=tuple(pieces))),
            sensors=(scan,),
        )

    def write_state(self, world: World, held: dict[str, Floats]) -> None:
        """Pose and velocity of the car."""
        del held
        self.copy_root(world, self.task.qpos[0], self.task.qvel[0])
