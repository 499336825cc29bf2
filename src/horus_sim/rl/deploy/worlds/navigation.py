"""A TurtleBot3 among obstacles, as a world."""

from __future__ import annotations

from horus_sim.rl.deploy.worlds.task_world import TaskWorld, floor, placed_robot, pose_of, yaw_pose
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.navigation_model import LIDAR_LINK, OBSTACLE_HEIGHT, ROBOT
from horus_sim.rl.tasks.navigation import Navigation
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import Scene
from horus_sim.sim3d.scene.shapes import BoxShape, CylinderShape

_RAYS = 360


class NavigationWorld(TaskWorld[Navigation]):
    """Navigation of all kinds, but that in the plane."""

    tasks = Navigation

    def scene(self) -> Scene:
        """Robot, cylinders and boxes."""
        task, things = self.task, [floor()]
        for number, (x, y, radius) in enumerate(task.plane.circles[0].tolist()):
            shape = CylinderShape(radius=radius, length=OBSTACLE_HEIGHT)
            pose = yaw_pose(x, y, OBSTACLE_HEIGHT / 2, 0.0)
            things.append(ObjectConfig(name=f"cylinder_{number}", shape=shape, pose=pose))
        for number, (x, y, yaw, half_x, half_y) in enumerate(task.plane.boxes[0].tolist()):
            shape = BoxShape(size=(2 * half_x, 2 * half_y, OBSTACLE_HEIGHT))
            pose = yaw_pose(x, y, OBSTACLE_HEIGHT / 2, yaw)
            things.append(ObjectConfig(name=f"box_{number}", shape=shape, pose=pose))
        rays = max(_RAYS, task.config.lidar.rays)
        rays += -rays % task.config.lidar.rays
        lidar = self.sensor(
            "laser_scan",
            "scan",
            LIDAR_LINK,
            rays=rays,
            range_max=task.config.lidar.range,
            range_min=0.0,
            noise={"std": 0.0},
        )
        return Scene(
            name="navigation",
            robots=(placed_robot(ROBOT, pose=pose_of(task.qpos[0])),),
            objects=tuple(things),
            sensors=(lidar,),
        )

    def write_state(self, world: World, held: dict[str, Floats]) -> None:
        """Pose and velocity of the robot."""
        del held
        self.copy_root(world, self.task.qpos[0], self.task.qvel[0])
