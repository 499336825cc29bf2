"""A six-axis arm that reaches, as a world."""

from __future__ import annotations

from horus_sim.rl.deploy.worlds.task_world import TaskWorld, floor, placed_robot
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.arm_model import JOINTS, ROBOT
from horus_sim.rl.tasks.arm_reach import ArmReach
from horus_sim.sim3d import World
from horus_sim.sim3d.scene.scene import Scene


class ArmReachWorld(TaskWorld[ArmReach]):
    """Reaching with the arm."""

    tasks = ArmReach

    def scene(self) -> Scene:
        """The arm."""
        joints = dict(zip(JOINTS, self.task.qpos[0].tolist(), strict=True))
        robot = placed_robot(ROBOT, joints=joints)
        return Scene(name="arm_reach", robots=(robot,), objects=(floor(),))

    def write_state(self, world: World, held: dict[str, Floats]) -> None:
        """The joints."""
        del held
        self.copy_joints(world, self.task.qpos[0], self.task.qvel[0])
