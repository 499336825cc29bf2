"""An arm with a cube on a table, as a world."""

from __future__ import annotations

from horus_sim.errors import DeployError
from horus_sim.rl.deploy.worlds.task_world import ROBOT, TaskWorld, floor, placed_robot, pose_of
from horus_sim.rl.engines.interface import Floats
from horus_sim.rl.models.arm_model import FINGERS, JOINTS
from horus_sim.rl.models.arm_model import ROBOT as ARM_MODEL
from horus_sim.rl.models.manipulation_model import (
    CUBE_FRICTION,
    CUBE_MASS,
    FINGER_DAMPING,
    FINGER_STIFFNESS,
    HALF_CUBE,
)
from horus_sim.rl.tasks.manipulation import ARM, CUBE_PLACE, FINGER_PLACES, Manipulation
from horus_sim.sim3d import World
from horus_sim.sim3d.control import JointControlConfig, JointGains, RobotControlConfig
from horus_sim.sim3d.scene.objects import ObjectConfig
from horus_sim.sim3d.scene.scene import Scene, SensorEntry
from horus_sim.sim3d.scene.shapes import BoxShape, SurfaceConfig

_CUBE = "cube"


class ManipulationWorld(TaskWorld[Manipulation]):
    """Reaching, lifting, and picking and placing the cube."""

    tasks = Manipulation

    def __init__(self, task: Manipulation, rate: float) -> None:
        super().__init__(task, rate)
        if task.config.objects:
            raise DeployError(
                "worlds of Manipulation have the cube alone, and 'objects' are set; leave them out"
            )

    def scene(self) -> Scene:
        """Arm and cube; a sensor tells where the cube is, as a camera with a detector would."""
        qpos = self.task.qpos[0]
        joints = dict(zip(JOINTS, qpos[ARM].tolist(), strict=True))
        joints |= {FINGERS[0]: float(qpos[FINGER_PLACES][0])}
        sliding, torsional, rolling = CUBE_FRICTION
        cube = ObjectConfig(
            name=_CUBE,
            shape=BoxShape(size=(2 * HALF_CUBE, 2 * HALF_CUBE, 2 * HALF_CUBE)),
            pose=pose_of(qpos[CUBE_PLACE.start :]),
            dynamic=True,
            mass=CUBE_MASS,
            surface=SurfaceConfig(friction=sliding, torsional=torsional, rolling=rolling),
        )
        eye = {"kind": "ground_truth", "name": "object", "mount": _CUBE, "rate_hz": self.rate}
        eye["topic"] = f"{ROBOT}/object"
        return Scene(
            name="manipulation",
            robots=(placed_robot(ARM_MODEL, joints=joints),),
            objects=(floor(), cube),
            sensors=(SensorEntry.model_validate(eye),),
        )

    def prepare(self, world: World) -> None:
        """Gives the gripper the servo that the policy learned with; one drives both fingers."""
        gains = JointGains(kp=2 * FINGER_STIFFNESS, kd=2 * FINGER_DAMPING)
        control = RobotControlConfig(
            joints=JointControlConfig(gains={FINGERS[0]: gains}), gripper=None
        )
        world.robots[ROBOT].set_control(control)

    def write_state(self, world: World, held: dict[str, Floats]) -> None:
        """The joints, the cube, and what the fingers are to hold."""
        task = self.task
        qpos, qvel = task.qpos[0], task.qvel[0]
        self.copy_joints(world, qpos, qvel)
        cube = world.objects[_CUBE]
        x, y, z, w = (part * _sign(cube.pose.rotation[3]) for part in cube.pose.rotation)
        first = CUBE_PLACE.start
        qpos[CUBE_PLACE], qpos[first + 3 : first + 7] = cube.pose.translation, (w, x, y, z)
        linear, angular = cube.velocity
        qvel[first : first + 3] = linear
        qvel[first + 3 : first + 6] = cube.pose.inverse().transform_vector(angular)
        if "grip" in held:
            task.ctrl[0, FINGER_PLACES] = held["grip"]


def _sign(w: float) -> float:
    """By which a quaternion is multiplied so that its angle is within half a turn."""
    return -1.0 if w < 0 else 1.0
