"""Model, state and handles of a world, kept together when something is added or removed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from horus_sim.errors import PhysicsError
from horus_sim.files.names import Named
from horus_sim.robots.engine import mujoco
from horus_sim.robots.report import Report
from horus_sim.sim3d.compile.compile_spec import compile_spec
from horus_sim.sim3d.compile.placement import add_overlap_notes
from horus_sim.sim3d.scene.world_spec import WorldSpec
from horus_sim.sim3d.world.frames import (
    BodyFrame,
    FrameRecorder,
    WorldTF,
    body_frames,
    extra_frames,
)
from horus_sim.sim3d.world.object import WorldObject
from horus_sim.sim3d.world.robot import WorldRobot
from horus_sim.sim3d.world.snapshot import (
    INTEGRATION,
    WorldSnapshot,
    carry_over,
    read_gains,
    read_physics,
    write_gains,
)
from horus_sim.sim3d.world.stepping import Stepper
from horus_sim.time import NS_PER_S


class LiveModel:
    """What a world steps: the MuJoCo model and state, and the handles into them.

    Args:
        spec: What the world is made of.
        report: Gets the remarks of the compiler.

    Attributes:
        spec: What it is made of now, and the files of the scene it came from.
        model: The MuJoCo model; another one after something was added or removed.
        data: The MuJoCo state; call `changed` after writing positions or velocities into it. Poses
            in it are those of now; forces and contacts are those of the last step.
        generation: How many times `model` and `data` were replaced.
        steps: Steps since the start.
        robots: The robots by name.
        objects: The objects by name.
        tf: Every link and object under 'world', stamped with simulated time.
        report: What importers and compiler changed, assumed or left out.
    """

    model: mujoco.MjModel
    data: mujoco.MjData

    def __init__(self, spec: WorldSpec, report: Report) -> None:
        self.report = report
        self.tf = WorldTF()
        self.generation = -1
        self.steps = 0
        self._robots: dict[str, WorldRobot] = {}
        self._objects: dict[str, WorldObject] = {}
        self.robots = Named(self._robots, "the world", "robot")
        self.objects = Named(self._objects, "the world", "object")
        self._recorder = FrameRecorder(self.tf, spec.physics.timestep)
        self._rebuild(spec)

    @property
    def timestep(self) -> float:
        """Simulated time of one step [s]."""
        return self.spec.physics.timestep

    @property
    def time(self) -> float:
        """Simulated time [s] since the start; a multiple of the step, where a sum would drift."""
        return self.steps * self.timestep

    @property
    def stamp_ns(self) -> int:
        """Simulated time [ns] since the start."""
        return round(self.steps * self.timestep * NS_PER_S)

    @property
    def state_before_step(self) -> npt.NDArray[np.float64]:
        """MuJoCo's integration state as the last step found it; valid until the next."""
        return self._stepper.before

    @property
    def frames(self) -> tuple[BodyFrame, ...]:
        """The bodies that are frames of `tf`, parents before children."""
        return self._recorder.frames

    def changed(self) -> None:
        """Brings poses and transforms up to date; call it after writing into `data`."""
        self._scratch_is_fresh = False
        self._has_stepped = False
        self._stepper.keep()
        mujoco.mj_kinematics(self.model, self.data)
        self._recorder.place_static(self.model, self.data)
        self._recorder.record(self.stamp_ns, self.data)

    def forward(self) -> mujoco.MjData:
        """A copy of the state with everything that follows from it: velocities, forces, contacts.

        It is valid until the world changes. `data` itself holds poses of now, but the rest as the
        last step began.
        """
        if self._scratch is None:
            self._scratch = mujoco.MjData(self.model)
        if not self._scratch_is_fresh:
            state = read_physics(self.model, self.data)
            mujoco.mj_setState(self.model, self._scratch, state, INTEGRATION)
            mujoco.mj_forward(self.model, self._scratch)
            self._scratch_is_fresh = True
        return self._scratch

    def _step(self) -> None:
        """One physics step; poses and transforms are then up to date."""
        if self._carried:
            self._carry((self.steps + 1) * self.timestep)
        self._scratch_is_fresh = False
        try:
            self._stepper.step()
        except PhysicsError:
            self._settle()
            raise
        self._has_stepped = True
        self.steps += 1
        self.data.time = self.time
        mujoco.mj_kinematics(self.model, self.data)
        self._recorder.record(self.stamp_ns, self.data)

    def _check(self) -> None:
        """Refuses a state that somebody wrote and that no step can take.

        Raises:
            PhysicsError: The state is the last good one.
        """
        try:
            self._stepper.check()
        except PhysicsError:
            self._settle()
            raise

    def _restart(self) -> None:
        """Everything where it starts, at time 0."""
        self.steps = 0
        mujoco.mj_resetData(self.model, self.data)
        write_gains(self.model, self._start_gains)
        self.data.qpos[:] = self._start_qpos
        self._carry(0.0)
        for robot in self._robots.values():
            robot.clamps = 0
            robot.rebuild_control(keep=False)
        self._recorder.restart()
        self.changed()

    def _go_to(self, state: WorldSnapshot) -> None:
        """Goes to a state that fits, but for controllers beside the robots' own."""
        self.steps = state.steps
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_setState(self.model, self.data, state.physics, INTEGRATION)
        for robot, saved in zip(self._robots.values(), state.controllers, strict=False):
            robot.set_control_state(saved)
        # Controls may have written the drives: what was saved counts.
        write_gains(self.model, state.gains)
        mujoco.mj_setState(self.model, self.data, state.physics, INTEGRATION)
        self._recorder.restart()
        self.changed()

    def _rebuild(self, spec: WorldSpec) -> None:
        """Becomes the world of another spec; what both have keeps its state, bit by bit."""
        # First what may fail, so that a refused change leaves the world as it was.
        compiled = compile_spec(spec)
        frames = body_frames(compiled)
        before = None if self.generation < 0 else (self.model, self.data)
        known = {*self._robots, *self._objects}
        self.spec = spec
        self.model, self.data = compiled.model, mujoco.MjData(compiled.model)
        self._stepper = Stepper(self.model, self.data)
        self._scratch: mujoco.MjData | None = None
        noted = set(self.report)
        self.report.notes.extend(note for note in compiled.report if note not in noted)
        self._start_gains = read_gains(self.model)
        self._start_qpos = compiled.initial_positions()
        robots, objects = dict(self._robots), dict(self._objects)
        self._robots.clear()
        self._objects.clear()
        for placed in spec.robots:
            robot = robots.pop(placed.name, None) or WorldRobot(self, placed)
            robot.bind(placed, compiled.robots[placed.name])
            self._robots[placed.name] = robot
        for placed in spec.objects:
            item = objects.pop(placed.name, None) or WorldObject(self, placed)
            item.bind()
            self._objects[placed.name] = item
        for gone in (*robots.values(), *objects.values()):
            gone.leave()
        self._carried = [item for item in self._objects.values() if item.motion is not None]
        self.data.qpos[:] = self._start_qpos
        if before is not None:
            carry_over(*before, self.model, self.data)
            for robot in self._robots.values():
                robot.rebuild_control(keep=True)
            # A control that is made anew writes the drives: what they had counts.
            carry_over(*before, self.model, self.data)
            self._carry(self.time)
        mujoco.mj_kinematics(self.model, self.data)
        names = {*self._robots, *self._objects}
        if names - known:
            add_overlap_notes(self.model, self.data, names, names - known, self.report)
        self._recorder.bind(self.model, self.data, frames, extra_frames(spec))
        for name, robot in self._robots.items():
            if name not in known:
                robot.hold_if_wanted()
        self.generation += 1
        self.changed()

    def _settle(self) -> None:
        """After a step that did not happen: what is carried where it was, time exact."""
        self._carry(self.time)
        self.data.time = self.time
        self.changed()

    def _carry(self, time: float) -> None:
        for item in self._carried:
            if item.motion is not None:
                item.place(item.motion.pose_at(time))
