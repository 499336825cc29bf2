"""Model, state and handles of a world, kept together when something is added or removed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PhysicsError, SceneError
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.sim3d.compile.compile_spec import Assembly, WorldSpec, assemble, initial_positions
from horus_sim.sim3d.compile.mujoco_types import quat_wxyz
from horus_sim.sim3d.compile.placement import add_overlap_notes
from horus_sim.sim3d.world.frame_table import body_frames, extra_frames
from horus_sim.sim3d.world.frames import FrameRecorder, WorldTF
from horus_sim.sim3d.world.object import WorldObject
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.sim3d.world.snapshot import (
    INTEGRATION,
    WorldSnapshot,
    carry_over,
    layout_of,
    read_gains,
    read_physics,
    write_gains,
)
from horus_sim.sim3d.world.stepping import Stepper
from horus_sim.tf import Transform
from horus_sim.time import NS_PER_S

Vector = tuple[float, float, float]


class Stage:
    """What a world steps: the MuJoCo model and state, and the handles into them.

    Args:
        spec: What the world is made of.
        tf: Gets the transforms.
        report: Gets the remarks of the builder.

    Attributes:
        spec: What the world is made of now.
        model: The MuJoCo model.
        data: Its state.
        robots: Handles by name.
        objects: Handles by name.
        controlled: Robots whose drives are moved.
        generation: How many times model and state were replaced.
        steps: Steps since the start.
        clamps: How many values of commands were clamped.
        has_stepped: Whether forces and contacts in `data` are those of the last step.
    """

    def __init__(self, spec: WorldSpec, tf: WorldTF, report: Report) -> None:
        self.report = report
        self.robots: dict[str, WorldRobot] = {}
        self.objects: dict[str, WorldObject] = {}
        self.controlled: list[WorldRobot] = []
        self.generation = 0
        self.steps = 0
        self.clamps = 0
        self.has_stepped = False
        self._recorder = FrameRecorder(tf, spec.physics.timestep)
        assembly = assemble(spec)
        data = mujoco.MjData(assembly.model)
        new = self._adopt(assembly, data)
        data.qpos[:] = self._start_qpos
        self._finish(new, {*self.robots, *self.objects})

    @property
    def timestep(self) -> float:
        """Simulated time of one step [s]."""
        return self.spec.physics.timestep

    @property
    def time(self) -> float:
        """Simulated time [s]; an exact multiple of the step, where a sum would drift."""
        return self.steps * self.timestep

    @property
    def stamp_ns(self) -> int:
        """Simulated time [ns]."""
        return round(self.steps * self.timestep * NS_PER_S)

    def step(self) -> None:
        """One physics step; poses and transforms are then up to date."""
        if self._carried:
            self._carry((self.steps + 1) * self.timestep)
        self._scratch_is_fresh = False
        try:
            self._stepper.step()
        except PhysicsError:
            self._settle()
            raise
        self.has_stepped = True
        self.steps += 1
        self.data.time = self.time
        mujoco.mj_kinematics(self.model, self.data)
        self._recorder.record(self.stamp_ns, self.data)

    def check(self) -> None:
        """Refuses a state that somebody wrote and that no step can take.

        Raises:
            PhysicsError: The state is the last good one.
        """
        try:
            self._stepper.check()
        except PhysicsError:
            self._settle()
            raise

    def restart(self) -> None:
        """Everything where it starts, at time 0."""
        self.steps = 0
        self.clamps = 0
        mujoco.mj_resetData(self.model, self.data)
        write_gains(self.model, self._start_gains)
        self.data.qpos[:] = self._start_qpos
        self._carry(0.0)
        for robot in self.robots.values():
            robot.rebuild_control(keep=False)
        self._recorder.restart()
        self.changed()

    def changed(self) -> None:
        """Brings poses and transforms up to date after the state was written."""
        self._scratch_is_fresh = False
        self.has_stepped = False
        self._stepper.keep()
        mujoco.mj_kinematics(self.model, self.data)
        self._recorder.place_static(self.model, self.data, self._frames)
        self._recorder.record(self.stamp_ns, self.data)

    def forward(self) -> mujoco.MjData:
        """A copy of the state with everything that follows from it, valid until it changes."""
        if self._scratch is None:
            self._scratch = mujoco.MjData(self.model)
        if not self._scratch_is_fresh:
            state = read_physics(self.model, self.data)
            mujoco.mj_setState(self.model, self._scratch, state, INTEGRATION)
            mujoco.mj_forward(self.model, self._scratch)
            self._scratch_is_fresh = True
        return self._scratch

    def place(self, name: str, mocap: int, free: tuple[int, int] | None, pose: Transform) -> None:
        """Writes a pose: of a carried body, or of a free joint, which is then at rest.

        Args:
            name: Of the robot or object.
            mocap: Index of the carried body, or -1.
            free: Addresses of the free joint in positions and velocities, or None.
            pose: In the world.
        """
        if free is not None:
            qpos, dof = free
            self.data.qpos[qpos : qpos + 3] = pose.translation
            self.data.qpos[qpos + 3 : qpos + 7] = quat_wxyz(pose)
            self.data.qvel[dof : dof + 6] = 0.0
        elif mocap >= 0:
            self.data.mocap_pos[mocap] = pose.translation
            self.data.mocap_quat[mocap] = quat_wxyz(pose)
        else:
            raise SceneError(f"'{name}' has joints between the world and its root; move those")

    def set_free_velocity(
        self, name: str, dof: int, body: int, linear: Vector, angular: Vector
    ) -> None:
        """Writes a velocity into a free joint.

        Args:
            name: Of the robot or object.
            dof: Address of the free joint in velocities, or -1.
            body: Its body.
            linear: [m/s], world frame.
            angular: [rad/s], world frame.
        """
        values = np.array((*linear, *angular), dtype=float)
        if dof < 0 or not np.isfinite(values).all():
            cause = "it is held by the world" if dof < 0 else "the velocity is not finite"
            raise SceneError(f"'{name}' cannot be given a velocity: {cause}")
        rotation = self.data.xmat[body].reshape(3, 3)
        self.data.qvel[dof : dof + 3] = values[:3]
        self.data.qvel[dof + 3 : dof + 6] = rotation.T @ values[3:]
        self.changed()

    def rebuild(self, spec: WorldSpec) -> None:
        """Becomes the world of another spec; what both have keeps its state, bit by bit."""
        assembly = assemble(spec)
        old_model, old_data = self.model, self.data
        before = {*self.robots, *self.objects}
        data = mujoco.MjData(assembly.model)
        new = self._adopt(assembly, data)
        data.qpos[:] = self._start_qpos
        carry_over(old_model, old_data, self.model, data)
        for robot in self.robots.values():
            robot.rebuild_control(keep=True)
        # A control that is made anew writes the drives: what they had counts.
        carry_over(old_model, old_data, self.model, data)
        self._carry(self.time)
        self._finish(new, {*self.robots, *self.objects} - before)
        self.generation += 1

    @property
    def state_before_step(self) -> npt.NDArray[np.float64]:
        """MuJoCo's integration state as the last step found it."""
        return self._stepper.before

    def save(self, rng: str, controllers: list[object], sensors: dict[str, Any]) -> WorldSnapshot:
        """The state, with that of random numbers, sensors and further controllers."""
        own = [
            robot.control.get_state() if robot.has_control else None
            for robot in self.robots.values()
        ]
        return WorldSnapshot(
            self.steps,
            read_physics(self.model, self.data),
            read_gains(self.model),
            rng,
            (*own, *controllers),
            layout_of(self.model),
            (*self.robots, *self.objects),
            sensors,
        )

    def load(self, state: WorldSnapshot) -> None:
        """Goes to a state that fits, except for controllers beside the robots' own."""
        self.steps = state.steps
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_setState(self.model, self.data, state.physics, INTEGRATION)
        for robot, saved in zip(self.robots.values(), state.controllers, strict=False):
            if saved is None:
                robot.drop_control()
            else:
                robot.control.set_state(saved)
        # Controls may have written the drives: what was saved counts.
        write_gains(self.model, state.gains)
        mujoco.mj_setState(self.model, self.data, state.physics, INTEGRATION)
        self._recorder.restart()
        self.changed()

    def refresh_controlled(self) -> None:
        """Looks anew which robots have a control."""
        self.controlled = [robot for robot in self.robots.values() if robot.has_control]

    def _settle(self) -> None:
        """After a step that did not happen: what is carried where it was, time exact."""
        self._carry(self.time)
        self.data.time = self.time
        self.changed()

    def _carry(self, time: float) -> None:
        for item in self._carried:
            if item.motion is not None:
                self.place(item.name, item.mocap, None, item.motion.pose_at(time))

    def _adopt(self, assembly: Assembly, data: mujoco.MjData) -> list[WorldRobot]:
        """Takes over a compiled model; handles that stay keep their identity.

        Returns:
            The robots that are new.
        """
        # First what may fail, so that a refused change leaves the world as it was.
        frames = body_frames(assembly.model, assembly)
        self.spec = assembly.spec
        self.model, self.data = assembly.model, data
        self._stepper = Stepper(self.model, data)
        self._scratch: mujoco.MjData | None = None
        self._scratch_is_fresh = False
        known = set(self.report)
        self.report.notes.extend(note for note in assembly.report if note not in known)
        self._start_gains = read_gains(self.model)
        self._start_qpos = initial_positions(self.model, self.spec.robots, assembly.robots)
        self._frames = frames
        self._extra_frames = extra_frames(self.spec)
        robots, objects = dict(self.robots), dict(self.objects)
        self.robots.clear()
        self.objects.clear()
        new: list[WorldRobot] = []
        for part in self.spec.robots:
            built = assembly.robots[part.name]
            robot = robots.get(part.name)
            if robot is None:
                robot = WorldRobot(self, part, built)
                new.append(robot)
            else:
                robot.bind(part, built)
            self.robots[part.name] = robot
        for placed in self.spec.objects:
            item = objects.get(placed.name)
            if item is None:
                item = WorldObject(self, placed)
            else:
                item.bind()
            self.objects[placed.name] = item
        self._carried = [item for item in self.objects.values() if item.motion is not None]
        for name in robots.keys() - self.robots.keys():
            robots[name].leave()
        for name in objects.keys() - self.objects.keys():
            objects[name].leave()
        return new

    def _finish(self, new: list[WorldRobot], added: set[str]) -> None:
        """Frames of what is there now, and controls of the new robots, which hold their joints."""
        mujoco.mj_kinematics(self.model, self.data)
        if added:
            names = {*self.robots, *self.objects}
            add_overlap_notes(self.model, self.data, names, added, self.report)
        self._recorder.bind(self.model, self.data, self._frames, self._extra_frames)
        for robot in new:
            robot.hold_if_wanted()
        self.refresh_controlled()
        self.changed()
